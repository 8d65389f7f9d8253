// SPDX-License-Identifier: GPL-2.0
/*
 * Decide whether a site can have a jump, and make it.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "jump_make.h"
#include "arch.h"
#include "core/consumer.h"
#include "core/pad_area.h"
#include "core/probed_mm.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "target/target.h"
#include "text/mapped_file.h"
#include "text/read.h"

/* How much text to look at, from a site on: whether the flags are of use, and what is covered. */
#define TEXT_SEEN	96U

/* The largest number of jumps of a site: each has another work to do. */
#define JUMPS_MAX	8

static const char * const reasons[] = {
	[BARRED_PAGE] = "a jump would cross the end of a page",
	[BARRED_UNREADABLE] = "the text cannot be read",
	[BARRED_NEIGHBOUR] = "another place under the jump is probed, or was",
	[BARRED_SHADOW] = "the copy of its call would not match a shadow stack",
	[BARRED_CPU] = "the flags are in use, and this processor cannot save them",
	[BARRED_GO] = "the flags are in use, and stacks of Go are too small to save them",
	[BARRED_FILTER] = "a condition is on a register that the pad uses",
	[BARRED_CHANGES] = "its conditions have changed too often",
	[BARRED_ROOM] = "there is no room for a pad within reach",
	[BARRED_COVERED] = "threads execute what the jump covers",
	[BARRED_RESUMED] = "signals or debuggers have made threads come back to it",
};

/* Get the reason why a site must not have a jump; NULL if it may have one. */
const char *site_barred(const struct site *site)
{
	u8 why = READ_ONCE(site->barred);

	return why > BARRED_PUN ? pun_refusal_name(why - BARRED_PUN) : reasons[why];
}

/* Keep a site from having a jump.  Context: any. */
void site_bar(struct site *site, enum barred why)
{
	WRITE_ONCE(site->barred, why);
}

/* Drop what a maker holds.  Context: any. */
void jump_maker_end(struct jump_maker *maker)
{
	text_reader_end(&maker->text);
	if (maker->file)
		fput(maker->file);
	maker->file = NULL;
}

/* Check whether a file is a program in Go, whose stacks are small. */
static bool is_go(struct jump_maker *maker, unsigned long addr)
{
	struct uprobe place = {};
	struct target target;

	place.file = mapped_file(maker->pmm->mm, addr, &place.offset);
	if (!place.file)
		return true;
	/* To open the file takes longer than all the rest, and the next site is in the same one. */
	if (maker->file && file_inode(maker->file) == file_inode(place.file)) {
		fput(place.file);
		return maker->go;
	}
	if (maker->file)
		fput(maker->file);
	maker->file = place.file;
	maker->go = true;
	if (!target_open(&target, &place)) {
		maker->go = target.go;
		target_close(&target);
	}
	return maker->go;
}

/*
 * Undo our breakpoints and jumps in text that was read.  Return false if a site is under the jump.
 * A jump that is being erased may have been read in part, so do not look whether it is there.
 */
static bool text_clean(struct site *site, u8 *text, unsigned int len)
{
	unsigned long addr = site->key.addr;
	struct site *other;

	for (other = site; other && other->key.addr < addr + len; other = pmm_next_site(other)) {
		unsigned int at = other->key.addr - addr;

		if (other != site && at < PUN_LEN)
			return false;
		if (other->jumps)
			memcpy(text + at, other->jumps->pad.pun.text, min(PUN_LEN, len - at));
		else if (text[at] == ARCH_BREAKPOINT && other->kind == SITE_PROBE)
			text[at] = other->plan.text[0];
	}
	return true;
}

/* Decide whether a site can have a jump.  @pad says what it does; fill in the rest. */
static enum barred pad_decide(struct jump_maker *maker, struct site *site, struct pad *pad)
{
	unsigned long addr = site->key.addr;
	unsigned int len = min_t(unsigned int, TEXT_SEEN, PAGE_SIZE - offset_in_page(addr));
	enum pun_refusal why;
	u8 text[TEXT_SEEN];
	int got;

