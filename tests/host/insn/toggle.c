// SPDX-License-Identifier: GPL-2.0
/*
 * insn_toggle [-s SEED] [-t SECONDS]
 *
 * Threads call functions of libc.  Meanwhile jumps are written over breakpoints in these functions,
 * and erased, in the stages of jump_text.c.  After each stage membarrier() serializes all
 * processors, as the interrupt of the module does.  All results must be those of functions without
 * probes, and each place must have been counted as often as it was executed.
 *
 * The functions are those of a second libc, which dlmopen() loads.  So this program itself executes
 * no probed code.  How often a call executes a place is counted before, by breakpoints only.
 *
 * A child does the stages in the wrong order, so that threads can see half a jump.  It must fail.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "ktap.h"
#include "pad.h"
#include "ssol_emit.h"
#include "toggle_cases.h"

#define PLACES		1024
#define THREADS		3
#define BATCH		16
#define CASES		128
#define PLACES_OF_ONE	24

/* An area has slots, counters, and pads. */
#define AREA_SIZE	0x40000
#define AREA_SLOTS	0x4000
#define AREA_PADS	0x8000
#define AREAS		256

enum state { BARE, BREAKPOINT, JUMP };

/**
 * struct place - an instruction with a probe
 * @addr: its address
 * @pad: its pad
 * @layout: the layout of that
 * @pad_at: address of the pad
 * @code: the jump
 * @slot: address of its slot
 * @state: what is in the text
 * @counted: it is never bare while threads run, so that its hits can be counted
 * @traps: how often it has trapped
 * @counter: how often its pad was executed
 */
struct place {
	u64 addr;
	struct pad *pad;
	struct pad_layout layout;
	u64 pad_at;
	u8 code[PUN_LEN];
	u64 slot;
	enum state state;
	bool counted;
	atomic_ulong traps;
	const volatile u64 *counter;
};

struct area {
	u8 *at;
	unsigned int slots;
	unsigned int pads;
};

/**
 * struct caller - a thread that calls functions
 * @thread: the thread
 * @random: state of its random numbers
 * @runs: how often it has made each call
 * @wrong: how often the result was another one
 */
struct caller {
	pthread_t thread;
	u64 random;
	unsigned long runs[CASES];
	unsigned long wrong;
};

static struct place places[PLACES];

/* Their pads, which count. */
static u64 pads[PLACES][(sizeof(struct pad) + sizeof(struct pad_step)) / sizeof(u64)];
static unsigned int nr_places;
static struct area areas[AREAS];
static unsigned int nr_areas;
static void *functions[CASES];
static void (*thread_begins)(void);
static u64 expected[CASES];
static u32 executes[CASES][PLACES];
static struct caller callers[THREADS];
static atomic_bool stop;
static atomic_ulong covered;
static bool careless;
static u64 seed = 1;

static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int register_barrier(void)
{
	return (int)syscall(SYS_membarrier,
			    MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

static void serialize(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0))
		abort();
}

