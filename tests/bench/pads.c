// SPDX-License-Identifier: GPL-2.0
/*
 * bench_pads: measure how long hits take that need no trap.  Each function is called in a loop, as
 * it is and with a jump to a pad.  Rounds alternate, and the best one counts.
 *
 * Pads that record write registers or words into a ring, which is emptied by storing its head.
 *
 * In the end, one thread and then two threads count, with one counter, and with one for each
 * processor.
 */
#include <alloca.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pad.h"

#define ROUNDS	9
#define CALLS	4000000
#define SIZE	0x100000

/* Where the text is. */
#define TEXT	0x20000000ul

typedef long called(long x);

static const struct function {
	const char *what;
	u8 text[16];
} functions[] = {
	{ "lea; ret", { 0x48, 0x8d, 0x44, 0x7f, 0x01, 0xc3 } },
	{ "push; mov; pop; ret", { 0x53, 0x48, 0x89, 0xfb, 0x48, 0x89, 0xd8, 0x5b, 0xc3 } },
	{ "endbr64; xor; add; ret", { 0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0, 0x01, 0xf8, 0xc3 } },
	{ },
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The head of the ring of processor 0, and the ring. */
static struct {
	struct pad_head head;
	u64 ring[4096 / sizeof(u64)] __attribute__((aligned(4096)));
} memory __attribute__((aligned(4096)));

/* So many records fit. */
#define RECORDS	64

static double loop(called *fn)
{
	/* Words that are recorded must be on the page of those that are pushed. */
	volatile u8 *room = alloca(((u64)__builtin_frame_address(0) - 2048) % 4096 + 1);
	double begun = now();
	long sum = 0;

	*room = 0;
	for (long i = 0; i < CALLS; i++) {
		if (i % RECORDS == 0)
			memory.head.next = offsetof(typeof(memory), ring);
		sum += fn(i + 2);
	}
	__asm__ volatile("" : : "r" (sum));
	return (now() - begun) / CALLS;
}

/* Write a pad, and a jump to it, at a place where the jump can be.  Return whether there is one. */
static bool probe(struct pad *pad, u8 *text, u8 *area)
{
	struct pad_layout layout;
	u8 jump[PUN_LEN];

	for (u8 *at = area; at < area + SIZE - PAD_MAX; at++) {
		if (!pun_jump(&pad->pun, pad->addr, (u64)at, jump))
			continue;
		if (pad_emit(pad, (u64)at, at, &layout) < 0)
			return false;
		memcpy(text, jump, PUN_LEN);
		return true;
	}
	return false;
}

static void *map(u64 at, size_t size)
{
	void *got = mmap((void *)at, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return got == MAP_FAILED ? NULL : got;
}

/* Map memory for pads where the upper two bytes of the displacement trap. */
static u8 *pads_map(u64 addr)
{
	for (unsigned int i = 0; i < PUN_BYTES; i++)
		for (unsigned int k = 0; k < PUN_BYTES; k++) {
			u32 upper = (u32)pun_byte(i) << 24 | (u32)pun_byte(k) << 16;
			u8 *area = map((addr + PUN_LEN + (u64)(s64)(s32)upper) & ~0xfffull, SIZE);

			if (area)
				return area;
		}
	return NULL;
}

/* The work for a hit, besides counting. */
static const struct record {
	const char *what;
	enum pad_step_kind action;
	u8 nr;
	u8 regs[PAD_VALUES];
} records[] = {
	{ "records rsp", PAD_RECORD, 1, { 4 } },
	{ "records rsp, rsi", PAD_RECORD, 2, { 4, 6 } },
	{ "records a word", PAD_RECORD, 1, { PAD_WORD + 1 } },
	{ "records rsi, 2 words", PAD_RECORD, 3, { 6, PAD_WORD, PAD_WORD + 1 } },
	{ "adds rdi", PAD_ADD, 1, { 7 } },
	{ "adds rdi by sil", PAD_ADD, 2, { 7, 6 } },
};

/* Have a histogram be that of all keys of a byte that have room in the table. */
static void keys_enter(struct pad_histogram *h, u8 reg)
{
	static struct {
		struct pad_values values;
		u8 rest[PAD_COUNTER_STRIDE - sizeof(struct pad_values)];
	} keyed[PAD_KEYS + 1];
	static struct pad_key_set sets[PAD_KEY_SETS];
	static u8 used[PAD_KEY_SETS];

	for (u64 key = 0; key < 256; key++) {
		unsigned int nr = pad_key_set_of(key);

		if (used[nr] < PAD_KEY_WAYS)
			sets[nr].ways[used[nr]++] = (struct pad_key) { .key = key };
	}
	h->key = (struct pad_operand) { .reg = reg, .size = 1 };
	h->table = (u64)sets;
	h->at = (u64)keyed;
	keyed[0].values.least = ~0ull;
}

/*
 * With @nr conditions that fail, or none; @saves: the pad saves the flags; @record: what it
 * records, if that is not NULL.
 */
static void measure(const struct function *f, unsigned int nr, bool saves,
		    const struct record *record)
{
	static u64 next = TEXT;
	u8 *text = map(next, 4096), *area = pads_map(next), *bare = text + 2048;
	static u64 room[64];
	struct pad *pad = (struct pad *)room;
	struct pad_filter filter = { .nr = (u8)nr };
	struct pad_step *action;
	double with = 1e9, without = 1e9, t;
	char what[32];

	snprintf(what, sizeof(what), "counts, %u conditions", nr);
	pad->addr = next;
	pad->saves = saves;
	next += 0x10000;
	if (!text || !area) {
		printf("%-24s no room\n", f->what);
		return;
	}
	memset(text, 0x90, 4096);
	memcpy(text, f->text, sizeof(f->text));
	memcpy(bare, f->text, sizeof(f->text));
	/* The first conditions hold, the last one fails. */
	for (unsigned int i = 0; i < nr; i++)
		filter.conditions[i] = (struct pad_condition) {
			.reg = 7, .size = 8, .compare = i + 1 < nr ? PAD_NE : PAD_EQ, .value = 1,
		};
	pad_set_steps(pad, &filter, nr ? PAD_TO_TRAP : record ? record->action : PAD_COUNT);
	action = &pad->steps[nr];
	if (action->kind == PAD_RECORD) {
		action->recording = (struct pad_recording) {
			.heads = (u64)&memory, .mask = 0x1fff, .nr = record->nr,
		};
		memcpy(action->recording.regs, record->regs, sizeof(record->regs));
	} else if (action->kind == PAD_ADD) {
		action->histogram = (struct pad_histogram) {
			.at = (u64)area + SIZE - 8192, .value = { record->regs[0], 8, false },
		};
		((struct pad_values *)action->histogram.at)->least = ~0ull;
		if (record->nr > 1)
			keys_enter(&action->histogram, record->regs[1]);
	} else {
		action->counter.at = (u64)area + SIZE - 64;
	}
	if (pun_decide(&pad->pun, text, 96) || !probe(pad, text, area)) {
		printf("%-24s no jump\n", f->what);
		return;
	}
	for (int i = 0; i < ROUNDS; i++) {
		t = loop((called *)bare);
		without = t < without ? t : without;
		t = loop((called *)text);
		with = t < with ? t : with;
	}
	printf("%-24s %-7s %-21s %6.2f ns, unprobed %5.2f: %5.2f ns a hit\n", f->what,
	       saves ? "saving" : "bare", record ? record->what : what, with, without,
	       with - without);
}

/* Have the calling thread run on one processor. */
static bool pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!sched_setaffinity(0, sizeof(set), &set))
		return true;
	perror("sched_setaffinity");
	return false;
}

