// SPDX-License-Identifier: GPL-2.0
/*
 * The keys by which pads tell values apart.
 *
 * All processes that a probe is in share the places of its keys.  Each pad has a table of the keys
 * that hits have met there.  If the pad does not find its key, the hit traps, and the key gets into
 * the table.  When all places are taken, all keys get there, and the values of all others go to one
 * histogram from then on.
 */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "pad_keys.h"
#include "arch.h"
#include "site.h"

static_assert(UPROBE_KEYS == PAD_KEYS);
static_assert(BITS_PER_TYPE(u64) == PAD_KEYS);

/* A key is kept with these bits flipped; 0 is a free place.  This key itself has no place. */
#define KEY_FLIP	PAD_HASH

/**
 * key_place() - find the place of a key, or take one
 * @keys: the keys
 * @key: the key
 *
 * Context: any.
 * Return: the place; %UPROBE_KEYS if the key has none.
 */
unsigned int key_place(struct uprobe_keys *keys, u64 key)
{
	s64 flipped = key ^ KEY_FLIP, was;
	unsigned int i;

	for (i = 0; i < UPROBE_KEYS && flipped; i++) {
		was = READ_ONCE(keys->__keys[i]);
		if (!was)
			was = cmpxchg64(&keys->__keys[i], 0, flipped);
		if (!was || was == flipped)
			return i;
	}
	return UPROBE_KEYS;
}

/* Get the key of a place.  Context: any.  Return false if the place is free. */
bool key_at(const struct uprobe_keys *keys, unsigned int place, u64 *key)
{
	u64 flipped = place < UPROBE_KEYS ? READ_ONCE(keys->__keys[place]) : 0;

	*key = flipped ^ KEY_FLIP;
	return flipped;
}

/* Check whether all places are taken.  They are taken in ascending order. */
static bool all_taken(const struct uprobe_keys *keys)
{
	return READ_ONCE(keys->__keys[UPROBE_KEYS - 1]);
}

/* Get a number that tells keys from all others that have ever been registered.  Context: any. */
u64 keys_id(struct uprobe_keys *keys)
{
	static atomic64_t last;

	/* One registration of a probe at a time */
	if (!keys->__id)
		keys->__id = atomic64_inc_return(&last);
	return keys->__id;
}

/* Get a set of the table, in the shared pages. */
static struct pad_key_set *set_at(const struct cpu_counters *cpus, unsigned int nr)
{
	const unsigned int in_page = PAGE_SIZE / sizeof(struct pad_key_set);

	return (struct pad_key_set *)page_address(cpus->pages[nr / in_page]) + nr % in_page;
}

/* Get the word that lets pads add the values of all other keys. */
static u64 *open_of(const struct cpu_counters *cpus)
{
	static_assert(sizeof(struct pad_values) <= PAD_KEYS_OPEN);
	return (u64 *)pad_values_of(NULL, cpus, PAD_KEYS) + PAD_KEYS_OPEN / sizeof(u64);
}

/**
 * pad_keys_begin() - have the table of a pad be for the keys of a consumer from now on
 * @cpus: its pages, with a table
 * @id: consumer_pads::keys_id
 *
 * The table stays as it is if it is for these keys.  Otherwise it becomes empty.
 *
 * Context: any; its histograms are empty.
 */
void pad_keys_begin(const struct cpu_counters *cpus, u64 id)
{
	struct pad_keys *keys = cpus->keys;
	unsigned int nr, way;
	unsigned long flags;

	if (keys->id == id)
		return;
	raw_spin_lock_irqsave(&keys->lock, flags);
	keys->id = id;
	WRITE_ONCE(keys->entered, 0);
	WRITE_ONCE(keys->full, false);
	WRITE_ONCE(*open_of(cpus), 0);
	for (nr = 0; nr < PAD_KEY_SETS; nr++) {
		for (way = 0; way < PAD_KEY_WAYS; way++)
			WRITE_ONCE(set_at(cpus, nr)->ways[way].key, pad_key_none(nr));
		keys->used[nr] = 0;
	}
	raw_spin_unlock_irqrestore(&keys->lock, flags);
}

