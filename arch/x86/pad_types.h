/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structures of pads: see pad.h.
 */
#ifndef UPROBES_ARCH_X86_PAD_TYPES_H
#define UPROBES_ARCH_X86_PAD_TYPES_H

#include "pad_filter.h"
#include "pun.h"

/** PAD_MAX - the largest size of a pad, in bytes. */
#define PAD_MAX 1024

/** PAD_PUSHED - a pad pushes so many words at most. */
#define PAD_PUSHED 5

/** PAD_COPIES_MORE - copies are longer than their instructions by so many bytes at most. */
#define PAD_COPIES_MORE 96

/** PAD_VALUES - the largest number of registers and words in a record. */
#define PAD_VALUES 6

/** PAD_WORD - the number of the word at the stack pointer, where registers have theirs. */
#define PAD_WORD 16

/** PAD_WORDS - the number of words, from the stack pointer on, that a record can have. */
#define PAD_WORDS 16

/** PAD_HEAD_STRIDE - the distance between the heads of two processors: a cache line. */
#define PAD_HEAD_STRIDE 64

/** PAD_CPUS - the number of processors that rdtscp can tell from each other on Linux. */
#define PAD_CPUS 4096

/** PAD_COUNTER_STRIDE - the distance between the counters of two processors: a page. */
#define PAD_COUNTER_STRIDE 4096

/** PAD_TRAP, PAD_NO_TRAP - the instruction that traps, and what replaces it. */
#define PAD_TRAP 0xcc
#define PAD_NO_TRAP 0x90

/**
 * struct pad_head - the head of a ring
 * @next: distance from the head to the next record
 * @limit: if @next is not below it, the pad traps; a record of more than PAD_RECORD_USUAL bytes
 *	needs so much more room
 */
struct pad_head {
	u64 next;
	u64 limit;
};

/**
 * struct pad_record - a record in a ring
 * @time: the time stamp counter
 * @id: pad_recording::id
 * @values: the registers and words
 */
struct pad_record {
	u64 time;
	u64 id;
	u64 values[];
};

/** PAD_LOADS - the largest number of loads of a pad. */
#define PAD_LOADS 4

/** PAD_LOAD_STEPS - the largest number of steps of a load. */
#define PAD_LOAD_STEPS 3

/** PAD_LOAD_WORDS - the largest number of words that the loads of a record take together. */
#define PAD_LOAD_WORDS 12

/** PAD_STRING_WORDS - likewise, of its strings. */
#define PAD_STRING_WORDS 8

/**
 * struct pad_load - bytes in memory that a pad records, or adds; plain data
 * @offset: what is added to the pointer in each step
 * @from: the register, or word, with the first pointer, as in pad_recording::regs
 * @steps: number of steps, at least 1; each one but the last loads the pointer of the next one
 * @size: number of bytes that the last one loads: 1, 2, 4 or 8; of a string, a multiple of 8
 * @string: the bytes are a string. The pad records them up to the first word with a zero byte, and
 *	traps if there is none.
 */
struct pad_load {
	s32 offset[PAD_LOAD_STEPS];
	u8 from;
	u8 steps;
	u8 size;
	bool string;
};

/* Get the number of words that a load takes in a record. */
static inline unsigned int pad_load_words(const struct pad_load *load)
{
	return (load->size + 7U) / 8;
}

/** PAD_RECORD_USUAL - the largest size of a record without loads, in bytes. */
#define PAD_RECORD_USUAL (sizeof(struct pad_record) + PAD_VALUES * sizeof(u64))

/** PAD_RECORD_MAX - the largest size of a record, in bytes. */
#define PAD_RECORD_MAX \
	(sizeof(struct pad_record) + (PAD_VALUES + PAD_LOAD_WORDS) * sizeof(u64))

/**
 * struct pad_recording - what a pad records
 * @heads: address of the heads: one for each processor, PAD_HEAD_STRIDE apart
 * @mask: bound of a record's distance from its head, 2^n - 1. For any value of the heads, the pad
 *	writes nothing before @heads, and nothing behind the last head + @mask + %PAD_RECORD_MAX
 * @id: the number in its records, less than 2^31
 * @nr: number of @regs
 * @regs: numbers of the registers, as in ModRM, in ascending order. PAD_WORD and the numbers behind
 *	it are words.
 * @nr_loads: number of @loads
 * @loads: what is recorded behind the registers and words, in this order
 */
struct pad_recording {
	u64 heads;
	u32 mask;
	u32 id;
	u8 nr;
	u8 regs[PAD_VALUES];
	u8 nr_loads;
	const struct pad_load *loads;
};

/* Get the number of words of the values in a record. */
static inline unsigned int pad_record_words(const struct pad_recording *r)
{
	unsigned int n = r->nr, i;

	for (i = 0; i < r->nr_loads; i++)
		n += pad_load_words(&r->loads[i]);
	return n;
}