/* Check whether the processor has rdpid, whatever a hypervisor says. */
static bool has_rdpid(void)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		__asm__ volatile("rdpid %%rax" : : : "rax");
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* Check whether rdtscp gives the number of this processor, which is 0. */
static bool is_numbered(void)
{
	unsigned int cpu;

	__builtin_ia32_rdtscp(&cpu);
	return cpu % PAD_CPUS == 0;
}

/* Threads that call a function at the same time. */
#define THREADS		2
#define SHARED_CALLS	(CALLS / 40)

static struct {
	called *fn;
	int nr;
	atomic_int ready;
	double begun[THREADS];
	double ended[THREADS];
} team;

static void *team_thread(void *arg)
{
	long i = (long)arg, sum = 0;

	pin((int)i);
	atomic_fetch_add(&team.ready, 1);
	while (atomic_load(&team.ready) < team.nr)
		;
	team.begun[i] = now();
	for (long k = 0; k < SHARED_CALLS; k++)
		sum += team.fn(k);
	__asm__ volatile("" : : "r" (sum));
	team.ended[i] = now();
	return NULL;
}

/* Measure a call in each of @nr threads, which must have run at the same time. */
static double team_measure(called *fn, int nr)
{
	double first = 1e300, begun = 0, ended = 1e300, last = 0;
	pthread_t threads[THREADS];

	team.fn = fn;
	team.nr = nr;
	atomic_store(&team.ready, 0);
	for (long i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, team_thread, (void *)i))
			exit(2);
	for (int i = 0; i < nr; i++) {
		pthread_join(threads[i], NULL);
		first = team.begun[i] < first ? team.begun[i] : first;
		begun = team.begun[i] > begun ? team.begun[i] : begun;
		ended = team.ended[i] < ended ? team.ended[i] : ended;
		last = team.ended[i] > last ? team.ended[i] : last;
	}
	return ended - begun < 0.8 * (last - first) ? 1e9 : (last - first) / SHARED_CALLS;
}

