// SPDX-License-Identifier: GPL-2.0
/*
 * Pad areas: find a place for a pad, map an area, write the pad.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "pad_area.h"
#include "arch.h"
#include "shared_pages.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_tree.h"
#include "core/ssol_area.h"

/* Place nothing below this address: null pointers with offsets must still fault. */
#define LOWEST_ADDRESS	0x100000UL

/* Leave this room to the heap, behind its end, and to a stack that grows downwards. */
#define ROOM_TO_GROW	BIT(30)

/* Both mappings of an area. */
#define SPAN		(PAD_AREA_SIZE + PAD_WORDS_SIZE)

/*
 * Which pages of areas get a pad: such that are in memory already; else one of a few, so that they
 * serve many pads; else any.  A displacement whose third byte traps leads to a range of 16 pages or
 * more, which has one of the few.
 */
enum pages {
	PAGES_USED,
	PAGES_FEW,
	PAGES_ANY,
};

#define PAGES_APART	8

/* Distances from the text at which to look for room, if a pad may be anywhere. */
#define STEP		SPAN
#define STEPS		4096

/* Look up the pad area that contains an address, even if the pads have been evicted. */
static struct pad_area *area_once_at(const struct probed_mm *pmm, unsigned long addr)
{
	/* Pairs with area_create(): the first @nr_areas areas are complete. */
	unsigned int i, nr = smp_load_acquire(&pmm->pads.nr);

	for (i = 0; i < nr; i++) {
		if (addr - pmm->pads.areas[i]->base < PAD_AREA_SIZE)
			return pmm->pads.areas[i];
	}
	return NULL;
}

/**
 * pad_area_at() - look up the pad area that contains an address
 * @pmm: the probed mm
 * @addr: the address
 *
 * Context: any; areas are added, and never removed.
 * Return: the area or NULL.
 */
struct pad_area *pad_area_at(const struct probed_mm *pmm, unsigned long addr)
{
	return READ_ONCE(pmm->pads.evicted) ? NULL : area_once_at(pmm, addr);
}

/* Check whether a pad area, or its counters, are in a range.  Context: any. */
bool pad_areas_in(const struct probed_mm *pmm, unsigned long addr, unsigned long len)
{
	/* Pairs with area_create(). */
	unsigned int i, nr = smp_load_acquire(&pmm->pads.nr);

	for (i = 0; i < nr && !READ_ONCE(pmm->pads.evicted); i++) {
		unsigned long base = pmm->pads.areas[i]->base;

		if (addr < base + SPAN && addr + len > base)
			return true;
	}
	return false;
}

/* Look up the jump whose pad contains an address in an area, which may be NULL. */
static struct jump *area_jump(struct pad_area *area, unsigned long addr)
{
	unsigned long unit, back;
	struct jump *jump;

	if (!area)
		return NULL;
	unit = (addr - area->base) / PAD_UNIT;
	for (back = 0; back <= PAD_MAX / PAD_UNIT && back <= unit; back++) {
		jump = xa_load(&area->jumps, unit - back);
		/* A pad may begin within the unit, behind @addr. */
		if (jump && jump->at <= addr)
			return addr - jump->at < jump->len ? jump : NULL;
	}
	return NULL;
}

/**
 * jump_of_pad() - look up the jump whose pad contains an address
 * @pmm: the probed mm
 * @addr: the address
 *
 * Context: any but NMI; the jump stays in the RCU read side in which the probed mm was found.
 * Return: the jump; NULL if @addr is in no pad.
 */
struct jump *jump_of_pad(const struct probed_mm *pmm, unsigned long addr)
{
	return area_jump(pad_area_at(pmm, addr), addr);
}

/* Likewise, also if the pads have been evicted.  Context: likewise. */
struct jump *jump_of_evicted_pad(const struct probed_mm *pmm, unsigned long addr)
{
	return area_jump(area_once_at(pmm, addr), addr);
}

