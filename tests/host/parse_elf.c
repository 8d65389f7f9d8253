// SPDX-License-Identifier: GPL-2.0
// test: damaged ELF files cause no memory error and no endless reading in the module's code
// timeout: 120
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all -Wno-sign-compare
// cflags: -D_GNU_SOURCE -Itests/host/parse_shim -Iinclude -Imodule -Imodule/probe -Iarch/x86
// cflags: module/probe/target/elf_file.c module/probe/target/elf_symbol.c module/probe/target/elf_go.c module/trace/fetch/segment.c
/*
 * Usage: parse_elf [NUMBER [SEED]], in the checkout. Built with clang, -fsanitize=fuzzer,address
 * and -DLIBFUZZER, it is a target of libFuzzer.
 *
 * It damages the files of tests/fuzz/corpus/module_elf. They are made of a few lines of assembly:
 * functions with the names of unwinders, without code.
 */
#include <linux/kernel.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "target/elf_file.h"
#include "target/elf_go.h"
#include "target/elf_symbol.h"
#include "insn/ktap.h"
#include "trace/fetch/segment.h"
#include "target/target.h"

/* Number of bytes that the module may read for one address space, see unwinder.c. */
#define ALLOWANCE	(256ULL << 20)

#define HOLDS(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
		abort();						\
	}								\
} while (0)

/**
 * struct file - a file in memory, for struct target
 * @data: its contents
 * @len: its length
 * @reads: number of reads
 * @bytes: number of bytes that were asked for
 */
struct file {
	const u8 *data;
	size_t len;
	u64 reads;
	u64 bytes;
};

/*
 * The functions that the module looks up, and the imports that make it search for hidden ones,
 * too. See unwinder.c.
 */
static const char * const names[] = {
	"_Unwind_RaiseException",
	"_Unwind_ForcedUnwind",
	"_Unwind_Resume",
	"_Unwind_Resume_or_Rethrow",
	"_Unwind_Backtrace",
};

static const char * const needs[] = { "_dl_find_object", "dl_iterate_phdr", NULL };

#define NR_NAMES	ARRAY_SIZE(names)

long shim_fail_after;
bool shim_killed;

/* The clock, and the time that a read takes. */
u64 shim_now;
static u64 read_ns;

/* Replace the function of the module, which reads files of the kernel. */
ssize_t target_read(const struct target *target, void *buf, size_t len, loff_t pos)
{
	struct file *file = target->file;

	HOLDS(pos >= 0 && (u64)pos <= S64_MAX - len);
	file->reads++;
	file->bytes += len;
	shim_now += read_ns;
	if ((u64)pos >= file->len)
		return 0;
	len = min_t(size_t, len, file->len - pos);
	memcpy(buf, file->data + pos, len);
	return len;
}

static int read_segments(void *data, u64 pos, void *buf, size_t len)
{
	const struct target target = { .file = data };

	if (pos > S64_MAX - len)
		return -EINVAL;
	return target_read(&target, buf, len, pos) == (ssize_t)len ? 0 : -ENODATA;
}

/*
 * Look up the names. The file must have each name that is found, and the allowance must pay for
 * all reads.
 */
static unsigned int find_symbols(struct file *file, struct elf_symbol *symbols, u64 allowance)
{
	const struct target target = { .file = file };
	unsigned int i, found = 0;
	u64 left = allowance;

	file->reads = 0;
	file->bytes = 0;
	for (i = 0; i < NR_NAMES; i++)
		symbols[i] = (struct elf_symbol) { .name = names[i], .offset = ~0ULL };
	elf_symbols_find(&target, symbols, NR_NAMES, needs, &left);
	HOLDS(left <= allowance);
	HOLDS(file->bytes + file->reads * ELF_FILE_READ_COST <= allowance - left);
	for (i = 0; i < NR_NAMES; i++) {
		if (!symbols[i].offset)
			continue;
		HOLDS(memmem(file->data, file->len, names[i], strlen(names[i]) + 1));
		found++;
	}
	return found;
}

/*
 * Check for a Go program. This has no allowance, since a user has named the file, but a limit of
 * its own.
 */
static bool is_go(struct file *file)
{
	const struct target target = { .file = file };
	struct elf_file elf;
	bool go;

	file->reads = 0;
	file->bytes = 0;
	go = elf_file_open(&elf, &target, NULL) && elf_file_is_go(&elf);
	HOLDS(file->reads <= 4 + 2 * ELF_FILE_SEGMENTS);
	HOLDS(file->bytes <= file->reads * 1024);
	HOLDS(!go || memmem(file->data, file->len, "Go\0", 4) ||
	      memmem(file->data, file->len, ".gopclntab", 10));
	return go;
}

