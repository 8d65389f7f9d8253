// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on files: find the mappings of probed files as code in an address space, and go through
 * all address spaces.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "mapping.h"
#include "attach.h"
#include "attach_types.h"
#include "mappers.h"
#include "ref_ctr.h"
#include "unwinder.h"
#include "core/consumer.h"
#include "core/probe_file.h"
#include "core/probed_mm.h"
#include "core/refusal.h"
#include "text/mapped_file.h"
#include "text/read.h"

/**
 * struct mapping - a part of a probed file, mapped as code
 * @file: the file, with a reference
 * @refusal: why it cannot have breakpoints, or NULL
 * @start: first address
 * @end: first address behind it
 * @offset: position in the file of @start
 */
struct mapping {
	struct probe_file *file;
	const char *refusal;
	unsigned long start;
	unsigned long end;
	loff_t offset;
};

/**
 * struct mapping_list - mappings of probed files in one address space
 * @maps: the mappings
 * @nr: number of @maps
 * @room: number of @maps that there is memory for
 */
struct mapping_list {
	struct mapping *maps;
	unsigned int nr;
	unsigned int room;
};

/* Make room for one more element in a list, which may grow beyond the limit of kmalloc(). */
static int list_grow(void **list, unsigned int nr, unsigned int *room, size_t size)
{
	unsigned int more = *room ? 2 * *room : 8;
	void *longer;

	if (nr < *room)
		return 0;
	longer = kvmalloc_array(more, size, GFP_KERNEL);
	if (!longer)
		return -ENOMEM;
	if (nr)
		memcpy(longer, *list, array_size(nr, size));
	kvfree(*list);
	*list = longer;
	*room = more;
	return 0;
}

static int mapping_list_add(struct mapping_list *list, struct probe_file *file,
			    const struct vm_area_struct *vma, const char *refusal)
{
	int ret = list_grow((void **)&list->maps, list->nr, &list->room, sizeof(*list->maps));

	if (ret)
		return ret;
	list->maps[list->nr++] = (struct mapping) {
		.file = file,
		.refusal = refusal,
		.start = vma->vm_start,
		.end = vma->vm_end,
		.offset = vma_position(vma, vma->vm_start),
	};
	return 0;
}

static void mapping_list_drop(struct mapping_list *list)
{
	while (list->nr)
		probe_file_put(list->maps[--list->nr].file);
}

/* List a mapping of a probed file; take over the reference to @file. */
static int mapping_list_vma(struct mapping_list *list, struct probe_file *file,
			    const struct vm_area_struct *vma)
{
	const char *refusal = NULL;
	int ret;

	if (!text_probeable(vma)) {
		refusal = text_refusal(vma);
		pr_notice_ratelimited("%pD cannot be probed at 0x%lx: %s\n", vma->vm_file,
				      vma->vm_start, refusal);
	}
	ret = mapping_list_add(list, file, vma, refusal);
	if (ret)
		probe_file_put(file);
	return ret;
}

/* List the mappings of probed files; if @n is 1, only those of the file @only. */
static int mapping_list_collect(struct mapping_list *list, struct mm_struct *mm,
				const struct probe_file *only, unsigned int n)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;
	int ret = 0;

	mmap_read_lock(mm);
	for_each_vma(vmi, vma) {
		struct probe_file *file;

		if (!vma->vm_file || !(vma->vm_flags & VM_EXEC))
			continue;
		if (only && n == 1 && only->inode != file_inode(vma->vm_file))
			continue;
		file = probe_file_find(file_inode(vma->vm_file));
		if (!file)
			continue;
		ret = mapping_list_vma(list, file, vma);
		if (ret)
			break;
	}
	mmap_read_unlock(mm);
	return ret;
}

/*
 * List the mappings that are in @ranges.  If one of them is not what it was, return -EAGAIN: the
 * program may have moved it, or split it, and then it is elsewhere, too.
 */
static int mapping_list_ranges(struct mapping_list *list, struct mm_struct *mm,
			       const struct mapped_range *range)
{
	struct vm_area_struct *vma;
	int ret = 0;

	mmap_read_lock(mm);
	for (; range && !ret; range = range->next) {
		vma = find_vma(mm, range->start);
		if (!vma || vma->vm_start != range->start || vma->vm_end != range->end ||
		    !vma->vm_file || file_inode(vma->vm_file) != range->file->inode)
			ret = -EAGAIN;
		else if (vma->vm_flags & VM_EXEC)
			ret = mapping_list_vma(list, probe_file_get(range->file), vma);
	}
	mmap_read_unlock(mm);
	return ret;
}

/* A program may map a file any number of times.  So attach after this many requests. */
#define REQUESTS_MANY	8192U

/**
 * struct request_list - consumers to attach in one address space
 * @requests: consumers and addresses
 * @nr: number of @requests
 * @room: number of @requests that there is memory for
 * @held: @requests have a reference to each consumer: no caller has claimed them
 */