/**
 * struct pad_counter - what a pad increments
 * @at: address of the counter, a multiple of 8; with @mask, of that of processor 0
 * @mask: if it is not 0, processors have counters of their own, PAD_COUNTER_STRIDE apart: that one
 *	has the number of the processor under this mask. 2^n - 1, less than PAD_CPUS
 */
struct pad_counter {
	u64 at;
	u32 mask;
};

/** PAD_BUCKET_LOG - a histogram has so many buckets for each power of two, as a power of two. */
#define PAD_BUCKET_LOG 3

/** PAD_BUCKETS - the number of buckets of a histogram: smaller values have one each. */
#define PAD_BUCKETS ((64 - PAD_BUCKET_LOG + 1) << PAD_BUCKET_LOG)

/**
 * struct pad_values - a histogram, as it is in memory
 * @sum: the sum of the values, modulo 2^64
 * @least: the least value; before the first one, the largest number
 * @largest: the largest value
 * @unused: zero
 * @buckets: numbers of values
 */
struct pad_values {
	u64 sum;
	u64 least;
	u64 largest;
	u64 unused[5];
	u64 buckets[PAD_BUCKETS];
};

/** PAD_KEYS - so many keys have histograms of their own, a power of two. */
#define PAD_KEYS 64U

/*
 * PAD_KEYS_OPEN - behind the histogram of all keys that have none of their own, at this distance
 * from it: a word that is not 0 if pads may add values. Pads only read it, so it is in another
 * cache line.
 */
#define PAD_KEYS_OPEN 4032

/** PAD_KEY_SETS - the number of sets of a table of keys. */
#define PAD_KEY_SETS 256U

/** PAD_KEY_SETS_LOG - its logarithm to the base 2. */
#define PAD_KEY_SETS_LOG 8

/** PAD_KEY_WAYS - the number of keys that a set has room for. */
#define PAD_KEY_WAYS 4U

/**
 * struct pad_key - a place for a key in a table of keys
 * @key: the key; pad_key_none() if the place is free
 * @at: distance of its histogram from that of key 0
 */
struct pad_key {
	u64 key;
	u64 at;
};

/**
 * struct pad_key_set - a set of a table of keys: a cache line
 * @ways: its places
 */
struct pad_key_set {
	struct pad_key ways[PAD_KEY_WAYS];
};

/* PAD_HASH - the multiplier by which pads find a call or a key: 2^64 / golden ratio. */
#define PAD_HASH	0x9e3779b97f4a7c15ULL

/* Get the number of the set of a key. */
static inline unsigned int pad_key_set_of(u64 key)
{
	return key * PAD_HASH >> (64 - PAD_KEY_SETS_LOG);
}

/* Get a key that is never looked up in a set. */
static inline u64 pad_key_none(unsigned int set)
{
	return !set;
}

/**
 * struct pad_operand - a number of the program: a register, a word of the stack, or in memory
 * @reg: number of the register, or PAD_WORD and the number of a word, as in pad_recording::regs
 * @size: number of its lower bytes: 1, 2, 4 or 8; 0 if there is no number
 * @is_signed: they are a signed number
 * @load: if it is in memory, the number of its load, from 1 on, which has the same size; or 0
 */
struct pad_operand {
	u8 reg;
	u8 size;
	bool is_signed;
	u8 load;
};

static inline bool pad_operand_same(const struct pad_operand *a, const struct pad_operand *b)
{
	return a->reg == b->reg && a->size == b->size && a->is_signed == b->is_signed &&
	       a->load == b->load;
}

/**
 * struct pad_histogram - the values that a pad adds
 * @at: address of the struct pad_values, a multiple of 8; with @mask, of that of processor 0; with
 *	a key, of that of the first key. Those of the others follow, PAD_COUNTER_STRIDE apart;
 *	behind them is that of all other keys
 * @mask: as pad_counter::mask; 0 with a key
 * @table: with a key, address of the struct pad_key_set[PAD_KEY_SETS]
 * @value: the value
 * @key: the key, which says what histogram it is added to; perhaps none
 * @nr_loads: number of @loads; 0 if neither is in memory
 * @loads: where numbers in memory are
 */
struct pad_histogram {
	u64 at;
	u64 table;
	u32 mask;
	struct pad_operand value;
	struct pad_operand key;
	u8 nr_loads;
	const struct pad_load *loads;
};

/** PAD_SLOTS - the number of slots of a table of calls. */
#define PAD_SLOTS 4096U

/** PAD_SLOTS_LOG - its logarithm to the base 2. */
#define PAD_SLOTS_LOG 12

/** PAD_SLOT_BUSY - a key with this bit: the call has the slot, but its time is not there yet. */
#define PAD_SLOT_BUSY 0x8000000000000000ULL

