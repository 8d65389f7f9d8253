// SPDX-License-Identifier: GPL-2.0
/*
 * Prepare sites: analyse the text, and make a slot for the instruction.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/file.h>
#include <linux/ratelimit.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "prepare.h"
#include "arch.h"
#include "attach_types.h"
#include "attachment.h"
#include "slot_batch.h"
#include "ssol.h"
#include "sync.h"
#include "base/hooks.h"
#include "core/attached.h"
#include "core/consumer.h"
#include "core/plan.h"
#include "core/probed_mm.h"
#include "core/refusal.h"
#include "core/site.h"
#include "core/site_tree.h"
#include "core/slots.h"
#include "jump/pad_area.h"
#include "jump/ring.h"
#include "text/breakpoint.h"
#include "text/mapped_file.h"
#include "text/owner.h"
#include "text/read.h"
#include "uret/calls.h"

/*
 * Log why a place cannot be probed, and keep it for the client.  A probe on a file can fail in each
 * process, as often as the process maps the file or causes the failure.  So limit the rate of these
 * messages.
 */
static __printf(3, 4) void site_report(struct consumer *c, struct ratelimit_state *limit,
				     const char *fmt, ...)
{
	struct va_format why = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	why.va = &args;
	consumer_refused(c, "%pV", &why);
	if (!c->in_every_process || __ratelimit(limit))
		pr_notice("%pV\n", &why);
	va_end(args);
}

#define site_notice(c, ...)							\
do {										\
	static DEFINE_RATELIMIT_STATE(limit, DEFAULT_RATELIMIT_INTERVAL,	\
				      DEFAULT_RATELIMIT_BURST);			\
										\
	site_report(c, &limit, __VA_ARGS__);					\
} while (0)

/**
 * enum origin - origin of a breakpoint at the address of a site that is being prepared
 * @ORIGIN_NONE: there is no breakpoint, or it is that of the site
 * @ORIGIN_MOVED: this module has inserted it, before mremap() moved the text to this address
 * @ORIGIN_ARMED: it is that of a site which gives way to another one
 * @ORIGIN_OTHER: it has another owner
 */
enum origin {
	ORIGIN_NONE,
	ORIGIN_MOVED,
	ORIGIN_ARMED,
	ORIGIN_OTHER,
};

/*
 * Check whether @text is that of the site, with its breakpoint.  The site was armed in an earlier
 * mapping; the program or a fork has copied the text.
 */
static bool site_text_copied(const struct site *site, const u8 *text, int len)
{
	int want = ssol_len(site->plan);

	return len >= want && text[0] == ARCH_BREAKPOINT &&
	       text_same(text + 1, site->plan->text + 1, want - 1);
}

/*
 * Move a walk to an address: set @walk->next.  The addresses of the requests are in ascending
 * order, and there are mostly few sites between them.
 */
static void walk_to(struct site_walk *walk, unsigned long addr)
{
	struct site *site = walk->next;
	unsigned int steps = 4;

	if (walk->known && addr >= walk->addr) {
		for (; site && site->key.addr < addr && steps--; site = pmm_next_site(site))
			walk->prev = site;
	}
	if (!walk->known || addr < walk->addr || (site && site->key.addr < addr)) {
		site = pmm_first_site(walk->pmm, addr);
		walk->prev = NULL;
	}
	walk->next = site;
	walk->addr = addr;
	walk->known = true;
}

/*
 * Remove the breakpoints of other sites from the bytes that were read of an instruction.  One
 * instruction may have two sites: its first byte, and the byte behind a prefix that other code
 * jumps over.
 */
static void site_text_restore(const struct site_walk *walk, u8 *text, int len)
{
	unsigned long addr = walk->addr;
	struct site *site = walk->next;

	if (site && site->key.addr == addr)
		site = pmm_next_site(site);
	for (; site && site->key.addr < addr + len; site = pmm_next_site(site)) {
		u8 *byte = text + (site->key.addr - addr);

		if (site->kind == SITE_PROBE && site->state != SITE_IDLE &&
		    *byte == ARCH_BREAKPOINT)
			*byte = site->plan->text[0];
	}
}

static bool plan_is_of(const struct ssol_plan *plan, const u8 *text, int len)
{
	return len >= (int)ssol_len(plan) && !memcmp(plan->text, text, ssol_len(plan));
}

