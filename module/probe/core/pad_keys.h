/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys by which pads tell values apart.
 */
#ifndef _UPROBES_PAD_KEYS_H
#define _UPROBES_PAD_KEYS_H

#include <linux/spinlock.h>

#include <uprobes/uprobes.h>

#include "consumer_types.h"
#include "jump_types.h"

/**
 * struct pad_keys - the table of keys of a pad: what the module has put into the shared pages
 * @lock: held to write the other fields, and the table
 * @id: uprobe_keys::__id of the keys that it is for; 0 if it is for none yet
 * @entered: a bit for each place of a key that is in the table
 * @full: all places are taken, and it has been tried to enter all keys
 * @used: the number of keys in each set
 *
 * It lives as long as the pages, and is charged with them to the program.
 */
struct pad_keys {
	raw_spinlock_t lock;
	u64 id;
	u64 entered;
	bool full;
	u8 used[PAD_KEY_SETS];
};

u64 keys_id(struct uprobe_keys *keys);
unsigned int key_place(struct uprobe_keys *keys, u64 key);
bool key_at(const struct uprobe_keys *keys, unsigned int place, u64 *key);
void pad_keys_begin(const struct cpu_counters *cpus, u64 id);
void pad_keys_hit(const struct site *site, const struct consumer *c, const struct pt_regs *regs);

#endif /* _UPROBES_PAD_KEYS_H */