struct request_list {
	struct attach_request *requests;
	unsigned int nr;
	unsigned int room;
	bool held;
};

/* The lists of one address space after the other use the same memory. */
struct spread_lists {
	struct mapping_list maps;
	struct request_list requests;
};

static int request_list_add(struct request_list *list, const struct mapping *map,
			    struct consumer *c, struct mm_struct *mm)
{
	unsigned long addr = map->start + (unsigned long)(c->file.place.offset - map->offset);
	int ret;

	if (c->file.place.offset < map->offset || addr - map->start >= map->end - map->start)
		return 0;
	if (c->u->filter && !c->u->filter(c->u, mm))
		return 0;
	if (map->refusal) {
		consumer_refused(c, "0x%lx cannot be probed: %s", addr, map->refusal);
		return 0;
	}
	if (list->nr == list->room) {
		ret = list_grow((void **)&list->requests, list->nr, &list->room,
				sizeof(*list->requests));
		if (ret)
			return ret;
	}
	if (list->held)
		consumer_get(c);
	list->requests[list->nr++] = (struct attach_request) {
		.consumer = c,
		.addr = addr,
	};
	return 0;
}

static void request_list_drop(struct request_list *list)
{
	while (list->held && list->nr)
		consumer_put(list->requests[--list->nr].consumer);
	list->nr = 0;
}

/*
 * List requests for the consumers that probe the file of @map: only consumers in @only, which the
 * caller is registering, or all if @only is NULL.
 */
static int mapping_request(const struct mapping *map, struct request_list *list,
			   struct mm_struct *mm, struct consumer **only, unsigned int n)
{
	struct consumer *c;
	unsigned int i;
	int err, ret = 0;

	for (i = 0; i < n; i++) {
		if (only[i]->file.probed != map->file)
			continue;
		err = request_list_add(list, map, only[i], mm);
		ret = ret ?: err;
	}
	if (only)
		return ret;
	/* While the semaphore is held, the clients' structures stay, too. */
	down_read(&map->file->sem);
	list_for_each_entry(c, &map->file->consumers, file.node) {
		err = request_list_add(list, map, c, mm);
		ret = ret ?: err;
	}
	up_read(&map->file->sem);
	return ret;
}

static bool requests_return(const struct request_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (list->requests[i].consumer->type == CONSUMER_RETURN)
			return true;
	}
	return false;
}

/*
 * If a consumer was not attached for lack of memory, or because of an interruption, count one miss
 * for all hits that are lost.  The next mapping of a probed file attaches it.  A task that is being
 * killed loses no hits, as it executes nothing more.
 */
static void request_missed(const struct attach_request *request, int err)
{
	if (err == -ENOMEM || (err == -EINTR && !fatal_signal_pending(current)))
		consumer_missed(request->consumer);
}

/**
 * struct spread - state of attaching consumers in one address space
 * @mm: the address space
 * @pmm: its probed mm; NULL until there is something to attach
 * @watched: unwinder_watch() has been called for it
 * @no_memory: memory, which is charged to the program, has run out for all further requests, too
 * @requests: consumers to attach
 */
struct spread {
	struct mm_struct *mm;
	struct probed_mm *pmm;
	bool watched;
	bool no_memory;
	struct request_list *requests;
};

/*
 * Attach the consumers in the list, and empty the list.  Return 0, -ENOMEM if memory has run out,
 * or else the first error.
 */
static int spread_requests(struct spread *s)
{
	struct request_list *list = s->requests;
	unsigned int i;
	int err, ret = 0;

	if (!list->nr)
		return 0;
	if (!s->pmm) {
		s->pmm = pmm_get(s->mm);
		ret = PTR_ERR_OR_ZERO(s->pmm);
		if (ret) {
			s->pmm = NULL;
			for (i = 0; i < list->nr; i++)
				request_missed(&list->requests[i], ret);
			request_list_drop(list);
			return ret;
		}
	}
	/* Watch until spread_end(), once for all requests of this address space. */
	if (!s->watched && requests_return(list)) {
		unwinder_watch(s->pmm);
		s->watched = true;
	}
	s->no_memory = !pmm_attach(s->pmm, list->requests, list->nr);
	for (i = 0; i < list->nr; i++) {
		struct attach_request *r = &list->requests[i];

		err = r->result;
		request_missed(r, err);
		if (!err && r->consumer->file.ref_ctr_offset)
			err = ref_ctrs_apply(s->pmm, r->consumer,
					     r->consumer->file.place.inode);
		ret = ret ?: err;
	}
	request_list_drop(list);
	return s->no_memory ? -ENOMEM : ret;
}

static void spread_end(struct spread *s)
{
	if (s->watched)
		unwinder_watched(s->pmm);
	if (s->pmm)
		pmm_put(s->pmm);
}

