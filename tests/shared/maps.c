// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic -ldl
/*
 * Maps, unmaps and moves code, and prints what the code returns:
 *
 *	maps dlopen TIMES	load libm, call cbrt(), unload it, TIMES times
 *	maps remap CALLS	copy the page with moved(), and move the copy over the page, as
 *				programs do to have text in huge pages; call it before and after
 *	maps unmap		call a copy of moved() in a private mapping of this file, unmap
 *				it, map it again, call it again
 *	maps move		call a copy that moves from place to place
 *	maps leave		call a copy that moves, and also the one left at the old place
 *	maps replace		call a copy; map another function in its place, and moved() again
 *	maps swap		the same with a function that begins with the same instruction
 *	maps share		call a copy in a shared mapping of this file
 *	maps protect		take access rights from the page of moved(), and restore them
 *	maps twice		call two copies and moved() in turn; then unmap one copy
 *	maps flicker		map and unmap a copy until the program is killed
 *
 *	maps int80 THING, maps x32 THING, maps high THING
 *				"move" and "leave" with other forms of the system call: that of
 *				32-bit code; x32's (the status is 2 if the kernel has none); and
 *				the usual one with bits in the register above the number, which
 *				the kernel ignores
 *
 * With "wait" as the last argument, the program first prints "ready" and waits for a line.  "share"
 * waits for another line while it has the shared mapping.  The output is the same whether the
 * program is probed or not.
 */
#include "puppet.h"
#include <dlfcn.h>

__asm__(".pushsection .text\n"
	".balign 4096\n"
	ASM_PART(moved,
		 "\tlea (%rdi,%rdi,2), %rax\n"
		 "\ttest %rdi, %rdi\n"
		 "\tjz 1f\n"
		 "\tinc %rax\n"
		 "1:\tret\n")
	".balign 4096\n"
	".popsection\n");
long moved(long x);

/* A function in a page of its own, which begins with the same byte as moved(). */
__asm__(".pushsection .text\n"
	".balign 4096\n"
	ASM_PART(other, "\tlea (%rdi,%rdi,4), %rax\n\tret\n")
	".balign 4096\n"
	".popsection\n");
long other(long x);

/* A function in a page of its own, which begins with the same instruction as moved(). */
__asm__(".pushsection .text\n"
	".balign 4096\n"
	ASM_PART(alike, "\tlea (%rdi,%rdi,2), %rax\n\tneg %rax\n\tret\n")
	".balign 4096\n"
	".popsection\n");
long alike(long x);

static void load_often(long times)
{
	double sum = 0;
	long i;

	for (i = 0; i < times; i++) {
		void *lib = dlopen("libm.so.6", RTLD_NOW);
		double (*cbrt)(double);

		*(void **)&cbrt = lib ? dlsym(lib, "cbrt") : NULL;
		if (!cbrt) {
			puts(dlerror());
			exit(1);
		}
		sum += cbrt(27 * i * i * i);
		dlclose(lib);
	}
	printf("sum %.0f\n", sum);
}

static long call_often(long calls)
{
	long i, sum = 0;

	for (i = 0; i < calls; i++)
		sum += moved(i);
	return sum;
}

static void remap(long calls)
{
	void *copy, *there;
	long sum;

	sum = call_often(calls);
	copy = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(copy, (void *)moved, PAGE);
	mprotect(copy, PAGE, PROT_READ | PROT_EXEC);
	there = mremap(copy, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)moved);
	printf("moved: %d\n", there == (void *)moved);
	sum += call_often(calls);
	printf("sum %ld\n", sum);
}

/* Return the offset of a function in this file. */
static unsigned long offset_of(long (*function)(long))
{
	struct mapping m = {};

	mapping_of((unsigned long)function, &m);
	return (unsigned long)function - m.start + m.offset;
}

/* Forms of the system call. */
static enum { SYSCALL, INT80, X32, HIGH } way;

static void *moving(void *from, size_t len, size_t new_len, int flags, void *to)
{
	long ret;

	if (way == SYSCALL)
		return mremap(from, len, new_len, flags, to);
	if (way == X32)
		return (void *)syscall(0x40000000 | SYS_mremap, from, len, new_len, flags, to);
	if (way == HIGH) {
		register long r10 __asm__("r10") = flags;
		register void *r8 __asm__("r8") = to;

		__asm__ volatile("syscall"
				 : "=a"(ret)
				 : "a"(0x7700000000 | SYS_mremap), "D"(from), "S"(len),
				   "d"(new_len), "r"(r10), "r"(r8)
				 : "memory", "rcx", "r11");
		return (void *)ret;
	}
	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(163), "b"(from), "c"(len), "d"(new_len), "S"((long)flags), "D"(to)
			 : "memory", "r8", "r9", "r10", "r11");
	return (void *)ret;
}

