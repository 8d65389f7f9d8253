// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread
/*
 * Attacks the traces of probes in the program, while its threads sleep in probed calls:
 *
 *	hostile_unload none	no attack
 *
 * attacks on the mapping "[uprobes]":
 *
 *	hostile_unload unmap|overwrite|protect|replace|move|discard
 *
 * attacks on the stack of a thread that sleeps in return-probed calls:
 *
 *	hostile_unload copy	copy an address that replaces a return address to other places
 *	hostile_unload strike	overwrite the addresses that replace return addresses
 *	hostile_unload readonly	make the stack read-only for a while
 *	hostile_unload closed	make the stack inaccessible for a while
 *	hostile_unload sealed	replace the stack by a file that cannot be written
 *	hostile_unload fresh	replace the stack by fresh memory
 *	hostile_unload gone	unmap the stack
 *	hostile_unload fault	replace the stack by memory that another thread would have to fill,
 *				but does not
 *
 * With "slot" as another argument, one more thread sleeps in a system call, at slot_syscall.
 * Prints "ready", how many return addresses of nest() it has found replaced, and whether that
 * thread is in "[uprobes]".  On a line of input, lets all calls return, and prints their results.
 */
#include "area_attack.h"
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#define STACK	(128 << 10)
#define DEPTH	8
#define COPIES	64
#define STRUCK	0x4141414141ul

/* read(fd, buffer, length), by an instruction that can be probed. */
ASM_FUNCTION(slot_read,
	     "\txor %eax, %eax\n"
	     LABEL(slot_syscall)
	     "\tsyscall\n"
	     "\tret\n");
long slot_read(int fd, void *buffer, size_t length);

static unsigned long area, area_end;
static int to_nest[2], to_slot[2];
static pid_t nest_tid, slot_tid;
static char *stack;
static unsigned long *places[DEPTH + 1], *copies;
static unsigned int nr_places;
static int fault_fd = -1;

PROBED long work(long x)
{
	__asm__ volatile("" : "+r" (x));
	return 3 * x + 1;
}

PROBED long nest(long n)
{
	long below;
	char c;

	if (n)
		below = nest(n - 1);
	else
		below = read(to_nest[0], &c, 1);
	__asm__ volatile("" ::: "memory");
	return below + n;
}

static void *nest_thread(void *unused)
{
	__atomic_store_n(&nest_tid, gettid(), __ATOMIC_RELEASE);
	return (void *)nest(DEPTH);
}

static void *slot_thread(void *unused)
{
	char c;

	__atomic_store_n(&slot_tid, gettid(), __ATOMIC_RELEASE);
	return (void *)slot_read(to_slot[0], &c, 1);
}

/* Wait until a thread reads from @fd.  Return its instruction pointer. */
static unsigned long await_read(pid_t *tid, int fd)
{
	unsigned long nr, first, rest[5], ip = 0;
	char path[64], line[256];
	FILE *f;

	for (;;) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall",
			 __atomic_load_n(tid, __ATOMIC_ACQUIRE));
		f = fopen(path, "r");
		if (f && fgets(line, sizeof(line), f) &&
		    sscanf(line, "%lu %lx %lx %lx %lx %lx %lx %*x %lx", &nr, &first, &rest[0],
			   &rest[1], &rest[2], &rest[3], &rest[4], &ip) == 8 &&
		    nr == SYS_read && first == (unsigned long)fd) {
			fclose(f);
			return ip;
		}
		if (f)
			fclose(f);
		usleep(1000);
	}
}

static int find_area(void)
{
	struct mapping m;

	for_each_mapping(&m, "/proc/self/maps", "[uprobes]") {
		area = m.start;
		area_end = m.end;
	}
	return !!area;
}

/*
 * Find the replaced return addresses.  The thread sleeps: the words below its stack pointer do not
 * match by chance.
 */
static void find_places(void)
{
	unsigned long *word;

	for (word = (void *)stack; word < (unsigned long *)(stack + STACK); word++) {
		if (*word >= area && *word < area_end && nr_places <= DEPTH)
			places[nr_places++] = word;
	}
}

static void on_stack(int flags, int fd, int prot)
{
	if (mmap(stack, STACK, prot, flags | MAP_FIXED, fd, 0) == MAP_FAILED)
		err(2, "mmap");
}