/** PAD_FUNCTIONS - the numbers of functions are less than this one, and not 0. */
#define PAD_FUNCTIONS 0x8000

/**
 * struct pad_slot - a slot of a table of calls
 * @key: the call that has it, see pad_call_key(); 0 if the slot is free
 * @began: when the call began: the time stamp counter
 */
struct pad_slot {
	u64 key;
	u64 began;
};

/**
 * pad_call_key() - get the key of a call
 * @id: number of the function
 * @sp: the stack pointer at the function's entry, which is that at its return instruction
 *
 * Linux gives no program memory above 2^47 that does not ask for it. The keys of two calls on
 * stacks there may be the same.
 */
static inline u64 pad_call_key(u16 id, u64 sp)
{
	return sp | (u64)id << 48;
}

/*
 * Get the number of the slot of a call in its table. PAD_SLOT_BUSY, the highest bit, only changes
 * the highest bit of the product, which is left out.
 */
static inline unsigned int pad_slot_of(u64 key)
{
	return key * PAD_HASH >> (63 - PAD_SLOTS_LOG) & (PAD_SLOTS - 1);
}

/**
 * struct pad_timing - the function whose calls pads time
 * @table: address of its table of calls: PAD_SLOTS slots; a multiple of the page size
 * @at: address of the struct pad_values with the times in nanoseconds, a multiple of 8; of a
 *	PAD_END; with @mask, of that of processor 0
 * @ns: nanoseconds of 2^32 ticks of the time stamp counter, of a PAD_END
 * @mask: as pad_counter::mask, for @at
 * @id: number of the function
 * @below: how many bytes the stack pointer is below that at the entry
 */
struct pad_timing {
	u64 table;
	u64 at;
	u64 ns;
	u32 mask;
	u16 id;
	u16 below;
};

/**
 * enum pad_step_kind - what a step of a pad does
 * @PAD_CHECK: compare a register with a number; if the condition does not hold, the hit is none
 * @PAD_COUNT: increment a counter
 * @PAD_ADD: add a value to a histogram, or trap
 * @PAD_RECORD: record the hit in a ring, or trap if the ring is full
 * @PAD_BEGIN: note in the table of calls that a call begins, or trap if its slot is not free
 * @PAD_END: take a call out of the table, and add its time to a histogram; trap if it is not there
 * @PAD_TO_TRAP: trap
 */
enum pad_step_kind {
	PAD_CHECK,
	PAD_COUNT,
	PAD_ADD,
	PAD_RECORD,
	PAD_BEGIN,
	PAD_END,
	PAD_TO_TRAP,
};

/**
 * struct pad_step - a step of a pad; plain data, but for loads
 * @kind: enum pad_step_kind
 * @check: the condition, of a PAD_CHECK
 * @counter: the counter, of a PAD_COUNT
 * @histogram: the values, of a PAD_ADD
 * @recording: what is recorded, of a PAD_RECORD
 * @timing: the function, of a PAD_BEGIN or a PAD_END
 */
struct pad_step {
	u8 kind;
	union {
		struct pad_condition check;
		struct pad_counter counter;
		struct pad_histogram histogram;
		struct pad_recording recording;
		struct pad_timing timing;
	};
};

/** PAD_STEPS - the largest number of steps of a pad: conditions, and what is done if they hold. */
#define PAD_STEPS (PAD_CONDITIONS + 1)

/**
 * struct pad - a pad to be written; plain data
 * @pun: the instructions that the jump covers
 * @addr: address of the first instruction in the program
 * @saves: the pad must leave all flags as they are, see pad_saves(). The processor must have lahf
 *	and sahf in 64-bit mode (CPUID 80000001h, ECX bit 0).
 * @nr: number of @steps, at least 1
 * @steps: what the pad does; the last step, and no other one, is no PAD_CHECK
 */
struct pad {
	struct pun pun;
	u64 addr;
	bool saves;
	u8 nr;
	struct pad_step steps[];
};

/* Get what a pad does if all conditions hold. */
static inline const struct pad_step *pad_action(const struct pad *pad)
{
	return &pad->steps[pad->nr - 1];
}

static inline bool pad_does(const struct pad *pad, enum pad_step_kind kind)
{
	return pad_action(pad)->kind == kind;
}

/* Check whether a pad is at the begin or the end of calls that are timed. */
static inline bool pad_times(const struct pad *pad)
{
	return pad_does(pad, PAD_BEGIN) || pad_does(pad, PAD_END);
}

/* Check whether a pad records. */
static inline bool pad_records(const struct pad *pad)
{
	return pad_does(pad, PAD_RECORD);
}

/* Check whether a pad has a histogram for each key. */
static inline bool pad_has_keys(const struct pad *pad)
{
	return pad_does(pad, PAD_ADD) && pad_action(pad)->histogram.key.size;
}