/* Compute a distance. The distance back must be the negative one. */
static bool has_distance(struct file *file, u64 from, u64 to)
{
	struct tracer_bytes bytes = { .read = read_segments, .file = file };
	s64 there, back;
	int ret, again;

	file->reads = 0;
	ret = tracer_segment_distance(&bytes, from, to, &there);
	HOLDS(file->reads <= 2 + 1024);
	again = tracer_segment_distance(&bytes, to, from, &back);
	HOLDS(ret <= 0 && ret == again);
	if (ret)
		return false;
	HOLDS((u64)there == -(u64)back);
	HOLDS(from != to || !there);
	return true;
}

/**
 * struct answers - what the module finds in a file
 * @symbols: number of names that it finds
 * @go: true if it is a Go program
 */
struct answers {
	unsigned int symbols;
	bool go;
};

static struct answers try_file(const u8 *data, size_t len)
{
	struct file file = { .data = data, .len = len };
	struct elf_symbol symbols[NR_NAMES];
	struct answers answers;

	answers.symbols = find_symbols(&file, symbols, ALLOWANCE);
	answers.go = is_go(&file);
	has_distance(&file, 0, len / 2);
	has_distance(&file, len, ~0ULL);
	has_distance(&file, symbols[0].offset, symbols[2].offset);
	return answers;
}

#ifdef LIBFUZZER

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	try_file(data, size);
	return 0;
}

#else

#include "mutate.h"

#define SEED_MAX	4096	/* bytes */
#define GROWN_MAX	16384

/*
 * struct seed - a good file
 * @name: its name in the corpus, where each file exists with 64 and with 32 bits
 * @known: the names that have symbols, the first name in bit 0; the byte at a symbol is
 *	the number of its name, counted from 1
 * @go: true if it is a Go program
 */
static const struct seed {
	const char *name;
	unsigned int known;
	bool go;
} seeds[] = {
	{ "hashed", 0x1f, false },	/* a library, without a symbol table */
	{ "table", 0x1f, false },	/* a static program with a symbol table */
	{ "hidden", 0x14, false },	/* a library with hidden symbols */
	{ "alone", 0x14, false },	/* a program linked with -static-pie */
	{ "merged", 0x14, false },	/* a program in which one name is the end of another */
	{ "go_note", 0, true },
	{ "go_table", 0, true },
};

#define NR_SEEDS	(2 * ARRAY_SIZE(seeds))

static struct {
	const struct seed *seed;
	char name[32];
	u8 data[SEED_MAX];
	size_t len;
} files[NR_SEEDS];

static void load_seeds(void)
{
	const char *top = getenv("UPROBES_TOP");
	char path[4096];
	unsigned int i;
	FILE *f;

	for (i = 0; i < NR_SEEDS; i++) {
		files[i].seed = &seeds[i / 2];
		snprintf(files[i].name, sizeof(files[i].name), "%s%d", seeds[i / 2].name,
			 i % 2 ? 32 : 64);
		snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/module_elf/%s", top ?: ".",
			 files[i].name);
		f = fopen(path, "rb");
		if (!f) {
			printf("Bail out! %s: %s\n", path, strerror(errno));
			exit(1);
		}
		files[i].len = fread(files[i].data, 1, SEED_MAX, f);
		fclose(f);
	}
}

/* Check that all known symbols of a good file are found, each at its place, and no others. */
static bool finds_known(const u8 *data, size_t len, unsigned int known)
{
	struct file file = { .data = data, .len = len };
	struct elf_symbol symbols[NR_NAMES];
	unsigned int i;

	find_symbols(&file, symbols, ALLOWANCE);
	for (i = 0; i < NR_NAMES; i++) {
		if (known & 1U << i) {
			if (symbols[i].offset >= len || data[symbols[i].offset] != i + 1)
				return false;
		} else if (symbols[i].offset) {
			return false;
		}
	}
	return true;
}

/**
 * grow() - move the symbol table of a 64-bit file and its strings to the end
 * @grown: buffer for the larger file
 * @i: number of the file
 * @strings: length of a name to insert before all others
 * @symbols: number of symbols without a name to insert before all others
 *
 * Return: the length of the larger file.
 */
static size_t grow(u8 *grown, unsigned int i, size_t strings, size_t symbols)
{
	struct elf64_hdr *head = (struct elf64_hdr *)grown;
	struct elf64_shdr *table, *names;
	struct elf64_sym *sym;
	size_t len = ALIGN(files[i].len, 8), n;

	memset(grown, 0, GROWN_MAX);
	memcpy(grown, files[i].data, files[i].len);
	table = (struct elf64_shdr *)(grown + head->e_shoff);
	while (table->sh_type != SHT_SYMTAB)
		table++;
	names = (struct elf64_shdr *)(grown + head->e_shoff) + table->sh_link;

	sym = (struct elf64_sym *)(grown + len) + symbols;
	memcpy(sym, grown + table->sh_offset, table->sh_size);
	for (n = 0; n < table->sh_size / sizeof(*sym); n++) {
		if (sym[n].st_name)
			sym[n].st_name += strings;
	}
	table->sh_offset = len;
	table->sh_size += symbols * sizeof(*sym);
	len += table->sh_size;

	memset(grown + len + 1, 'x', strings - 1);
	memcpy(grown + len + strings, grown + names->sh_offset, names->sh_size);
	names->sh_offset = len;
	names->sh_size += strings;
	len += names->sh_size;
	HOLDS(len <= GROWN_MAX);
	return len;
}