/* Check whether an area can be mapped at an address.  Context: the mmap lock held. */
static bool room_at(const struct probed_mm *pmm, unsigned long base)
{
	unsigned long start = base - PAGE_SIZE, end = base + SPAN + PAGE_SIZE;
	const struct vm_area_struct *vma;
	struct mm_struct *mm = pmm->mm;
	unsigned int i;

	if (base < LOWEST_ADDRESS || end > arch_limit(pmm->mode) || end < base)
		return false;
	if (base + SPAN > READ_ONCE(mm->start_brk) && base < READ_ONCE(mm->brk) + ROOM_TO_GROW)
		return false;
	vma = find_vma(mm, start);
	if (vma && (vma->vm_start < end ||
		    (vma->vm_flags & VM_GROWSDOWN && vma->vm_start - end < ROOM_TO_GROW)))
		return false;
	/* The program may have unmapped an area, and threads may still be in its pads. */
	for (i = 0; i < pmm->pads.nr; i++) {
		if (pmm->pads.areas[i]->base < end &&
		    pmm->pads.areas[i]->base + SPAN > start)
			return false;
	}
	for (i = 0; i < pmm->areas.nr; i++) {
		if (pmm->areas.list[i]->base < end &&
		    pmm->areas.list[i]->base + SSOL_AREA_SIZE > start)
			return false;
	}
	return true;
}

static bool must_trap(const struct pun *pun, unsigned int byte)
{
	return pun->traps >> (byte + 1) & 1;
}

/* Find room near the text, if the two upper bytes of the displacement are free. */
static unsigned long room_near(const struct probed_mm *pmm, unsigned long addr)
{
	unsigned long near = addr & PAGE_MASK;
	unsigned int i;

	for (i = 1; i <= STEPS; i++) {
		if (room_at(pmm, near - i * STEP))
			return near - i * STEP;
		if (room_at(pmm, near + i * STEP))
			return near + i * STEP;
	}
	return 0;
}

/*
 * Find room where the upper bytes of the displacement trap, as far as they must.  Prefer addresses
 * below the text: the heap is above that of a program.
 */
static unsigned long room_trapping(const struct probed_mm *pmm, const struct pun *pun,
				   unsigned long addr)
{
	unsigned int nr3 = must_trap(pun, 3) ? PUN_BYTES : 256;
	unsigned int nr2 = must_trap(pun, 2) ? PUN_BYTES : 16;
	unsigned int i, j;
	unsigned long base;
	u8 d2, d3;

	for (i = 0; i < nr3; i++) {
		/* The first bytes of pun_byte() are those of negative numbers. */
		d3 = must_trap(pun, 3) ? pun_byte(i) : i & 1 ? i / 2 : 255 - i / 2;
		for (j = 0; j < nr2; j++) {
			d2 = must_trap(pun, 2) ? pun_byte(j) : j * 16;
			base = (addr + PUN_LEN + (s32)((u32)d3 << 24 | d2 << 16)) & PAGE_MASK;
			if (room_at(pmm, base))
				return base;
		}
	}
	return 0;
}

static unsigned long room_find(const struct probed_mm *pmm, const struct pun *pun,
			       unsigned long addr)
{
	unsigned long base;

	mmap_read_lock(pmm->mm);
	base = must_trap(pun, 2) || must_trap(pun, 3) ? room_trapping(pmm, pun, addr) :
							room_near(pmm, addr);
	mmap_read_unlock(pmm->mm);
	return base;
}

/* Map an area where @pun at @addr can have its pad. */
static struct pad_area *area_create(struct probed_mm *pmm, const struct pun *pun,
				    unsigned long addr)
{
	unsigned long words;
	struct pad_area *area;
	long ret = -ENOSPC;

	if (pmm->pads.nr == PMM_MAX_PAD_AREAS)
		return ERR_PTR(-ENOSPC);
	area = kvzalloc(sizeof(*area), SSOL_GFP);
	if (!area)
		return ERR_PTR(-ENOMEM);
	area->words = shared_pages_create(PAD_WORDS_SIZE);
	if (IS_ERR(area->words)) {
		ret = PTR_ERR(area->words);
		kvfree(area);
		return ERR_PTR(ret);
	}
	xa_init_flags(&area->jumps, XA_FLAGS_ACCOUNT);
	area->base = room_find(pmm, pun, addr);
	words = area->base + PAD_AREA_SIZE;
	if (area->base)
		ret = shared_pages_map(pmm->mm, area->words, &words, PAD_WORDS_SIZE);
	if (!ret) {
		ret = ssol_area_map(pmm->mm, area->base, false);
		/* The other mapping stays, so do not try again. */
		if (ret)
			WRITE_ONCE(pmm->jumps.off, true);
	}
	if (ret) {
		fput(area->words);
		kvfree(area);
		return ERR_PTR(ret);
	}
	pmm->pads.areas[pmm->pads.nr] = area;
	/* Pairs with pad_area_at(). */
	smp_store_release(&pmm->pads.nr, pmm->pads.nr + 1);
	return area;
}