/*
 * Check whether this module inserted a breakpoint before mremap() moved the text to @addr.  The
 * task is still in mremap(), or has not reached pmm_moved() yet.  mremap() does not change the
 * offset in the page.
 */
static bool site_text_moved(struct probed_mm *pmm, unsigned long addr, const u8 *text)
{
	struct site *site;

	if (!atomic_read(&pmm->text.moving))
		return false;
	for (site = pmm_first_site(pmm, 0); site; site = pmm_next_site(site)) {
		if (site->kind == SITE_PROBE &&
		    !offset_in_page(site->key.addr ^ addr) &&
		    text_same(text, site->plan->text, ssol_len(site->plan)))
			return true;
	}
	return false;
}

/*
 * Log why the mapping at @addr cannot have breakpoints.  If the mapping of a probed file is gone,
 * log nothing: programs load and unload libraries.  Context: may sleep.
 */
static void site_report_mapping(struct consumer *c, struct mm_struct *mm, unsigned long addr)
{
	struct vm_area_struct *vma;

	mmap_read_lock(mm);
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start > addr)
		vma = NULL;
	if (!c->in_every_process || (vma && !text_probeable(vma)))
		site_notice(c, "0x%lx cannot be probed: %s", addr, text_refusal(vma));
	mmap_read_unlock(mm);
}

/*
 * Read the text that @walk is at, without breakpoints.  The breakpoint of @site, if not NULL, may
 * cover the first byte, unless the program has overwritten it.  So may a breakpoint of another
 * owner.
 */
static int site_read(struct site_walk *walk, struct consumer *c, struct site *site,
		     enum origin *origin, u8 *text)
{
	struct probed_mm *pmm = walk->pmm;
	unsigned long addr = walk->addr;
	int len, ret;

	len = text_reader_read(&walk->text, addr, text, UINSN_MAX_LEN);
	if (len == -EINVAL)
		site_report_mapping(c, pmm->mm, addr);
	else if (len == -EIO)
		site_notice(c, "0x%lx cannot be probed: the text cannot be read", addr);
	if (len < 0)
		return len;

	if (site && (site->state == SITE_ARMED ||
		     (site->state != SITE_IDLE && site_text_copied(site, text, len)))) {
		if (text[0] == ARCH_BREAKPOINT)
			text[0] = site->plan->text[0];
		else
			site_set_idle(site);
	} else if (text[0] == ARCH_BREAKPOINT) {
		ret = owner_text(pmm->mm, addr, text, len);
		if (ret == -EEXIST)
			site_notice(c, "0x%lx cannot be probed: a breakpoint that is not ours is there",
				    addr);
		if (ret)
			return ret;
		*origin = site_text_moved(pmm, addr, text) ? ORIGIN_MOVED : ORIGIN_OTHER;
	}
	site_text_restore(walk, text, len);
	return len;
}

/*
 * Read and analyse the instruction that @walk is at.  Return the plan, which may be in @site, in
 * @c or in @walk.
 */
static const struct ssol_plan *site_analyse(struct site_walk *walk, struct consumer *c,
					    struct site *site, enum origin *origin)
{
	const struct ssol_plan *plan;
	struct probed_mm *pmm = walk->pmm;
	unsigned long addr = walk->addr;
	u8 text[UINSN_MAX_LEN];
	enum ssol_refusal why = SSOL_OK;
	int len, ret;

	walk->changed = false;
	len = site_read(walk, c, site, origin, text);
	if (len < 0)
		return ERR_PTR(len);
	walk->changed = site && site->state == SITE_ARMED && site->owner == OWNER_OURS &&
			!plan_is_of(site->plan, text, len);
	/* If the instruction was analysed before, at the site or in the file, use that plan. */
	ret = 0;
	if (site && plan_is_of(site->plan, text, len)) {
		plan = site->plan;
	} else if (c->insn.plan && c->insn.plan->insn.mode == pmm->mode &&
		   plan_is_of(c->insn.plan, text, len)) {
		plan = c->insn.plan;
	} else {
		ret = ssol_plan_insn(&walk->made, text, len, pmm->mode, &why);
		plan = &walk->made;
	}
	if (ret == -EPERM) {
		site_notice(c, "0x%lx cannot be probed: %s (%*ph)", addr, ssol_refusal_name(why),
			    len, text);
		return ERR_PTR(ret);
	}
	if (ret) {
		site_notice(c, "0x%lx cannot be probed: no instruction is there (%*ph)", addr,
			    len, text);
		return ERR_PTR(-EILSEQ);
	}
	if (owner_is_uprobe_call(pmm->mm, addr, text, len)) {
		site_notice(c, "0x%lx cannot be probed: the kernel's own uprobes have made a call of the nop there",
			    addr);
		return ERR_PTR(-EEXIST);
	}
	return plan;
}

