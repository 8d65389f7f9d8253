// SPDX-License-Identifier: GPL-2.0
/*
 * Threads call a function whose calls are timed by pads, each on its own stack.  They choose stack
 * pointers so that their calls often need the same slot: then the hits trap, and a handler of
 * signals does what the module would do.  Other signals take threads out of the pads.
 *
 * In the end, all calls are in the histogram or have trapped, and no slot is left.
 */
#include "timed_threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "pad.h"
#include "pads_make.h"

#define THREADS		4
#define CALLS		4000
#define STACK_SIZE	0x100000
#define POSITIONS	64

/* All calls have one of so many slots. */
#define SLOTS		8

#define NUMBER		77

/* Call fn() with another stack pointer. */
void timed_call(u64 sp, u64 fn);
__asm__(".pushsection .text\n"
	"timed_call:\n"
	"	push %rbx\n"
	"	mov %rsp, %rbx\n"
	"	mov %rdi, %rsp\n"
	"	call *%rsi\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	"	ret\n"
	".popsection\n");

/* Where a thread finds the pads, and what they write to. */
static struct {
	u8 text[4096];
	struct pad_values values;
	struct pad_slot table[PAD_SLOTS] __attribute__((aligned(4096)));
} *memory;

/**
 * struct hook - a pad, and where it is
 * @pad: the pad, which has one step
 * @room: room for it
 * @at: its address
 * @len: its length
 * @parts: its layout
 */
static struct hook {
	struct pad *pad;
	u64 room[(sizeof(struct pad) + sizeof(struct pad_step)) / sizeof(u64)];
	u64 at;
	int len;
	struct pad_layout parts;
} begin, end;

/**
 * struct caller - a thread
 * @thread: the thread
 * @positions: stack pointers at the function's entry
 * @ticks: the time of all its calls, and a bit more
 * @begins: how often a call was not put into the table
 * @ends: how often a call was not taken out of it by the pad
 */
static struct caller {
	pthread_t thread;
	u64 positions[POSITIONS];
	u64 ticks;
	unsigned long begins;
	unsigned long ends;
} callers[THREADS];

static __thread struct caller *self;
static atomic_ulong interrupted, paid;
static atomic_uint running;

static struct pad_slot *slot_at(u64 sp, u64 *key)
{
	*key = pad_call_key(NUMBER, sp);
	return &memory->table[pad_slot_of(*key)];
}

/* A hit has trapped: the slot has another call, or another thread was faster. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
	u64 key, ip = (u64)gregs[REG_RIP] - 1;
	struct pad_slot *slot = slot_at((u64)gregs[REG_RSP], &key);

	(void)info;
	if (self && ip == begin.at + begin.parts.trap) {
		self->begins++;
		gregs[REG_RIP] = (greg_t)(begin.at + begin.parts.copies[0]);
	} else if (self && ip == end.at + end.parts.trap) {
		self->ends++;
		__sync_val_compare_and_swap(&slot->key, key, 0);
		gregs[REG_RIP] = (greg_t)(end.at + end.parts.copies[0]);
	} else {
		signal(sig, SIG_DFL);
	}
}

static void pay(const struct pad_debt *debt, u64 sp)
{
	struct pad_values *v = &memory->values;
	struct pad_slot *slot;
	u64 key;

	paid += debt->owes != PAD_OWES_NOTHING;
	if (debt->owes == PAD_OWES_BEGIN) {
		slot = slot_at(sp, &key);
		slot->began = __builtin_ia32_rdtsc();
		__atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
	}
	if (debt->owes == PAD_OWES_VALUE)
		__sync_fetch_and_add(&v->buckets[pad_bucket(debt->value)], 1);
	if (debt->owes == PAD_OWES_VALUE || debt->owes == PAD_OWES_SUM)
		__sync_fetch_and_add(&v->sum, debt->value);
}

/* Take the thread out of a pad.  It has not executed the copies yet, or is left there. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
	u64 ip = (u64)gregs[REG_RIP];
	const struct hook *h = ip - begin.at < (u64)begin.len ? &begin :
			       ip - end.at < (u64)end.len ? &end : NULL;
	struct user_regs_struct regs = {
		.rip = ip, .rsp = (u64)gregs[REG_RSP], .eflags = (u64)gregs[REG_EFL],
		.rax = (u64)gregs[REG_RAX], .rcx = (u64)gregs[REG_RCX], .rdx = (u64)gregs[REG_RDX],
	};
	struct pad_state state;
	struct pad_debt debt;

	(void)sig;
	(void)info;
	if (!h || !pads_leave(h->pad, h->at, &regs, (const u64 *)regs.rsp, &state, &debt) ||
	    state.ip != h->pad->addr)
		return;
	interrupted++;
	pay(&debt, regs.rsp);
	gregs[REG_RIP] = (greg_t)(state.counted ? h->at + h->parts.copies[0] : h->at);
	gregs[REG_RSP] = (greg_t)regs.rsp;
	gregs[REG_EFL] = (greg_t)regs.eflags;
	gregs[REG_RAX] = (greg_t)regs.rax;
	gregs[REG_RCX] = (greg_t)regs.rcx;
	gregs[REG_RDX] = (greg_t)regs.rdx;
}

/* Write a pad behind the text so far; its instructions are at @addr. */
static bool hook_make(struct hook *h, enum pad_step_kind kind, u8 *addr, u8 *at)
{
	h->pad = (struct pad *)h->room;
	h->pad->addr = (u64)addr;
	h->pad->saves = kind == PAD_END;
	pad_set_steps(h->pad, &(struct pad_filter) {}, kind);
	h->pad->steps[0].timing = (struct pad_timing) {
		.table = (u64)memory->table, .at = (u64)&memory->values, .ns = 1ull << 32,
		.id = NUMBER,
	};
	h->at = (u64)at;
	if (pun_decide(&h->pad->pun, addr, 64))
		return false;
	h->len = pad_emit(h->pad, h->at, at, &h->parts);
	return h->len > 0;
}