static void area_free(struct pad_area *area)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(area->pages); i++) {
		if (area->pages[i])
			put_page(area->pages[i]);
	}
	xa_destroy(&area->jumps);
	fput(area->words);
	kvfree(area);
}

/**
 * pads_free() - free the pad areas of a probed mm that no reader can find any more
 * @pmm: the probed mm
 *
 * The mappings stay.
 *
 * Context: may sleep.
 */
void pads_free(struct probed_mm *pmm)
{
	unsigned int i;

	for (i = 0; i < pmm->pads.nr; i++)
		area_free(pmm->pads.areas[i]);
}

/* Bring a page with counters into memory. */
static int page_get(struct pad_area *area, unsigned int nr)
{
	struct page *page;

	if (nr + area->nr_values >= PAD_WORDS_PAGES)
		return -ENOSPC;
	if (area->pages[nr])
		return 0;
	page = shared_pages_get(area->words, nr * PAGE_SIZE);
	if (IS_ERR(page))
		return PTR_ERR(page);
	area->pages[nr] = page;
	return 0;
}

/* Choose the counter of a pad. */
static int word_take(struct pad_area *area, struct jump *jump)
{
	unsigned long at = area->nr_words * PAD_WORD_STRIDE;
	int ret = page_get(area, at / PAGE_SIZE);

	if (ret)
		return ret;
	pad_set_cpus(&jump->pad, area->base + PAD_AREA_SIZE + at, 0);
	jump->word = page_address(area->pages[at / PAGE_SIZE]) + offset_in_page(at);
	return 0;
}

/* Choose the histogram of a pad: the last page without one, if it has no counters either. */
static int values_take(struct pad_area *area, struct jump *jump)
{
	unsigned int nr = PAD_WORDS_PAGES - 1 - area->nr_values;
	unsigned long at = area->base + PAD_AREA_SIZE + nr * PAGE_SIZE;
	int ret;

	BUILD_BUG_ON(sizeof(struct pad_values) > PAGE_SIZE);
	if (area->nr_values == PAD_WORDS_PAGES ||
	    area->nr_words * PAD_WORD_STRIDE > nr * PAGE_SIZE)
		return -ENOSPC;
	ret = page_get(area, nr);
	if (ret)
		return ret;
	pad_set_cpus(&jump->pad, at, 0);
	jump->values = page_address(area->pages[nr]);
	return 0;
}

/* Check whether a pad has a counter, or a histogram, in its area: one for all hits. */
static bool takes_word(const struct pad *pad)
{
	return pad_does(pad, PAD_COUNT) && !pad_cpu_mask(pad);
}

static bool takes_values(const struct pad *pad)
{
	return (pad_does(pad, PAD_ADD) || pad_does(pad, PAD_END)) && !pad_cpu_mask(pad) &&
	       !pad_has_keys(pad);
}

static int data_take(struct pad_area *area, struct jump *jump)
{
	if (takes_word(&jump->pad))
		return word_take(area, jump);
	return takes_values(&jump->pad) ? values_take(area, jump) : 0;
}

/* Find free units from @first on that end before @behind.  Return an address, or 0. */
static unsigned long units_find(const struct pad_area *area, unsigned long first,
				unsigned long behind, unsigned int len)
{
	unsigned long unit;

	unit = bitmap_find_next_zero_area((unsigned long *)area->taken, PAD_UNITS,
					  DIV_ROUND_UP(first - area->base, PAD_UNIT),
					  DIV_ROUND_UP(len, PAD_UNIT), 0);
	return area->base + unit * PAD_UNIT < behind ? area->base + unit * PAD_UNIT : 0;
}

static bool units_free(const struct pad_area *area, unsigned long at, unsigned int len)
{
	unsigned long first = (at - area->base) / PAD_UNIT;
	unsigned long last = (at + len - 1 - area->base) / PAD_UNIT;

	return find_next_bit(area->taken, last + 1, first) > last;
}

