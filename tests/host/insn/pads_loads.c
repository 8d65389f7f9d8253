// SPDX-License-Identifier: GPL-2.0
/*
 * What the loads of a pad give: a model of them.
 */
#include "pads_loads.h"

#include <string.h>

#define KEYS		0x39000000ull

/* The words that a pad pushes are below the red zone. */
#define PUSHED		(5 * 8)
#define RED_ZONE	128

#define FLAGS_AC	0x40000

/* Get the last word of the stack that a pad reads, or a register. */
static int last_read(const struct pad *pad)
{
	const struct pad_step *action = pad_action(pad);
	const struct pad_load *loads;
	unsigned int nr, i;
	int last = 0;

	if (action->kind == PAD_ADD)
		last = action->histogram.value.reg > action->histogram.key.reg ?
		       action->histogram.value.reg : action->histogram.key.reg;
	else if (action->kind == PAD_RECORD && action->recording.nr)
		last = action->recording.regs[action->recording.nr - 1];
	loads = pad_loads(pad, &nr);
	for (i = 0; i < nr; i++)
		if (loads[i].from > last)
			last = loads[i].from;
	return last;
}

bool pads_cross(const struct pad *pad, u64 sp)
{
	u64 pushed = sp - RED_ZONE - (pad->saves ? 4 : 3) * sizeof(u64);
	int last = last_read(pad);

	return last >= PAD_WORD &&
	       ((sp + ((u64)last - PAD_WORD + 1) * sizeof(u64) - 1) ^ pushed) >> 12;
}

static bool meets(u64 at, u64 len, u64 from, u64 size)
{
	return at + len < at || (at < from + size && at + len > from);
}

/* Read the program's memory. */
static enum pads_loaded read_at(const struct layout *layout,
				const struct user_regs_struct *regs, u64 at, u64 len, u64 *to)
{
	if (regs->eflags & FLAGS_AC && at % len)
		return PADS_FAULTS;
	for (int i = 0; i < NR_REGIONS; i++) {
		u64 from = layout->at[i];
		bool plain = i == REGION_DATA || i == REGION_STACK || i == REGION_LOW;

		if (!from || !region_of((enum region)i) || !meets(at, len, from, 8 * DATA_SIZE))
			continue;
		if (!plain)
			return PADS_UNKNOWN;
		if (!meets(at, len, from, DATA_SIZE))
			continue;
		if (at < from || at + len > from + DATA_SIZE)
			return PADS_FAULTS;
		if (meets(at, len, regs->rsp - RED_ZONE - PUSHED, PUSHED))
			return PADS_UNKNOWN;
		*to = 0;
		memcpy(to, region_of((enum region)i) + (at - from), len);
		return PADS_LOADED;
	}
	return meets(at, len, KEYS, 1 << 20) ? PADS_UNKNOWN : PADS_FAULTS;
}

static bool has_end(u64 word)
{
	for (int i = 0; i < 8; i++)
		if (!(word >> 8 * i & 0xff))
			return true;
	return false;
}

enum pads_loaded pads_load(const struct pad *pad, const struct layout *layout,
			   const struct user_regs_struct *regs, u64 (*value)(int reg), u64 *words)
{
	const struct pad_load *load;
	unsigned int nr;

	for (load = pad_loads(pad, &nr); nr; nr--, load++) {
		u64 at = value(load->from), size = load->string ? 8 : load->size;
		enum pads_loaded ret = PADS_LOADED;
		unsigned int k, n = pad_load_words(load);

		for (k = 0; !ret && k + 1 < load->steps; k++)
			ret = read_at(layout, regs, at + (u64)(s64)load->offset[k], 8, &at);
		at += (u64)(s64)load->offset[load->steps - 1];
		for (k = 0; !ret && k < n; k++) {
			ret = read_at(layout, regs, at + 8 * k, size, &words[k]);
			if (!ret && load->string && has_end(words[k]))
				break;
		}
		if (ret)
			return ret;
		if (load->string && k == n)
			return PADS_ENDLESS;
		words += n;
	}
	return PADS_LOADED;
}

bool pads_same_loads(const struct pad_recording *r, const u64 *is, const u64 *words)
{
	for (int i = 0; i < r->nr_loads; i++) {
		unsigned int n = pad_load_words(&r->loads[i]);

		for (unsigned int k = 0; k < n; k++) {
			if (is[k] != words[k])
				return false;
			if (r->loads[i].string && has_end(words[k]))
				break;
		}
		is += n;
		words += n;
	}
	return true;
}

void pads_load_fault(struct stop *stop, u64 at, const struct pad_layout *parts)
{
	u64 offset = stop->cpu.regs.rip - at;

	if ((stop->sig != SIGSEGV && stop->sig != SIGBUS) || !parts->loads ||
	    offset < parts->loads || offset >= parts->loaded)
		return;
	stop->cpu.regs.rip = at + parts->tail;
	stop->sig = SIGTRAP;
	stop->info.si_code = TRAP_TRACE;
}