/* The module reads tables a page at a time. It must not miss anything, wherever a page ends. */
static void check_pages(unsigned int i)
{
	static u8 grown[GROWN_MAX] __aligned(8);
	size_t by, len, wrong = 0;

	for (by = 3800; by < 4200; by++) {
		len = grow(grown, i, by, 0);
		if (!finds_known(grown, len, files[i].seed->known) && !wrong)
			wrong = by;
	}
	ktap_ok(!wrong, "%s: names across the end of a page are found (%zu)", files[i].name, wrong);
	for (by = 150, wrong = 0; by < 190; by++) {
		len = grow(grown, i, 1, by);
		if (!finds_known(grown, len, files[i].seed->known) && !wrong)
			wrong = by;
	}
	ktap_ok(!wrong, "%s: symbols at the end of a page are found (%zu)", files[i].name, wrong);
}

static void check_seeds(void)
{
	unsigned int i, n;

	for (i = 0; i < NR_SEEDS; i++) {
		struct answers answers = try_file(files[i].data, files[i].len);

		ktap_ok(finds_known(files[i].data, files[i].len, files[i].seed->known) &&
			answers.go == files[i].seed->go, "%s: its contents are found, and no more",
			files[i].name);
	}
	for (i = 0; i < NR_SEEDS; i++) {
		for (n = 0; n < files[i].len; n++) {
			u8 *cut = malloc(n);

			memcpy(cut, files[i].data, n);
			try_file(cut, n);
			free(cut);
		}
	}
	ktap_ok(true, "files that end early cause no memory error");
}

/* A search that ends early must not find wrong symbols. */
static void check_ends(void)
{
	struct elf_symbol symbols[NR_NAMES];
	unsigned int i, n, found;
	bool good = true;
	u64 allowance;

	for (i = 0; i < NR_SEEDS; i++) {
		struct file file = { .data = files[i].data, .len = files[i].len };

		for (allowance = 0; allowance < 12000; allowance += 8)
			find_symbols(&file, symbols, allowance);
		/* One read takes as long as the whole allowance: the search must end. */
		read_ns = (u64)ALLOWANCE * ELF_FILE_BYTE_NS;
		found = find_symbols(&file, symbols, ALLOWANCE);
		read_ns = 0;
		good &= !found && file.reads == 1;
		shim_killed = true;
		found = find_symbols(&file, symbols, ALLOWANCE);
		shim_killed = false;
		good &= !found && !file.reads;
		for (n = 1; n <= 2; n++) {
			shim_fail_after = n;
			found = find_symbols(&file, symbols, ALLOWANCE);
			/*
			 * Symbols may be found only if the search did not get to the failing
			 * allocation. The second allocation is only for a symbol table.
			 */
			good &= !found || shim_fail_after;
			shim_fail_after = 0;
		}
	}
	ktap_ok(good, "without memory, if killed, or after too many reads, the search ends");
}

/* Return: the number of damaged files in which something was found. */
static unsigned long run(unsigned long count)
{
	unsigned long i, good = 0;
	struct answers answers;
	u8 damaged[SEED_MAX];
	unsigned int which;
	size_t len;
	u8 *exact;

	for (i = 0; i < count; i++) {
		which = mutate_pick(NR_SEEDS);
		memcpy(damaged, files[which].data, files[which].len);
		len = mutate_file(damaged, files[which].len);
		exact = malloc(len);
		memcpy(exact, damaged, len);
		answers = try_file(exact, len);
		good += answers.symbols || answers.go;
		free(exact);
	}
	return good;
}

int main(int argc, char **argv)
{
	unsigned long count = ktap_full() ? 500000 : 100000, good;
	unsigned int i;

	if (argc > 2)
		mutate_state = strtoull(argv[2], NULL, 0);
	if (argc > 1)
		count = strtoul(argv[1], NULL, 0);

	ktap_plan(NR_SEEDS + 8);
	load_seeds();
	check_seeds();
	for (i = 0; i < NR_SEEDS; i++) {
		if (!strcmp(files[i].name, "table64") || !strcmp(files[i].name, "merged64"))
			check_pages(i);
	}
	check_ends();
	good = run(count);
	ktap_ok(true, "%lu damaged files cause no memory error", count);
	/*
	 * If the module found something in nearly no file, or in nearly all, the test would show
	 * little.
	 */
	ktap_ok(good > count / 10 && good < count / 10 * 9,
		"in %lu of them, something is found", good);
	return ktap_finish();
}

#endif /* LIBFUZZER */