/* Likewise, if the lowest byte of the displacement must trap.  @block: address where it is 0. */
static unsigned long trapping_find(const struct pad_area *area, unsigned long block,
				   unsigned long first, unsigned long behind, unsigned int len)
{
	unsigned long at;
	unsigned int i;

	for (i = 0; i < PUN_BYTES; i++) {
		at = block + pun_byte(i);
		if (at >= first && at < behind && units_free(area, at, len))
			return at;
	}
	return 0;
}

static bool upper_bytes_trap(const struct pun *pun, s64 displacement, unsigned int from)
{
	for (; from < 4; from++)
		if (must_trap(pun, from) && !pun_traps((u8)(displacement >> 8 * from)))
			return false;
	return true;
}

/* Find free units for a pad of @len bytes that begins from @first on, and before @behind. */
static unsigned long range_fit(const struct pad_area *area, const struct pad *pad,
			       unsigned int len, unsigned long first, unsigned long behind)
{
	const struct pun *pun = &pad->pun;
	unsigned long origin = pad->addr + PUN_LEN, from, to, at;
	bool low = must_trap(pun, 0);
	s64 step = low || must_trap(pun, 1) ? 0x100 : 0x10000, window;

	/* In each window, the displacement has the same upper bytes. */
	for (window = (s64)(first - origin) & -step; window < (s64)(behind - origin);
	     window += step) {
		if (!upper_bytes_trap(pun, window, step == 0x100 ? 1 : 2))
			continue;
		from = origin + max((s64)(first - origin), window);
		to = origin + min((s64)(behind - origin), window + step);
		at = low ? trapping_find(area, origin + window, from, to, len) :
			   units_find(area, from, to, len);
		if (at)
			return at;
	}
	return 0;
}

/* Check whether a page is to be looked at; to be called for each enum pages in turn. */
static bool page_serves(const struct pad_area *area, unsigned int page, enum pages pages)
{
	/* Small gaps suit few pads, and take long to look through. */
	if (area->units[page] >= PAD_PAGE_UNITS * 7 / 8)
		return false;
	switch (pages) {
	case PAGES_USED:
		return area->units[page];
	case PAGES_FEW:
		return !area->units[page] && page % PAGES_APART == 0;
	default:
		return !area->units[page];
	}
}

/* Find a free place in an area for a pad of @len bytes, to which a jump can lead. */
static unsigned long area_fit(const struct pad_area *area, const struct pad *pad,
			      unsigned int len, enum pages pages)
{
	unsigned long first = area->base + PAD_UNIT, last = area->base + PAD_AREA_SIZE - len, at;
	unsigned long origin = pad->addr + PUN_LEN, page = area->base;
	unsigned int i;
	u8 code[PUN_LEN];

	if ((s64)(first - origin) < S32_MIN || (s64)(last - origin) > S32_MAX)
		return 0;
	for (i = 0; i < PAD_PAGES; i++, page += PAGE_SIZE) {
		if (!page_serves(area, i, pages))
			continue;
		at = range_fit(area, pad, len, max(first, page), min(last + 1, page + PAGE_SIZE));
		if (at && pun_jump(&pad->pun, pad->addr, at, code))
			return at;
	}
	return 0;
}

static void units_take(struct pad_area *area, const struct jump *jump)
{
	unsigned long first = (jump->at - area->base) / PAD_UNIT, unit;
	unsigned long last = (jump->at + jump->len - 1 - area->base) / PAD_UNIT;

	bitmap_set(area->taken, first, last - first + 1);
	for (unit = first; unit <= last; unit++)
		area->units[unit / PAD_PAGE_UNITS]++;
}

/*
 * Write a pad into an area.  @at: where one of the guessed size fits.  Return -ENOSPC or -ERANGE if
 * another area may do.
 */
static int area_put(struct probed_mm *pmm, struct pad_area *area, struct jump *jump,
		    unsigned long at)
{
	struct pad *pad = &jump->pad;
	int len = pad_guess(pad), ret;
	enum pages pages;
	u8 code[PAD_MAX];

	ret = data_take(area, jump);
	if (ret)
		return ret;
	/* Its size depends on its place. */
	while ((ret = pad_emit(pad, at, code, &jump->parts)) > len) {
		len = ret;
		for (at = 0, pages = PAGES_USED; !at && pages <= PAGES_ANY; pages++)
			at = area_fit(area, pad, len, pages);
		if (!at)
			return -ENOSPC;
	}
	if (ret < 0)
		return ret;
	jump->at = at;
	jump->len = ret;
	pun_jump(&pad->pun, pad->addr, at, jump->code);
	ret = ssol_area_write(pmm->mm, area->base, at, code, jump->len);
	if (!ret)
		ret = xa_err(xa_store(&area->jumps, (at - area->base) / PAD_UNIT, jump, SSOL_GFP));
	if (ret)
		return ret;
	units_take(area, jump);
	area->nr_words += takes_word(pad);
	area->nr_values += takes_values(pad);
	return 0;
}