/* Log why slots_add() failed with @ret.  Return the error of the registration. */
static long slot_refused(struct consumer *c, unsigned long addr, long ret)
{
	/* The callers report missing memory, once for all places. */
	if (ret == -ENOMEM)
		return ret;
	if (ret == -ENOSPC) {
		site_notice(c, "0x%lx cannot be probed: no room for the SSOL area within reach",
			    addr);
		return -ENOMEM;
	}
	site_notice(c, "0x%lx cannot be probed: the SSOL area cannot be written, error %ld",
		    addr, ret);
	return ret;
}

static const struct file_place *request_place(const struct attach_request *request)
{
	return request->consumer->file.varies ? &request->place : &request->consumer->file.place;
}

static bool same_place(const struct file_place *a, const struct file_place *b)
{
	return a->inode == b->inode && a->offset == b->offset;
}

/* Check whether the place in a file is mapped at an address. */
static bool mapped_there(struct mm_struct *mm, unsigned long addr, const struct file_place *place)
{
	struct file *file;
	loff_t pos;
	bool same;

	file = mapped_file(mm, addr, &pos);
	if (!file)
		return false;
	same = file_inode(file) == place->inode && pos == place->offset;
	fput(file);
	return same;
}

/* Check whether a consumer is attached for another place in a file. */
static bool attached_stale(const struct consumer *c, const struct attachment *at,
			   const struct file_place *place)
{
	const struct file_place *its = attached_place(c, at);

	return its->inode && !same_place(its, place);
}

/*
 * Detach consumers that were attached at a site, that of a request, in a mapping that is gone:
 * otherwise the breakpoint would be written for a file that is not mapped.  The consumer of the
 * request is attached again afterwards.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
static void site_detach_stale(struct site *site, struct attach_request *request)
{
	const struct file_place *place = request_place(request);
	struct attachment *at;
	struct consumer *c, *next;
	bool stale = false;

	lockdep_assert_held(&site->pmm->lock);
	if (!place->inode || READ_ONCE(site->state) == SITE_ARMED)
		return;
	for_each_attached(c, site, at)
		stale |= attached_stale(c, at, place);
	if (!stale || !mapped_there(site->pmm->mm, request->addr, place))
		return;
	for (c = attached_first(site, &at); c; c = next) {
		stale = attached_stale(c, at, place);
		next = attached_next(&at);
		if (stale)
			site_detach(site, c);
	}
	/* The sync of the site publishes a new consumer set, even if the request fails. */
	site_publish(site, NULL);
	request->site = site;
}

/*
 * Check whether a site can stay: it has its slot, and the instruction is the same.  Note the origin
 * of a breakpoint.
 */
static bool site_keep(struct site *site, const struct ssol_plan *plan, enum origin origin)
{
	if (site->slot_nr == SLOT_NR_NONE || ssol_len(plan) != ssol_len(site->plan) ||
	    memcmp(plan->text, site->plan->text, ssol_len(plan)))
		return false;
	if (origin == ORIGIN_OTHER)
		WRITE_ONCE(site->owner, OWNER_OTHER_FIRST);
	else if (origin == ORIGIN_MOVED && site->state == SITE_IDLE)
		WRITE_ONCE(site->state, SITE_INHERITED);
	return true;
}