/*
 * Attach @only, or all consumers if it is NULL: in @ranges, where the address space maps their
 * files, or in all its mappings if @ranges is NULL.  @lists are empty before and after.
 */
static int mapping_apply_by(struct spread_lists *lists, struct mm_struct *mm,
			    const struct mapped_range *ranges, struct consumer **only,
			    unsigned int n)
{
	struct request_list *list = &lists->requests;
	struct spread spread = { .mm = mm, .requests = list };
	struct mapping_list *maps = &lists->maps;
	unsigned int i;
	int ret, err;

	list->held = !only;
	ret = ranges ? mapping_list_ranges(maps, mm, ranges) : -EAGAIN;
	if (ret == -EAGAIN) {
		mapping_list_drop(maps);
		ret = mapping_list_collect(maps, mm, only ? only[0]->file.probed : NULL, n);
	}
	for (i = 0; i < maps->nr; i++) {
		err = mapping_request(&maps->maps[i], list, mm, only, n);
		ret = ret ?: err;
		if (list->nr >= REQUESTS_MANY) {
			err = spread_requests(&spread);
			ret = ret ?: err;
			if (spread.no_memory)
				break;
		}
		/* Without @only, go on: another process may share the mappings of a killed task. */
		if (only && fatal_signal_pending(current)) {
			request_list_drop(list);
			ret = -EINTR;
			break;
		}
		cond_resched();
	}
	err = spread_requests(&spread);
	spread_end(&spread);
	mapping_list_drop(maps);
	ret = ret ?: err;
	/* All other errors are in the log already. */
	if (ret == -ENOMEM)
		pr_warn_ratelimited("no memory: a process that maps a probed file is not probed, or not all of it\n");
	return ret;
}

static void spread_lists_free(struct spread_lists *lists)
{
	kvfree(lists->requests.requests);
	kvfree(lists->maps.maps);
}

/**
 * mapping_apply() - attach the consumers of files in all mappings of an address space
 * @mm: the address space; the caller keeps it in use
 *
 * If a consumer cannot be attached, log the error and go on with the others.
 *
 * Context: may sleep; takes probe_file::sem and the locks behind it.
 * Return: 0 or the first error.
 */
int mapping_apply(struct mm_struct *mm)
{
	struct spread_lists lists = {};
	int ret = mapping_apply_by(&lists, mm, NULL, NULL, 0);

	spread_lists_free(&lists);
	return ret;
}

/*
 * Number of registrations that are going through the processes, and of tasks that have not handled
 * their new mappings yet.
 */
static atomic_t spreading = ATOMIC_INIT(0);

/**
 * mapping_spreading() - check whether a child that is forked now may be missed
 *
 * Context: any.
 */
bool mapping_spreading(void)
{
	return atomic_read(&spreading);
}

/**
 * mapping_await() - begin or end work during which a fork may create a child that the work misses
 * @change: 1 to begin, -1 to end
 *
 * Context: any.
 */
void mapping_await(int change)
{
	/* Fully ordered: earlier attachments are visible before the new number. */
	atomic_add_return(change, &spreading);
}

/**
 * mapping_apply_everywhere() - attach consumers in all processes
 * @cs: the consumers, already listed in their files
 * @n: number of @cs
 *
 * A process that maps one of the files later handles that mapping itself.  So does a child of a
 * process that has been handled here.  If a process forks before it is handled here, its child is
 * not in the list, either.  mapping_spreading() tells the fork event that this child must handle
 * its mappings itself.
 *
 * If there is an error in one process (another breakpoint at the place, no memory), log it and go
 * on with the others.
 *
 * Context: may sleep; takes the locks of mapping_apply(); @cs are claimed by the caller, so
 * that the clients' structures stay.
 * Return: 0; -ENOMEM if the processes could not be listed; -EINTR if the caller is being killed,
 * and not all processes have been handled.
 */
int mapping_apply_everywhere(struct consumer **cs, unsigned int n)
{
	struct spread_lists lists = {};
	struct mappers mappers;
	struct mapper *mapper;
	unsigned int i;
	int ret;

	mapping_await(1);
	ret = mappers_list(&mappers, cs, n);
	for (i = 0; !ret && i < mappers.nr; i++) {
		mapper = &mappers.list[i];
		if (!mapper->ranges && !mappers.everywhere)
			continue;
		/* A caller that is being killed only drops the references. */
		if (fatal_signal_pending(current) ||
		    mapping_apply_by(&lists, mapper->mm, mappers.everywhere ? NULL : mapper->ranges,
				     cs, n) == -EINTR)
			ret = -EINTR;
		mmput(mapper->mm);
		mapper->mm = NULL;
		cond_resched();
	}
	/* The signal may have come while the last process was handled. */
	if (!ret && fatal_signal_pending(current))
		ret = -EINTR;
	spread_lists_free(&lists);
	mappers_free(&mappers);
	mapping_await(-1);
	return ret;
}
