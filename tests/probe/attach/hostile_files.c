// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread
/*
 * Maps strange files as code, while the program is return-probed:
 *
 *	hostile_files symbols N	a file with 64 MiB of names, at N places
 *	hostile_files junk N	a file whose unwinders are no instructions, N times
 *	hostile_files maps	this program's own file, over and over
 *	hostile_files file PATH	the file PATH
 *
 * "symbols" and "file" map their file at the start.  Then the program prints "ready", and waits for
 * a line.  It calls getpgid(), so that a return probe on that function has a call to follow; "junk"
 * and "maps" map their files only then.  Prints "done", and ends at the end of its input.  "maps"
 * goes on until then.
 */
#include "puppet.h"
#include <dlfcn.h>
#include <elf.h>

static const char * const names[] = {
	"_Unwind_RaiseException", "_Unwind_ForcedUnwind", "_Unwind_Resume",
	"_Unwind_Resume_or_Rethrow", "_Unwind_Backtrace",
};

#define NAMES		(sizeof(names) / sizeof(names[0]))
#define TEXT_AT		4096
#define STRINGS_SIZE	(64UL << 20)

struct image {
	Elf64_Ehdr head;
	Elf64_Phdr load;
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[NAMES + 1];
	char strings[256];
};

static volatile int ending;

static void put(int fd, const void *data, size_t size, off_t at)
{
	if (pwrite(fd, data, size, at) != (ssize_t)size)
		err(2, "writing the file");
}

/* Make an ELF file without a hash table, so that its symbols are searched. */
static int make_file(size_t strings_size)
{
	int fd = memfd_create("hostile", 0);
	struct image image = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			.e_phoff = offsetof(struct image, load), .e_phnum = 1,
			.e_shoff = offsetof(struct image, sections), .e_shnum = 3,
		},
		.load = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X,
			.p_offset = TEXT_AT, .p_vaddr = TEXT_AT, .p_filesz = 4096,
		},
		.sections = {
			[1] = {
				.sh_type = SHT_SYMTAB, .sh_link = 2,
				.sh_offset = offsetof(struct image, symbols),
				.sh_size = sizeof(image.symbols),
			},
			[2] = {
				.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, strings),
				.sh_size = strings_size ?: sizeof(image.strings),
			},
		},
	};
	char text[4096];
	size_t i, at = 1;

	if (fd < 0)
		err(2, "memfd_create");
	for (i = 0; i < NAMES && !strings_size; i++) {
		image.symbols[i + 1] = (Elf64_Sym) {
			.st_name = at, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1, .st_value = TEXT_AT + 16 * i,
		};
		at += sprintf(image.strings + at, "%s", names[i]) + 1;
	}
	/* 0x06 is no instruction of 64-bit code. */
	memset(text, 0x06, sizeof(text));
	put(fd, &image, sizeof(image), 0);
	put(fd, text, sizeof(text), TEXT_AT);
	if (strings_size && ftruncate(fd, sizeof(image) + strings_size))
		err(2, "ftruncate");
	return fd;
}

static void *map_code(int fd, off_t at)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, at);

	if (p == MAP_FAILED)
		err(2, "mmap");
	return p;
}

static void *map_for_ever(void *unused)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	if (fd < 0)
		err(2, "/proc/self/exe");
	while (!ending)
		munmap(map_code(fd, 0), 4096);
	return NULL;
}

int main(int argc, char **argv)
{
	long i, n = argc > 2 ? atol(argv[2]) : 0;
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread;
	int fd;

	/* Load unwinders that the module probes and watches. */
	if (!dlopen("libgcc_s.so.1", RTLD_NOW))
		errx(2, "%s", dlerror());
	if (!strcmp(what, "symbols")) {
		fd = make_file(STRINGS_SIZE);
		for (i = 0; i < n; i++)
			map_code(fd, TEXT_AT);
	} else if (!strcmp(what, "file")) {
		fd = open(argv[2], O_RDONLY);
		if (fd < 0)
			err(2, "%s", argv[2]);
		map_code(fd, 0);
	}
	puts("ready");
	if (!wait_line())
		return 2;
	/* Give a return probe on getpgid() a call to follow. */
	getpgid(0);
	if (!strcmp(what, "junk")) {
		fd = make_file(0);
		for (i = 0; i < n; i++) {
			void *p = map_code(fd, TEXT_AT);

			getppid();
			munmap(p, 4096);
		}
	} else if (!strcmp(what, "maps")) {
		if (pthread_create(&thread, NULL, map_for_ever, NULL))
			errx(2, "no thread");
	}
	puts("done");
	while (wait_line())
		;
	ending = 1;
	if (!strcmp(what, "maps"))
		pthread_join(thread, NULL);
	return 0;
}