/* Replace the stack by a read-only file with the same content. */
static void seal(void)
{
	int fd = memfd_create("stack", 0), read_only;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_only = open(path, O_RDONLY);
	if (write(fd, stack, STACK) != STACK || read_only < 0)
		err(2, "memfd");
	on_stack(MAP_SHARED, read_only, PROT_READ);
	close(fd);
}

static void turn_on(const char *how)
{
	unsigned int i;

	if (!strcmp(how, "copy")) {
		copies = calloc(COPIES, sizeof(*copies));
		for (i = 0; i < COPIES; i++)
			copies[i] = ((unsigned long *)stack)[i] = *places[0];
	} else if (!strcmp(how, "strike")) {
		for (i = 0; i < nr_places; i++)
			*places[i] = STRUCK;
	} else if (!strcmp(how, "readonly")) {
		mprotect(stack, STACK, PROT_READ);
	} else if (!strcmp(how, "closed")) {
		mprotect(stack, STACK, PROT_NONE);
	} else if (!strcmp(how, "sealed")) {
		seal();
	} else if (!strcmp(how, "fresh")) {
		on_stack(MAP_PRIVATE | MAP_ANONYMOUS, -1, PROT_READ | PROT_WRITE);
	} else if (!strcmp(how, "gone")) {
		munmap(stack, STACK);
	} else if (!strcmp(how, "fault")) {
		fault_fd = userfault_at(stack, STACK);
		if (fault_fd < 0)
			exit(2);
		madvise(stack, STACK, MADV_DONTNEED);
	} else if (strcmp(how, "none") && attack_area(how, (void *)area, area_end - area) != 1) {
		err(2, "%s", how);
	}
}

/* Sleep in a return-probed call, on a stack that is not attacked. */
PROBED long hold(const char *how, int in_slot)
{
	turn_on(how);
	printf("ready %u %d\n", nr_places, in_slot);
	return wait_line() ? 5 : 6;
}

/* Undo the attacks that only block access.  Count the attack's words that are still in memory. */
static void make_up(const char *how)
{
	unsigned int i, kept = 0;

	if (!strcmp(how, "readonly") || !strcmp(how, "closed"))
		mprotect(stack, STACK, PROT_READ | PROT_WRITE);
	else if (!strcmp(how, "fault"))
		close(fault_fd);
	for (i = 0; copies && i < COPIES; i++)
		kept += copies[i] == copies[0] && ((unsigned long *)stack)[i] == copies[0];
	for (i = 0; !strcmp(how, "strike") && i < nr_places; i++)
		kept += *places[i] == STRUCK;
	if (kept)
		printf("kept %u\n", kept);
}

int main(int argc, char **argv)
{
	int slot = argc == 3 && !strcmp(argv[2], "slot"), in_slot = 0;
	pthread_t nests, slots;
	pthread_attr_t attr;
	unsigned long ip;
	long i, sum = 0;
	void *ret;

	if (argc != 2 + slot || pipe(to_nest) || pipe(to_slot))
		return 2;
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_init(&attr);
	if (stack == MAP_FAILED || pthread_attr_setstack(&attr, stack, STACK) ||
	    pthread_create(&nests, &attr, nest_thread, NULL))
		return 4;
	await_read(&nest_tid, to_nest[0]);
	if (!find_area())
		return 3;
	find_places();
	if (slot) {
		if (pthread_create(&slots, NULL, slot_thread, NULL))
			return 4;
		ip = await_read(&slot_tid, to_slot[0]);
		in_slot = ip >= area && ip < area_end;
	}
	printf("hold %ld\n", hold(argv[1], in_slot));
	make_up(argv[1]);
	fflush(stdout);
	if (write(to_nest[1], "", 1) != 1 || pthread_join(nests, &ret))
		return 4;
	printf("nest %ld\n", (long)ret);
	fflush(stdout);
	if (slot) {
		if (write(to_slot[1], "", 1) != 1 || pthread_join(slots, &ret))
			return 4;
		printf("slot %ld\n", (long)ret);
	}
	for (i = 0; i < 100; i++)
		sum += work(i);
	printf("after %ld\n", sum);
	return 0;
}