/**
 * pad_place() - find a place for the pad of a jump, and write the pad
 * @pmm: the probed mm, in use
 * @jump: the jump; its pad is set except for the counter
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: 0; -ENOSPC or -ERANGE if there is no place; -ENOMEM, -EINTR or -EIO.
 */
int pad_place(struct probed_mm *pmm, struct jump *jump)
{
	unsigned int i, len = pad_guess(&jump->pad);
	struct pad_area *area;
	enum pages pages;
	unsigned long at;
	int ret;

	lockdep_assert_held(&pmm->lock);
	for (pages = PAGES_USED; pages <= PAGES_ANY; pages++) {
		for (i = 0; i < pmm->pads.nr; i++) {
			area = pmm->pads.areas[i];
			at = area_fit(area, &jump->pad, len, pages);
			ret = at ? area_put(pmm, area, jump, at) : -ENOSPC;
			if (ret != -ENOSPC && ret != -ERANGE)
				return ret;
		}
	}
	area = area_create(pmm, &jump->pad.pun, jump->pad.addr);
	if (IS_ERR(area))
		return PTR_ERR(area);
	at = area_fit(area, &jump->pad, len, PAGES_FEW) ?:
	     area_fit(area, &jump->pad, len, PAGES_ANY);
	return at ? area_put(pmm, area, jump, at) : -ENOSPC;
}

/* Have the threads that come to the trap of a pad go on. */
static void pad_disarm(struct probed_mm *pmm, const struct pad_area *area, const struct jump *jump)
{
	static const u8 nop = PAD_NO_TRAP;
	int ret;

	if (pad_does(&jump->pad, PAD_COUNT))
		return;
	ret = ssol_area_write(pmm->mm, area->base, jump->at + jump->parts.trap, &nop, 1);
	if (ret && ret != -ENOSPC)
		pr_warn("a trap at 0x%lx stays in process memory: error %d\n",
			jump->at + jump->parts.trap, ret);
}

/**
 * pads_disarm() - have no pad trap any more
 * @pmm: the probed mm, in use; no jump is in its text
 *
 * A CPU may still have fetched a trap: see arch_trap_quiesce().
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
void pads_disarm(struct probed_mm *pmm)
{
	struct pad_area *area;
	struct jump *jump;
	unsigned long unit;
	unsigned int i;

	lockdep_assert_held(&pmm->lock);
	for (i = 0; i < pmm->pads.nr; i++) {
		area = pmm->pads.areas[i];
		xa_for_each(&area->jumps, unit, jump)
			pad_disarm(pmm, area, jump);
		if (!arch_text_translated())
			continue;
		/* An emulator may still use its translation of the traps. */
		arch_sync_text(pmm->mm);
		xa_for_each(&area->jumps, unit, jump)
			pad_disarm(pmm, area, jump);
	}
	arch_sync_text(pmm->mm);
}

/**
 * pads_evict() - hide the pads from traps, and unmap them and their counters
 * @pmm: the probed mm of the current task; no jump is in its text, and no thread executes a pad
 *
 * Their counts are kept.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
void pads_evict(struct probed_mm *pmm)
{
	struct pad_area *area;
	struct jump *jump;
	unsigned long unit;
	unsigned int i;
	bool ours;

	lockdep_assert_held(&pmm->lock);
	WRITE_ONCE(pmm->pads.evicted, true);
	for (i = 0; i < pmm->pads.nr; i++) {
		area = pmm->pads.areas[i];
		xa_for_each(&area->jumps, unit, jump) {
			if (jump->trap)
				site_del_pad(jump);
		}
		mmap_read_lock(pmm->mm);
		ours = ssol_area_there(pmm->mm, area->base) &&
		       shared_pages_there(pmm->mm, area->words, area->base + PAD_AREA_SIZE);
		mmap_read_unlock(pmm->mm);
		/* The program may have mapped other memory there, unseen by the module. */
		if (ours)
			vm_munmap(area->base, SPAN);
	}
}