/* Put a key into the table.  Return false if its set has no room. */
static bool key_enter(const struct cpu_counters *cpus, u64 key, unsigned int place)
{
	struct pad_keys *keys = cpus->keys;
	unsigned int nr = pad_key_set_of(key);
	struct pad_key *way;

	if (keys->entered & BIT_ULL(place))
		return true;
	if (keys->used[nr] == PAD_KEY_WAYS)
		return false;
	way = &set_at(cpus, nr)->ways[keys->used[nr]++];
	WRITE_ONCE(way->at, place * PAD_COUNTER_STRIDE);
	/* A pad that finds the key finds its histogram. */
	smp_wmb();
	WRITE_ONCE(way->key, key);
	WRITE_ONCE(keys->entered, keys->entered | BIT_ULL(place));
	return true;
}

/* Put all keys into the table.  If it has room for all, no other key traps any more. */
static void keys_enter_all(const struct cpu_counters *cpus, const struct uprobe_keys *of)
{
	unsigned int place;
	bool all = true;
	u64 key;

	WRITE_ONCE(cpus->keys->full, true);
	for (place = 0; place < PAD_KEYS; place++)
		all &= key_at(of, place, &key) && key_enter(cpus, key, place);
	/* A pad loads this before it looks for its key. */
	smp_wmb();
	if (all)
		WRITE_ONCE(*open_of(cpus), 1);
}

static u64 extend(u64 number, const struct pad_operand *operand)
{
	unsigned int unused = 64 - 8 * operand->size;

	number <<= unused;
	return operand->is_signed ? (s64)number >> unused : number >> unused;
}

/* Read a number in memory, which takes the place of the address. */
static bool memory_read(u64 *number, s32 offset, size_t size)
{
	unsigned long addr = *number + offset;

	*number = 0;
	return !copy_from_user_nofault(number, (void __user *)addr, size);
}

/* Read a register, or a word of the stack. */
static bool operand_read(unsigned int reg, const struct pt_regs *regs, u64 *number)
{
	*number = reg < PAD_WORD ? arch_reg_get(regs, reg) : regs->sp;
	return reg < PAD_WORD ||
	       memory_read(number, sizeof(*number) * (reg - PAD_WORD), sizeof(*number));
}

/* Read the key of a hit. */
static bool key_read(const struct pad_histogram *h, const struct pt_regs *regs, u64 *key)
{
	const struct pad_load *load = h->key.load ? &h->loads[h->key.load - 1] : NULL;
	unsigned int i, last = load ? load->steps - 1 : 0;

	if (!operand_read(load ? load->from : h->key.reg, regs, key))
		return false;
	for (i = 0; load && i <= last; i++) {
		if (!memory_read(key, load->offset[i], i == last ? load->size : sizeof(*key)))
			return false;
	}
	*key = extend(*key, &h->key);
	return true;
}

/**
 * pad_keys_hit() - have pads add the values of a key, whose hit has trapped
 * @site: the site
 * @c: its only consumer, which has keys and is live
 * @regs: user registers
 *
 * Context: the trap; RCU read side.
 */
void pad_keys_hit(const struct site *site, const struct consumer *c, const struct pt_regs *regs)
{
	struct uprobe_keys *of = c->u->histogram->keys;
	const struct jump *jump = site_jump(site);
	struct pad_keys *keys;
	unsigned int place;
	unsigned long flags;
	u64 key;

	if (!jump || !pad_has_keys(&jump->pad) || !key_read(&c->pads.histogram, regs, &key))
		return;
	keys = jump->cpus->keys;
	place = key_place(of, key);
	/* Such a hit traps for another reason. */
	if (place < PAD_KEYS ? READ_ONCE(keys->entered) & BIT_ULL(place) : READ_ONCE(keys->full))
		return;
	raw_spin_lock_irqsave(&keys->lock, flags);
	if (keys->id == c->pads.keys_id && place < PAD_KEYS)
		key_enter(jump->cpus, key, place);
	if (keys->id == c->pads.keys_id && !keys->full && all_taken(of))
		keys_enter_all(jump->cpus, of);
	raw_spin_unlock_irqrestore(&keys->lock, flags);
}