/* Where the threads of a team count, or add, with one page for each processor. */
static struct {
	u64 words[PAD_COUNTER_STRIDE / sizeof(u64)];
} pages[256] __attribute__((aligned(4096)));

/* Choose what a pad does: @each: there is a counter or a histogram for each processor. */
static void team_pad(struct pad *pad, enum pad_step_kind action, bool each, u64 shared)
{
	size_t n = each ? ARRAY_SIZE(pages) : 1;

	pad_set_steps(pad, &(struct pad_filter) {}, action);
	if (action == PAD_ADD)
		pad->steps[0].histogram.value = (struct pad_operand) { .reg = 7, .size = 8 };
	pad_set_cpus(pad, each ? (u64)pages : shared, (u32)(n - 1));
	for (size_t i = 0; i < n && action == PAD_ADD; i++)
		((struct pad_values *)(each ? (u64)&pages[i] : shared))->least = ~0ull;
}

/*
 * Measure pads that count, or add, by one thread and by two.  A hypervisor may give any number of a
 * processor.
 */
static void measure_teams(const struct function *f, enum pad_step_kind action, bool saves)
{
	static u64 next = TEXT + 0x4000000, room[3][64];
	static const char * const names[] = { "unprobed", "one", "one for each" };
	double best[3][THREADS], t;
	called *fns[3];

	memset(pages, 0, sizeof(pages));
	for (int i = 0; i < 3; i++) {
		struct pad *pad = (struct pad *)room[i];
		u8 *text = map(next, 4096), *area = pads_map(next);

		if (!text || !area)
			return;
		memset(text, 0x90, 4096);
		memcpy(text, f->text, sizeof(f->text));
		pad->addr = next;
		pad->saves = saves;
		team_pad(pad, action, i == 2, (u64)area + SIZE - 8192);
		if (i && (pun_decide(&pad->pun, text, 96) || !probe(pad, text, area)))
			return;
		fns[i] = (called *)text;
		next += 0x10000;
		for (int k = 0; k < THREADS; k++)
			best[i][k] = 1e9;
	}
	for (int round = 0; round < 50 * ROUNDS; round++)
		for (int i = 0; i < 3; i++)
			for (int k = 0; k < THREADS; k++) {
				t = team_measure(fns[i], k + 1);
				best[i][k] = t < best[i][k] ? t : best[i][k];
			}
	for (int i = 1; i < 3; i++)
		printf("%-24s %-7s %-10s %-12s %6.2f ns a hit in 1 thread, %6.2f in each of 2\n",
		       f->what, saves ? "saving" : "bare",
		       action == PAD_ADD ? "histogram" : "counter", names[i],
		       best[i][0] - best[0][0], best[i][1] - best[0][1]);
}

int main(void)
{
	static const unsigned int conditions[] = { 0, 1, 4 };

	bool numbered;

	if (!pin(0))
		return 1;
	numbered = is_numbered();
	memory.head.limit = sizeof(memory);

	for (const struct function *f = functions; *f->text; f++)
		for (size_t i = 0; i < ARRAY_SIZE(conditions); i++)
			for (int saves = 0; saves < 2; saves++)
				measure(f, conditions[i], saves, NULL);
	for (const struct function *f = functions; *f->text; f++)
		for (size_t i = 0; i < ARRAY_SIZE(records); i++)
			for (int saves = 0; saves < 2; saves++)
				if (numbered || records[i].action != PAD_RECORD)
					measure(f, 0, saves, &records[i]);
	if (!numbered)
		puts("records: not measured, as rdtscp does not give the number of the processor");
	if (sysconf(_SC_NPROCESSORS_ONLN) < THREADS || !has_rdpid())
		puts("threads at once: not measured, as there is one processor, or no rdpid");
	else
		for (int i = 0; i < 4; i++)
			measure_teams(functions, i / 2 ? PAD_ADD : PAD_COUNT, i % 2);
	return 0;
}
