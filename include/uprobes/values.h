/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values and times of hits that are added up in the program, without calling a handler.
 */
#ifndef _UPROBES_VALUES_H
#define _UPROBES_VALUES_H

#include <linux/types.h>

struct uprobe;

/**
 * define UPROBE_BUCKETS - number of buckets of a histogram
 *
 * Values below 8 have a bucket each.  Then there are eight buckets for each power of two: a value v
 * of 2^n or more, but less than 2^(n+1), is in bucket 8 * (n - 3) + (v >> (n - 3)).
 */
#define UPROBE_BUCKETS		496

/**
 * struct uprobe_values - values that were added to a histogram
 * @sum: their sum, modulo 2^64
 * @least: the least one; the largest number if there is none
 * @largest: the largest one
 * @buckets: how many of them are in a bucket
 */
struct uprobe_values {
	u64 sum;
	u64 least;
	u64 largest;
	u64 buckets[UPROBE_BUCKETS];
};

/**
 * struct uprobe_number - a number of the program at a hit: in a register, on the stack, in memory
 * @reg: the register, by its offset in struct pt_regs: see UPROBE_REG()
 * @word: it is the word of the stack at 8 * @reg above the stack pointer; @reg is below 16
 * @size: how many of the lower bytes are the number: 1, 2, 4 or 8
 * @is_signed: they are a signed number
 * @load: if it is not 0, the number is @load - 1 of uprobe::ring_loads, which has the same size and
 *	is no string; @reg and @word are 0
 */
struct uprobe_number {
	u16 reg;
	bool word;
	u8 size;
	bool is_signed;
	u8 load;
};

/**
 * define UPROBE_KEYS - so many keys have places of their own in struct uprobe_keys
 */
#define UPROBE_KEYS		64

/**
 * struct uprobe_keys - the keys by which the values of a probe are told apart
 * @number: the key of a hit, extended to 64 bits
 *
 * The first %UPROBE_KEYS keys that are met have places of their own; all others share one.  The
 * structure takes 254 KiB.  It belongs to one histogram, and stays as long as that.  All other
 * fields are zero before the first registration.
 */
struct uprobe_keys {
	struct uprobe_number number;

	/* private: a number; the keys, changed so that none is 0; what earlier ones have added */
	u64 __id;
	s64 __keys[UPROBE_KEYS];
	struct uprobe_values __values[UPROBE_KEYS + 1];
};

/**
 * struct uprobe_histogram - a value of each hit that may be added up in the program
 * @value: the value
 * @keys: optional: there is a histogram for each of these keys
 *
 * It belongs to one probe.  It stays at its address as long as the probe does, and all other fields
 * are zero before the first registration.
 */
struct uprobe_histogram {
	struct uprobe_number value;
	struct uprobe_keys *keys;

	/* private: without keys, what earlier registrations have added */
	struct uprobe_values __values;
};

/**
 * struct uprobe_timer - the times of the calls of a function
 * @entry: the probe on the first instruction of the function.  All other probes with this timer
 *	are on its return instructions, or on instructions in front of these from which each
 *	execution goes on to the return; in the same file or process.
 *
 * It stays at its address as long as these probes are registered, and all other fields are zero
 * before the first registration.
 */
struct uprobe_timer {
	const struct uprobe *entry;

	/* private: what earlier registrations and handlers have added; @least is inverted */
	struct uprobe_values __values;
	u64 __left;
};

/**
 * uprobe_histogram() - read the values of the hits that were added up in programs
 * @u: the probe, registered or not, with a histogram
 * @values: filled in
 *
 * The hits for which handlers were called are not among them, and uprobe_counts() has only these.
 * No negative value is added.  The least and the largest value may be those of a hit whose handler
 * was called, in the bucket of a value that was added.  The caller must not register or unregister
 * @u during the call.  A program can write to its histogram.  The module accepts no more values
 * than a program can have added in its time, and a sum that they can have.
 *
 * Context: may sleep.
 */
void uprobe_histogram(const struct uprobe *u, struct uprobe_values *values);

/**
 * uprobe_histogram_of() - read the values that were added up in programs for one key
 * @u: the probe, registered or not, with a histogram
 * @place: the place of the key, or %UPROBE_KEYS for all keys without one; 0 if there are no keys
 * @values: filled in
 *
 * For the rest, it is as uprobe_histogram(), which reads the values of all keys.  What a program
 * can have added in its time holds for each key.
 *
 * Context: may sleep.
 */
void uprobe_histogram_of(const struct uprobe *u, unsigned int place, struct uprobe_values *values);

/**
 * uprobe_key_place() - find the place of a key, or take one
 * @keys: the keys
 * @key: the key
 *
 * A handler thus tells the same keys apart as programs do.
 *
 * Context: any.
 * Return: the place; %UPROBE_KEYS if the key has none.  The key 0x9e3779b97f4a7c15 never has one.
 */
unsigned int uprobe_key_place(struct uprobe_keys *keys, u64 key);

/**
 * uprobe_key_at() - get the key of a place
 * @keys: the keys
 * @place: the place
 * @key: set to the key
 *
 * Context: any.
 * Return: false if no key has the place.
 */
bool uprobe_key_at(const struct uprobe_keys *keys, unsigned int place, u64 *key);

/**
 * uprobe_times() - read the times of the calls of a function
 * @timer: the timer
 * @ends: the probes on the return instructions, registered or not
 * @n: number of @ends
 * @values: filled in: the times in nanoseconds, those of uprobe_time_add() included
 *
 * The caller must not register or unregister the probes during the call.  A program can write to
 * its times: what uprobe_histogram() says holds here, too.
 *
 * Context: may sleep.
 * Return: the number of calls known to have been left without a return, by longjmp() for example:
 * another call has replaced them.  Calls of which only a handler knows are not among them.  A call
 * during which the probes were registered, enabled or disabled may be.
 */
u64 uprobe_times(struct uprobe_timer *timer, struct uprobe *const *ends, unsigned int n,
		 struct uprobe_values *values);

/**
 * uprobe_time_add() - add the time of a call
 * @timer: the timer
 * @ns: the time, in nanoseconds
 *
 * Context: any.
 */
void uprobe_time_add(struct uprobe_timer *timer, u64 ns);

/**
 * uprobe_call_time() - get the time of the call that ends with this hit
 * @ns: set to the time, in nanoseconds
 *
 * Context: the handler of a probe with a timer, on a return instruction.
 * Return: false if the module does not know the call: a handler was called when it began, or it has
 * begun before the probes were there.
 */
bool uprobe_call_time(u64 *ns);

#endif /* _UPROBES_VALUES_H */