	if (len < PUN_LEN)
		return BARRED_PAGE;
	got = text_reader_read(&maker->text, addr, text, len);
	if (got != (int)len)
		return BARRED_UNREADABLE;
	if (!text_clean(site, text, len))
		return BARRED_NEIGHBOUR;
	why = pun_decide(&pad->pun, text, len);
	if (why)
		return BARRED_PUN + why;
	if (pad->pun.calls && arch_stacks_fixable())
		return BARRED_SHADOW;
	pad->addr = addr;
	pad->saves = pad_saves(&pad->filter, text, len);
	if (pad->saves && !arch_pads_save())
		return BARRED_CPU;
	if (pad->saves && is_go(maker, addr))
		return BARRED_GO;
	return pad_filter_fits(pad) ? BARRED_NOT : BARRED_FILTER;
}

/**
 * site_pad_work() - find out what a pad would do for the consumers of a site
 * @site: the site
 * @work: filled in
 *
 * Either all consumers only count.  Or all have conditions.  If several have conditions, these are
 * the same.
 *
 * Context: probed_mm::lock held.
 * Return: false if the consumers need a trap for each hit.
 */
bool site_pad_work(const struct site *site, struct pad_work *work)
{
	static const struct pad_filter none;
	const struct pad_filter *conditions;
	const struct attachment *a;
	const struct filter *filter;
	bool first = true, same = true;

	memset(work, 0, sizeof(*work));
	list_for_each_entry(a, &site->attachments, in_site) {
		rcu_read_lock();
		filter = rcu_dereference(a->consumer->filter);
		conditions = filter ? &filter->pad : &none;
		if (first)
			work->filter = *conditions;
		else
			same = pad_filter_same(&work->filter, conditions);
		rcu_read_unlock();
		work->counts = a->consumer->counts && (first || work->counts);
		first = false;
		if (!same || !READ_ONCE(a->consumer->run.live))
			return false;
	}
	return !first && (work->counts || work->filter.nr);
}

/* Check whether the pad of a jump does this work. */
bool jump_does(const struct jump *jump, const struct pad_work *work)
{
	return jump->pad.counts == work->counts &&
	       pad_filter_same(&jump->pad.filter, &work->filter);
}

/**
 * jump_make() - make a jump of a site
 * @maker: makes several jumps; jump_maker_end() comes after the last one
 * @site: the site, without a jump in the text
 * @work: what its pad is to do
 *
 * If the site has had such a jump before, it is used again.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: the jump.  NULL if there is no memory, or, with the site barred, if it cannot have one.
 */
struct jump *jump_make(struct jump_maker *maker, struct site *site, const struct pad_work *work)
{
	struct jump *jump;
	enum barred why;
	unsigned int n = 0;
	int ret;

	for (jump = site->jumps; jump; jump = jump->older, n++) {
		if (jump_does(jump, work))
			return jump;
	}
	if (n == JUMPS_MAX) {
		site_bar(site, BARRED_CHANGES);
		return NULL;
	}
	jump = kzalloc(sizeof(*jump), SSOL_GFP);
	if (!jump)
		return NULL;
	jump->site = site;
	jump->older = site->jumps;
	INIT_LIST_HEAD(&jump->in_pmm);
	jump->pad.filter = work->filter;
	jump->pad.counts = work->counts;
	why = pad_decide(maker, site, &jump->pad);
	ret = why || jump->pad.counts ? 0 : site_alloc_pad(jump);
	/* Last: the area has the jump from then on. */
	if (!why && !ret)
		ret = pad_place(maker->pmm, jump);
	if (!why && !ret) {
		/* Traps find it from now on, complete. */
		smp_store_release(&site->jumps, jump);
		if (jump->trap)
			site_add_pad(jump);
		return jump;
	}
	if (jump->trap)
		site_free(jump->trap);
	kfree(jump);
	if (ret != -ENOMEM)
		site_bar(site, why ?: BARRED_ROOM);
	return NULL;
}