/* Find the last place at or below an address. */
static struct place *place_below(u64 addr)
{
	unsigned int low = 0, high = nr_places;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (places[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &places[low - 1] : NULL;
}

/* A thread has executed a breakpoint, or a byte of a jump that raises an exception. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *ip = &uc->uc_mcontext.gregs[REG_RIP];
	u64 addr = (u64)*ip - (sig == SIGTRAP);
	struct place *p = place_below(addr);
	bool unlocked;
	int nr;

	(void)info;
	if (p && p->addr == addr && sig == SIGTRAP) {
		atomic_fetch_add(&p->traps, 1);
		*ip = (greg_t)p->slot;
		return;
	}
	nr = p ? pun_insn_at(&p->pad->pun, (unsigned int)(addr - p->addr), &unlocked) : -1;
	if (nr > 0) {
		atomic_fetch_add(&covered, 1);
		*ip = (greg_t)(p->pad_at + p->layout.copies[nr] + unlocked);
		return;
	}
	/* It is no matter of probes. */
	signal(sig, SIG_DFL);
}

static void store(u64 addr, u8 byte)
{
	*(volatile u8 *)addr = byte;
}

enum stage { FENCE, TAIL, HEAD, HEAD_GONE, TAIL_GONE, FENCE_GONE };

static void store_stage(const struct place *p, enum stage stage)
{
	const struct pun *pun = &p->pad->pun;

	if (stage == HEAD)
		store(p->addr, p->code[0]);
	if (stage == HEAD_GONE)
		store(p->addr, 0xcc);
	for (unsigned int i = 1; i < PUN_LEN; i++) {
		bool begins = pun->traps >> i & 1;

		if (stage == TAIL)
			store(p->addr + i, p->code[i]);
		else if (begins && (stage == FENCE || stage == TAIL_GONE))
			store(p->addr + i, 0xcc);
		else if (begins ? stage == FENCE_GONE : stage == TAIL_GONE)
			store(p->addr + i, pun->text[i]);
	}
}

static void do_stages(struct place *const *batch, unsigned int n, enum stage first, enum stage last)
{
	for (enum stage stage = first; stage <= last; stage++) {
		for (unsigned int i = 0; i < n; i++)
			store_stage(batch[i], careless ? first + last - stage : stage);
		serialize();
	}
}

static void store_first(struct place *const *batch, unsigned int n, bool breakpoint)
{
	for (unsigned int i = 0; i < n; i++)
		store(batch[i]->addr, breakpoint ? 0xcc : batch[i]->pad->pun.text[0]);
	serialize();
}

/* Change places that are in one state to another one, which is next to it. */
static void change(struct place *const *batch, unsigned int n, enum state to)
{
	enum state from = batch[0]->state;

	if (from == BREAKPOINT && to == JUMP)
		do_stages(batch, n, FENCE, HEAD);
	else if (from == JUMP)
		do_stages(batch, n, HEAD_GONE, FENCE_GONE);
	else
		store_first(batch, n, to == BREAKPOINT);
	for (unsigned int i = 0; i < n; i++)
		batch[i]->state = to;
}

static struct area *area_map(u64 at)
{
	u8 *got = mmap((void *)at, AREA_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (got == MAP_FAILED || nr_areas == AREAS)
		return NULL;
	areas[nr_areas] = (struct area) { .at = got, .pads = AREA_PADS };
	return &areas[nr_areas++];
}

/* Write the slot and the pad of a place in an area, if there is a target for its jump. */
static bool use_area(struct place *p, struct area *area, const struct ssol_plan *plan)
{
	unsigned int at;
	u64 counter = (u64)area->at + AREA_SLOTS + area->slots * sizeof(u64);
	u64 slot = (u64)area->at + area->slots * SSOL_SLOT_MAX;
	u8 buf[PAD_MAX];
	int len;

	if ((area->slots + 1) * SSOL_SLOT_MAX > AREA_SLOTS)
		return false;
	for (at = area->pads; at + PAD_MAX < AREA_SIZE && at < area->pads + 0x10000; at++)
		if (pun_jump(&p->pad->pun, p->addr, (u64)area->at + at, p->code))
			break;
	if (at + PAD_MAX >= AREA_SIZE || at == area->pads + 0x10000)
		return false;
	p->pad->steps[0].counter.at = counter;
	p->pad_at = (u64)area->at + at;
	len = pad_emit(p->pad, p->pad_at, buf, &p->layout);
	if (len < 0 || ssol_emit(plan, p->addr, slot, (u8 *)slot) < 0)
		return false;
	memcpy((void *)p->pad_at, buf, (size_t)len);
	p->slot = slot;
	p->counter = (const volatile u64 *)counter;
	area->slots++;
	area->pads = at + (unsigned int)len;
	return true;
}

/* Map an area that the jump of a place can reach, and use it. */
static bool use_new_area(struct place *p, const struct ssol_plan *plan)
{
	for (unsigned int i = 0; i < PUN_BYTES * PUN_BYTES; i++) {
		u32 upper = (u32)pun_byte(i % PUN_BYTES) << 24 |
			    (u32)pun_byte(i / PUN_BYTES % PUN_BYTES) << 16;
		struct area *area;

		area = area_map((p->addr + PUN_LEN + (u64)(s64)(s32)upper - AREA_PADS) & ~0xfffull);
		if (area && use_area(p, area, plan))
			return true;
		if (nr_areas == AREAS)
			break;
	}
	return false;
}

/* Make a place of the instruction at @addr, with @len bytes of known text. */
static bool place_add(u64 addr, const u8 *text, size_t len)
{
	struct place *p = &places[nr_places];
	struct ssol_plan plan;
	bool placed = false;

	if (nr_places == PLACES || (addr & 0xfff) > 0x1000 - PUN_LEN)
		return false;
	memset(p, 0, sizeof(*p));
	p->pad = (struct pad *)pads[nr_places];
	if (pun_decide(&p->pad->pun, text, len) != PUN_OK ||
	    ssol_plan_insn(&plan, text, len, UINSN_MODE_64, NULL) || ssol_needs_step(&plan))
		return false;
	p->addr = addr;
	p->pad->addr = addr;
	pad_set_steps(p->pad, &(struct pad_filter) {}, PAD_COUNT);
	p->pad->saves = pad_saves(p->pad, text, len);
	for (unsigned int i = nr_areas; !placed && i-- && nr_areas - i < 8;)
		placed = use_area(p, &areas[i], &plan);
	if (!placed && !use_new_area(p, &plan))
		return false;
	nr_places++;
	return true;
}

static u64 size_of(void *fn)
{
	const Elf64_Sym *symbol = NULL;
	Dl_info info;

	if (!dladdr1(fn, &info, (void **)&symbol, RTLD_DL_SYMENT))
		return 0;
	return symbol && info.dli_saddr == fn ? symbol->st_size : 0;
}

/*
 * Make places of instructions of a function: its entry, and others at random.  If its size is not
 * known, of those before the first one that does not go on.
 */
static void function_add(void *fn)
{
	u64 size = size_of(fn), addr = (u64)fn, free = addr;
	u64 end = addr + (size ? size : 256);
	unsigned int made = 0;
	struct uinsn insn;

	while (addr < end && made < PLACES_OF_ONE) {
		const u8 *text = (const u8 *)addr;

		if (uinsn_decode(&insn, text, 64, UINSN_MODE_64))
			break;
		if (addr >= free && (addr == (u64)fn || next_random(&seed) % 3 == 0) &&
		    place_add(addr, text, 64)) {
			free = addr + places[nr_places - 1].pad->pun.len;
			made++;
		}
		addr += insn.len;
		if (!size && (insn.class == UINSN_RET || insn.class == UINSN_JUMP))
			break;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return (p->addr > q->addr) - (p->addr < q->addr);
}

static bool is_first(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (functions[i] == functions[nr])
			return false;
	return functions[nr];
}

/* Make the text of the second libc writable.  Return false if that does not work. */
static bool open_text(void *libc)
{
	const struct link_map *map;
	const Elf64_Ehdr *elf;
	const Elf64_Phdr *segment;

	if (dlinfo(libc, RTLD_DI_LINKMAP, &map))
		return false;
	elf = (const Elf64_Ehdr *)map->l_addr;
	segment = (const Elf64_Phdr *)(map->l_addr + elf->e_phoff);
	for (unsigned int i = 0; i < elf->e_phnum; i++, segment++) {
		u64 begin = map->l_addr + (segment->p_vaddr & ~0xfffull);
		u64 end = map->l_addr + segment->p_vaddr + segment->p_memsz;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			return !mprotect((void *)begin, end - begin,
					 PROT_READ | PROT_WRITE | PROT_EXEC);
	}
	return false;
}

static unsigned char *room_map(void)
{
	unsigned char *room = mmap(NULL, CASE_ROOM, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return room == MAP_FAILED ? NULL : room;
}

/* Find the functions, and make the places. */
static bool prepare(void)
{
	void *libc = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW | RTLD_LOCAL);

	if (!libc || !open_text(libc) || toggle_nr_cases > CASES)
		return false;
	/* Each thread of a libc calls this for its tables of letters. */
	*(void **)&thread_begins = dlsym(libc, "__ctype_init");
	if (!thread_begins)
		return false;
	for (unsigned int i = 0; i < toggle_nr_cases; i++)
		functions[i] = dlsym(libc, toggle_cases[i].name);
	for (unsigned int i = 0; i < toggle_nr_cases; i++)
		if (is_first(i))
			function_add(functions[i]);
	qsort(places, nr_places, sizeof(places[0]), by_address);
	return true;
}

/*
 * Make a call.  Return false if its result is another one than it must be.  What functions of strings
 * execute also depends on where in its page a string begins.  So the stack is always the same there.
 */
static __attribute__((noinline)) bool call_right(unsigned int nr, unsigned char *room)
{
	volatile u8 *fill = alloca((u64)__builtin_frame_address(0) % 4096 + 16);

	*fill = 0;
	return toggle_case_run(&toggle_cases[nr], functions[nr], room) == expected[nr];
}

/* With breakpoints only, count how often each call executes each place.  Return wrong results. */
static unsigned int measure(void)
{
	static unsigned long before[PLACES];
	unsigned char *room = room_map();
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < toggle_nr_cases; i++)
		if (functions[i])
			expected[i] = toggle_case_run(&toggle_cases[i],
						      dlsym(RTLD_DEFAULT, toggle_cases[i].name),
						      room);
	for (unsigned int k = 0; k < nr_places; k++)
		change(&(struct place *) { &places[k] }, 1, BREAKPOINT);
	for (unsigned int i = 0; i < toggle_nr_cases; i++) {
		if (!functions[i])
			continue;
		/* The first call may initialize something. */
		for (unsigned int round = 0; round < 2; round++) {
			for (unsigned int k = 0; k < nr_places; k++)
				before[k] = places[k].traps;
			wrong += !call_right(i, room);
		}
		for (unsigned int k = 0; k < nr_places; k++)
			executes[i][k] = (u32)(places[k].traps - before[k]);
	}
	for (unsigned int k = 0; k < nr_places; k++) {
		places[k].traps = 0;
		places[k].counted = next_random(&seed) % 4;
	}
	return wrong;
}

static void *call(void *data)
{
	struct caller *c = data;
	unsigned char *room = room_map();

	thread_begins();
	while (!stop) {
		unsigned int i = (unsigned int)(next_random(&c->random) % toggle_nr_cases);

		if (!functions[i])
			continue;
		c->wrong += !call_right(i, room);
		c->runs[i]++;
	}
	return NULL;
}

/* Choose places in one state, and the state that they get. */
static unsigned int choose(struct place **batch, enum state *to)
{
	unsigned int n = 0, want = (unsigned int)(next_random(&seed) % BATCH) + 1;
	bool up = next_random(&seed) % 4;
	enum state from = BREAKPOINT;

	for (unsigned int tries = 0; n < want && tries < 200; tries++) {
		struct place *p = &places[next_random(&seed) % nr_places];
		bool there = false;

		for (unsigned int i = 0; i < n; i++)
			there |= batch[i] == p;
		if (there || (n && p->state != from))
			continue;
		if (p->state == BREAKPOINT && !up && p->counted)
			continue;
		if (n && *to == BARE && p->counted)
			continue;
		from = p->state;
		*to = from != BREAKPOINT ? BREAKPOINT : up ? JUMP : BARE;
		batch[n++] = p;
	}
	return n;
}

static unsigned long toggle(unsigned int seconds)
{
	struct place *batch[BATCH];
	unsigned long changes = 0;
	enum state to = BREAKPOINT;
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end) {
		unsigned int n = choose(batch, &to);

		if (!n)
			continue;
		change(batch, n, to);
		changes += n;
	}
	return changes;
}

/* Compare the counts with what the calls must have executed.  Return how many are wrong. */
static unsigned int compare(unsigned long *hits, unsigned long *traps)
{
	unsigned int wrong = 0;

	for (unsigned int k = 0; k < nr_places; k++) {
		const struct place *p = &places[k];
		unsigned long want = 0, got = p->traps + *p->counter;

		*hits += got;
		*traps += p->traps;
		for (unsigned int i = 0; i < toggle_nr_cases; i++)
			for (unsigned int t = 0; t < THREADS; t++)
				want += callers[t].runs[i] * executes[i][k];
		if (!p->counted || want == got)
			continue;
		if (wrong++ < 5)
			ktap_note("place 0x%lx: executed %lu times, counted %lu", p->addr, want,
				  got);
	}
	return wrong;
}

static void run(unsigned int seconds)
{
	unsigned long changes, wrong = 0, runs = 0, hits = 0, traps = 0;
	unsigned int differ;

	ktap_ok(!measure(), "with breakpoints, calls have the results that they have without");
	for (unsigned int t = 0; t < THREADS; t++) {
		callers[t].random = next_random(&seed) | 1;
		if (pthread_create(&callers[t].thread, NULL, call, &callers[t]))
			exit(1);
	}
	changes = toggle(seconds);
	stop = true;
	for (unsigned int t = 0; t < THREADS; t++) {
		pthread_join(callers[t].thread, NULL);
		wrong += callers[t].wrong;
		for (unsigned int i = 0; i < toggle_nr_cases; i++)
			runs += callers[t].runs[i];
	}
	differ = compare(&hits, &traps);
	ktap_note("%u places, %lu changes, %lu calls, %lu hits, %lu by traps, %lu traps within jumps",
		  nr_places, changes, runs, hits, traps, covered);
	ktap_ok(!wrong, "while jumps come and go, calls have the same results");
	ktap_ok(!differ, "each place is counted as often as it is executed");
	ktap_ok(hits > traps && traps && covered,
		"places were hit by jumps, by traps, and within jumps");
}

/* Check that threads which can see half a jump are noticed. */
static bool notices_half_jumps(unsigned int seconds)
{
	int status;
	pid_t child = fork();

	if (!child) {
		careless = true;
		if (!freopen("/dev/null", "w", stdout) || register_barrier())
			_exit(0);
		run(seconds);
		_exit(ktap_failed != 0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	unsigned int seconds = 2;
	bool noticed = false;
	int option;

	while ((option = getopt(argc, argv, "s:t:")) > 0) {
		if (option == 's')
			seed = strtoull(optarg, NULL, 0) * 2 + 1;
		else if (option == 't')
			seconds = (unsigned int)atoi(optarg);
		else
			return 2;
	}
	ktap_plan(6);
	if (register_barrier()) {
		for (unsigned int i = 0; i < 6; i++)
			ktap_skip("membarrier() does not serialize processors here");
		return 0;
	}
	sigaction(SIGTRAP, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	ktap_ok(prepare() && nr_places >= 100, "there are places in a second libc");
	/* Whether a thread meets one depends on where it is just then. */
	for (int i = 0; i < 5 && !noticed; i++) {
		noticed = notices_half_jumps(seconds);
		next_random(&seed);
	}
	ktap_ok(noticed, "it is noticed if threads can see half a jump");
	run(seconds);
	return ktap_finish();
}