/* Write a function that takes a while, and its pads.  A call begins in the pad. */
static bool make(void)
{
	static const u8 function[] = {
		0x8d, 0x47, 0x01, 0x66, 0x90,	/* lea 1(%rdi), %eax; nop */
		0xb9, 0x14, 0x00, 0x00, 0x00,	/* mov $20, %ecx */
		0xf3, 0x90,			/* 1: pause */
		0xff, 0xc9, 0x75, 0xfa,		/* dec %ecx; jnz 1b */
		0xe9, 0, 0, 0, 0,		/* jmp to the other pad */
	};
	u8 *text, *other;

	memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	text = memory->text;
	other = text + 1024 + PAD_MAX;
	memset(text, 0x90, sizeof(memory->text));
	memcpy(text, function, sizeof(function));
	uinsn_put32(text + sizeof(function) - 4, (u32)(other - (text + sizeof(function))));
	text[512] = 0xc3;
	memory->values.least = ~0ull;
	return hook_make(&begin, PAD_BEGIN, text, text + 1024) &&
	       hook_make(&end, PAD_END, text + 512, other);
}

/* Find stack pointers of calls that have the slots. */
static bool find_positions(struct caller *c, u64 stack)
{
	unsigned int n = 0;
	u64 key;

	for (u64 sp = stack + STACK_SIZE - 64; n < POSITIONS && sp > stack + 0x10000; sp -= 16)
		if (slot_at(sp - 8, &key) - memory->table < SLOTS)
			c->positions[n++] = sp;
	return n == POSITIONS;
}

static void *call(void *data)
{
	u64 began;

	self = data;
	for (unsigned int i = 0; i < CALLS; i++) {
		began = __builtin_ia32_rdtsc();
		timed_call(self->positions[i * 7 % POSITIONS], begin.at);
		self->ticks += __builtin_ia32_rdtsc() - began;
	}
	running--;
	return NULL;
}

/* Run the threads, and disturb them. */
static bool run(void)
{
	u8 *stacks = mmap(NULL, THREADS * STACK_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stacks == MAP_FAILED)
		return false;
	for (unsigned int t = 0; t < THREADS; t++)
		if (!find_positions(&callers[t], (u64)stacks + t * STACK_SIZE))
			return false;
	running = THREADS;
	for (unsigned int t = 0; t < THREADS; t++)
		if (pthread_create(&callers[t].thread, NULL, call, &callers[t]))
			return false;
	for (unsigned int t = 0; running; t++) {
		usleep(20);
		/* Threads are joined later, so they can be named. */
		pthread_kill(callers[t % THREADS].thread, SIGUSR1);
	}
	for (unsigned int t = 0; t < THREADS; t++)
		pthread_join(callers[t].thread, NULL);
	return true;
}

/* Have signals handled, or leave them alone. */
static void handle(bool on)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigaddset(&action.sa_mask, SIGUSR1);
	sigaddset(&action.sa_mask, SIGTRAP);
	if (on) {
		action.sa_flags = SA_SIGINFO;
		action.sa_sigaction = on_trap;
	}
	sigaction(SIGTRAP, &action, NULL);
	if (on)
		action.sa_sigaction = on_signal;
	sigaction(SIGUSR1, &action, NULL);
}

void timed_threads(struct timed_threads *result)
{
	const struct pad_values *v;
	u64 ticks = 0, least = 0;

	*result = (struct timed_threads) { .calls = THREADS * CALLS };
	handle(true);
	if (!make() || !run())
		exit(2);
	handle(false);
	for (unsigned int t = 0; t < THREADS; t++) {
		result->begins += callers[t].begins;
		result->ends += callers[t].ends;
		ticks += callers[t].ticks;
	}
	v = &memory->values;
	for (unsigned int i = 0; i < PAD_BUCKETS; i++) {
		result->counted += v->buckets[i];
		least += v->buckets[i] * pad_bucket_begin(i);
	}
	for (unsigned int i = 0; i < PAD_SLOTS; i++)
		result->kept += memory->table[i].key != 0;
	result->left = interrupted;
	result->owed = paid;
	result->sane = v->sum >= least && v->sum <= ticks && v->least <= v->largest;
	munmap(memory, sizeof(*memory));
}