/* Get a reference to a plan from site_analyse(), or NULL. */
static const struct ssol_plan *walk_plan(const struct site_walk *walk, const struct ssol_plan *plan)
{
	if (plan != &walk->made)
		return plan_get(plan);
	/* The text differs from the file, or no file is probed: the program is charged. */
	return plan_make(plan, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

/* Make a site with a slot for the instruction.  If @old is not NULL, replace it. */
static struct site *site_make(struct site_walk *walk, const struct ssol_plan *plan,
			      enum origin origin, struct site *old, struct consumer *c)
{
	struct probed_mm *pmm = walk->pmm;
	unsigned long addr = walk->addr;
	struct site *site;
	bool step = false;
	long slot;
	int ret;

	if (ssol_is_syscall(plan))
		hook_ops->watch_syscalls();
	/* A slot goes only with its site: allocate that first. */
	site = site_alloc(pmm, addr, SITE_PROBE, &walk->stock);
	walk->no_memory = !site;
	if (!site)
		return ERR_PTR(-ENOMEM);
	site->plan = walk_plan(walk, plan);
	slot = site->plan ? slots_add(&walk->slots, plan, addr, &step) : -ENOMEM;
	site->step = step;
	if (slot >= 0)
		site->slot_nr = ++pmm->areas.slots_made;
	/*
	 * A site whose breakpoint is in the text may be hit as soon as it is added.  If no slots
	 * wait, this one has been written already.
	 */
	if (slot >= 0 && (old || origin != ORIGIN_NONE || !walk->slots.len)) {
		ret = slots_flush(&walk->slots);
		if (ret)
			slot = ret;
	}
	if (slot < 0) {
		site_free(site);
		walk->no_memory = slot == -ENOMEM;
		return ERR_PTR(slot_refused(c, addr, slot));
	}
	site->slot = slot - addr;
	site->owner = origin == ORIGIN_OTHER ? OWNER_OTHER_FIRST : OWNER_OURS;
	if (origin == ORIGIN_MOVED)
		site->state = SITE_INHERITED;
	/* It may be hit at once: its hits are those of the old site's consumers. */
	if (origin == ORIGIN_ARMED)
		site->state = SITE_ARMED;
	/* The text of a child may have its parent's breakpoint, at a site that is useless. */
	if (old && old->slot_nr == SLOT_NR_NONE && old->state == SITE_INHERITED)
		site->state = SITE_INHERITED;
	if (old)
		rcu_assign_pointer(site->set, site_set(old));
	ret = old ? site_replace(old, site) : site_add_between(site, walk->prev, walk->next);
	if (ret) {
		site_free(site);
		return ERR_PTR(ret);
	}
	if (old) {
		WRITE_ONCE(old->state, SITE_REPLACED);
		smp_wmb();	/* Pairs with hit_in_full(). */
		RCU_INIT_POINTER(old->set, NULL);
	}
	/* @walk->next is behind this site: another request for its address looks it up again. */
	walk->prev = site;
	if (old)
		walk->next = pmm_next_site(site);
	walk->addr = addr + 1;
	return site;
}

/* Empty the rings, as a site gets no more hits: what is in them is for those attached now. */
static void walk_flush(struct site_walk *walk)
{
	if (!walk->flushed)
		ring_flush(walk->pmm);
	walk->flushed = true;
}

/*
 * Replace a site by one for the instruction that is in the text now, and move the consumers.
 * ld.so relocates the operands of text after it has mapped it, and other programs patch themselves.
 */
static struct site *site_renew(struct site_walk *walk, const struct ssol_plan *plan,
			       enum origin origin, struct site *old, struct consumer *c)
{
	struct site *site;

	if (old->owner != OWNER_OURS) {
		site_notice(c, "0x%lx cannot be probed: its text changed under another probe",
			    old->key.addr);
		return ERR_PTR(-EBUSY);
	}
	if (old->state == SITE_ARMED)
		origin = ORIGIN_ARMED;
	/* Before the old site loses its consumers. */
	walk_flush(walk);
	site = site_make(walk, plan, origin, old, c);
	if (IS_ERR(site))
		return site;
	site_move_consumers(old, site);
	return site;
}

#define OTHER_INSTRUCTION	"0x%lx is probed no more: another instruction has come in its place"

/*
 * Remove a site with the consumers that it has: what is in its place now cannot be probed, and must
 * not be executed as what was there.
 */
static void site_leave(struct site_walk *walk, struct site *site)
{
	struct text_edit edit = site_edit(site);
	struct attachment *at;
	struct consumer *c;

	/* The instruction behind the breakpoint is another one. */
	edit.len = ARCH_BREAKPOINT_LEN;
	edit.fixed = ARCH_BREAKPOINT_LEN;
	walk_flush(walk);
	breakpoints_remove(walk->pmm->mm, &edit, 1);
	if (!text_edit_gone(edit.result))
		return;
	for_each_attached(c, site, at)
		consumer_refused(c, OTHER_INSTRUCTION, site->key.addr);
	site_detach_all(site);
	pr_notice_ratelimited(OTHER_INSTRUCTION "\n", site->key.addr);
}

/* Find or make the site for an instruction. */
static struct site *site_for(struct site_walk *walk, const struct ssol_plan *plan,
			     enum origin origin, struct site *site, struct consumer *c)
{
	struct site *other;

	if (site && site_keep(site, plan, origin))
		return site;
	if (site && site->state == SITE_LOST) {
		walk_flush(walk);
		site_detach_all(site);
	}
	if (!site || !site->attached.word)
		return site_make(walk, plan, origin, site, c);
	other = site_renew(walk, plan, origin, site, c);
	/* Without a slot for the new instruction, the old one must not be executed, either. */
	if (IS_ERR(other) && walk->changed)
		site_leave(walk, site);
	return other;
}

/*
 * Check whether the text of a site is as it was when the breakpoint was inserted.  Inserting it has
 * compared the text with the plan, and has made the page the program's own.  The next page may
 * still be the file's, which somebody may write to.
 */
static bool site_sure(const struct site *site)
{
	return site->kind == SITE_PROBE && site->state == SITE_ARMED &&
	       READ_ONCE(site->owner) == OWNER_OURS && site->slot_nr != SLOT_NR_NONE &&
	       offset_in_page(site->key.addr) + ssol_len(site->plan) <= PAGE_SIZE &&
	       !READ_ONCE(site->pmm->text.unsure);
}

/**
 * site_prepare() - find or make the site for a request
 * @walk: the walk over the probed mm
 * @request: the consumer and the address
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: the site with the instruction that is in the text now, or ERR_PTR with an error of
 * register_uprobe().
 */
struct site *site_prepare(struct site_walk *walk, struct attach_request *request)
{
	struct consumer *c = request->consumer;
	enum origin origin = ORIGIN_NONE;
	const struct ssol_plan *plan;
	struct site *site;

	walk_to(walk, request->addr);
	site = walk->next && walk->next->key.addr == request->addr ? walk->next : NULL;
	if (site && site_sure(site) && consumer_expects(c, site->plan))
		return site;
	if (site)
		site_detach_stale(site, request);
	if (pmm_area_at(walk->pmm, request->addr) || pad_area_at(walk->pmm, request->addr)) {
		site_notice(c, "0x%lx cannot be probed: it lies in the SSOL area",
			    request->addr);
		return ERR_PTR(-EINVAL);
	}
	plan = site_analyse(walk, c, site, &origin);
	walk->no_memory = PTR_ERR(plan) == -ENOMEM;
	if (IS_ERR(plan)) {
		if (walk->changed)
			site_leave(walk, site);
		return ERR_CAST(plan);
	}
	if (consumer_expects(c, plan))
		return site_for(walk, plan, origin, site, c);
	site_notice(c, "0x%lx cannot be probed: other bytes (%*ph) than the caller expects (%*ph)",
		    request->addr, ssol_len(plan), plan->text, c->insn.expect_len, c->insn.expect);
	/* Its sync publishes another consumer set, even if this request fails. */
	if (walk->changed && !IS_ERR(site_for(walk, plan, origin, site, c)))
		request->site = site_at(walk->pmm, request->addr);
	return ERR_PTR(-EILSEQ);
}

/**
 * pmm_use_trampoline() - make calls return to a trampoline from now on
 * @pmm: the probed mm
 * @addr: address of the trampoline, which is the start of an area of @pmm
 *
 * Context: may sleep; probed_mm::lock held.
 * Return: 0, or -ENOMEM or another negative errno.
 */
int pmm_use_trampoline(struct probed_mm *pmm, unsigned long addr)
{
	struct site *site;
	int ret = calls_make(&pmm->uret.calls);

	if (ret)
		return ret;
	site = site_alloc(pmm, addr, SITE_TRAMPOLINE, NULL);
	if (!site)
		return -ENOMEM;
	site->state = SITE_ARMED;
	ret = site_add(site);
	if (ret) {
		site_free(site);
		return ret;
	}
	WRITE_ONCE(pmm->uret.trampoline, site->key.addr);
	return 0;
}

int pmm_need_trampoline(struct probed_mm *pmm)
{
	if (pmm->uret.trampoline)
		return 0;
	/* Use the newest area: the program may have unmapped earlier ones. */
	return pmm_use_trampoline(pmm,
				  ssol_area_trampoline(pmm->areas.list[pmm->areas.nr - 1]));
}