/* Get what a pad loads from memory, and their number. */
static inline const struct pad_load *pad_loads(const struct pad *pad, unsigned int *nr)
{
	const struct pad_step *action = pad_action(pad);

	*nr = pad_records(pad) ? action->recording.nr_loads :
	      pad_does(pad, PAD_ADD) ? action->histogram.nr_loads : 0;
	return pad_records(pad) ? action->recording.loads : action->histogram.loads;
}

/* Check whether a pad needs rcx and rdx, and has a tail. */
static inline bool pad_has_tail(const struct pad *pad)
{
	return pad_records(pad) || pad_does(pad, PAD_ADD) || pad_times(pad);
}

/* Get the mask for the counters or histograms of the processors; 0 if a pad has one for all. */
static inline u32 pad_cpu_mask(const struct pad *pad)
{
	switch (pad_action(pad)->kind) {
	case PAD_COUNT:
		return pad_action(pad)->counter.mask;
	case PAD_ADD:
		return pad_action(pad)->histogram.mask;
	case PAD_END:
		return pad_action(pad)->timing.mask;
	default:
		return 0;
	}
}

/* Check whether a pad increments a counter of the processor. */
static inline bool pad_counts_apart(const struct pad *pad)
{
	return pad_does(pad, PAD_COUNT) && pad_cpu_mask(pad);
}

/* Check whether a pad uses the stack of the program. */
static inline bool pad_uses_stack(const struct pad *pad)
{
	return pad->saves || pad_has_tail(pad) || pad_counts_apart(pad);
}

/**
 * struct pad_layout - offsets in a pad
 * @copies: the copy of each covered instruction
 * @trap: the instruction that traps, if the pad does not only count
 * @tail: the code behind the copies for hits that trap all the same; 0 if there is none
 * @record: the instruction at which a record begins, if the pad records
 * @loads: the instruction from which on a pad loads from memory; 0 if it does not
 * @loaded: the instruction behind its loads
 * @commit: the instruction that ends a record
 */
struct pad_layout {
	u16 copies[PUN_INSNS];
	u16 trap;
	u16 tail;
	u16 record;
	u16 loads;
	u16 loaded;
	u16 commit;
};

/* Check whether the offset of an instruction in a pad is in the copies, or in the jump back. */
static inline bool pad_in_copies(const struct pad_layout *layout, u64 offset)
{
	return offset >= layout->copies[0] && (!layout->tail || offset < layout->tail);
}

/**
 * enum pad_flags - where the status flags of the program are
 * @PAD_FLAGS_KEPT: in the flags register; a bare pad has changed some that are of no more use
 * @PAD_FLAGS_TAKEN: in ah, and OF is the lowest bit of al. If rax was pushed after that, that is in
 *	pad_state::status
 * @PAD_FLAGS_ADDED: in ah, and OF is the highest bit of al
 */
enum pad_flags {
	PAD_FLAGS_KEPT,
	PAD_FLAGS_TAKEN,
	PAD_FLAGS_ADDED,
};

/**
 * enum pad_owed - what the hit of a thread that leaves a pad still lacks
 * @PAD_OWES_NOTHING: nothing
 * @PAD_OWES_SUM: the sum of a histogram lacks the value
 * @PAD_OWES_VALUE: the bucket lacks it, too
 * @PAD_OWES_BEGIN: the slot of the call has PAD_SLOT_BUSY, and perhaps no time
 */
enum pad_owed {
	PAD_OWES_NOTHING,
	PAD_OWES_SUM,
	PAD_OWES_VALUE,
	PAD_OWES_BEGIN,
};

/**
 * struct pad_debt - what a hit lacks, and with what value
 * @owes: enum pad_owed
 * @value: the value that a histogram lacks
 * @at: with keys, the address of that histogram
 */
struct pad_debt {
	u8 owes;
	u64 value;
	u64 at;
};

/**
 * struct pad_state - the state of the program that an address inside a pad stands for
 * @ip: the program's ip
 * @sp: number to add to the stack pointer
 * @flags: where its flags are
 * @ax: its rax is this word from the stack pointer on, before @sp is added; -1 if it is in rax
 * @cx: likewise for its rcx
 * @dx: likewise for its rdx
 * @status: likewise for rax with the flags
 * @counted: @ip is the address of the hit, and the hit is counted, or has trapped, if it passes the
 *	filter: when the thread comes there again, that is the same hit
 * @owes: enum pad_owed
 * @value: the value that a histogram lacks is this word, as for @ax; -1 if it is in rdx
 */
struct pad_state {
	u64 ip;
	s16 sp;
	u8 flags;
	s8 ax;
	s8 cx;
	s8 dx;
	s8 status;
	bool counted;
	u8 owes;
	s8 value;
};

#endif /* UPROBES_ARCH_X86_PAD_TYPES_H */