static void move(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char *at, *room;
	long sum = 0;
	int i;

	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_32BIT, fd,
		  offset_of(moved));
	room = mmap(NULL, 16 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	sum += ((long (*)(long))at)(1);
	for (i = 1; i < 16; i += 3) {
		at = moving(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + i * PAGE);
		sum += ((long (*)(long))at)(i);
	}
	/* Let the mapping grow.  It moves once more, as the page behind it is mapped. */
	at = moving(at, PAGE, 2 * PAGE, MREMAP_MAYMOVE, NULL);
	sum += ((long (*)(long))at)(i);
	printf("sum %ld\n", sum);
}

static void unmap(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	unsigned long offset = offset_of(moved);
	void *at = NULL;
	long sum = 0;
	int i;

	for (i = 0; i < 5; i++) {
		/* Every other time, make the mapping executable only later. */
		at = mmap(at, PAGE, i % 2 ? PROT_READ : PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, offset);
		if (i % 2)
			mprotect(at, PAGE, PROT_READ | PROT_EXEC);
		sum += ((long (*)(long))at)(i);
		munmap(at, PAGE);
	}
	printf("sum %ld\n", sum);
}

static void leave(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	void *at, *to;
	long sum = 0;

	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_32BIT, fd, offset_of(moved));
	sum += ((long (*)(long))at)(1);
	to = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	to = moving(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to);
	if (to == MAP_FAILED)
		err(1, "mremap");
	sum += ((long (*)(long))to)(10);
	sum += ((long (*)(long))at)(100);
	printf("sum %ld\n", sum);
}

static void replace(long (*by)(long))
{
	int fd = open("/proc/self/exe", O_RDONLY);
	unsigned long offsets[] = { offset_of(moved), offset_of(by) };
	void *at = NULL;
	long sum = 0;
	int i;

	for (i = 0; i < 7; i++) {
		at = mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd,
			  offsets[i % 2]);
		sum += ((long (*)(long))at)(i);
	}
	printf("sum %ld\n", sum);
}

static int waits;

static void share(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, offset_of(moved));

	printf("%ld and %ld\n", ((long (*)(long))at)(1), moved(2));
	if (waits)
		wait_line();
}

/* Protect the program's own mapping, which is there since exec. */
static void protect(void)
{
	static const int others[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
	long sum = moved(1);
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (mprotect((void *)moved, PAGE, others[i]) ||
		    mprotect((void *)moved, PAGE, PROT_READ | PROT_EXEC))
			err(1, "mprotect");
		sum += moved(i);
	}
	/* Let the page be writable while it is executed. */
	if (mprotect((void *)moved, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		err(1, "mprotect");
	sum += moved(10);
	mprotect((void *)moved, PAGE, PROT_READ | PROT_EXEC);
	sum += moved(100);
	printf("sum %ld\n", sum);
}

static void twice(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	void *at[2];
	long sum = 0;
	int i;

	for (i = 0; i < 2; i++)
		at[i] = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, offset_of(moved));
	for (i = 0; i < 10; i++)
		sum += ((long (*)(long))at[0])(i) + moved(i) + ((long (*)(long))at[1])(i);
	munmap(at[0], PAGE);
	for (i = 0; i < 10; i++)
		sum += moved(i) + ((long (*)(long))at[1])(i);
	printf("sum %ld\n", sum);
}

static void flicker(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	unsigned long offset = offset_of(moved);

	for (;;)
		munmap(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, offset), PAGE);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[argc - 1], "wait")) {
		argc--;
		waits = 1;
		puts("ready");
		wait_line();
	}
	if (argc > 2 && !strcmp(argv[1], "int80"))
		way = INT80;
	else if (argc > 2 && !strcmp(argv[1], "x32"))
		way = X32;
	else if (argc > 2 && !strcmp(argv[1], "high"))
		way = HIGH;
	if (way == X32 && syscall(0x40000000 | SYS_getpid) != getpid())
		return 2;
	if (way != SYSCALL) {
		argc--;
		argv++;
	}
	if (argc == 3 && !strcmp(argv[1], "dlopen"))
		load_often(atol(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "remap"))
		remap(atol(argv[2]));
	else if (argc == 2 && !strcmp(argv[1], "unmap"))
		unmap();
	else if (argc == 2 && !strcmp(argv[1], "move"))
		move();
	else if (argc == 2 && !strcmp(argv[1], "leave"))
		leave();
	else if (argc == 2 && !strcmp(argv[1], "replace"))
		replace(other);
	else if (argc == 2 && !strcmp(argv[1], "swap"))
		replace(alike);
	else if (argc == 2 && !strcmp(argv[1], "share"))
		share();
	else if (argc == 2 && !strcmp(argv[1], "protect"))
		protect();
	else if (argc == 2 && !strcmp(argv[1], "twice"))
		twice();
	else if (argc == 2 && !strcmp(argv[1], "flicker"))
		flicker();
	else
		return 2;
	return 0;
}
