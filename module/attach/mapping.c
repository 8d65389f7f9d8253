// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on files: finding where an address space has a file mapped as code,
 * and which address spaces there are.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "mapping.h"
#include "attach.h"
#include "ref_ctr.h"
#include "unwinder.h"
#include "core/consumer.h"
#include "core/probe_file.h"
#include "core/probed_mm.h"
#include "text/mapped_file.h"
#include "text/read.h"

/**
 * struct mapping - a part of a probed file, mapped as code
 * @file: the file; a reference is held
 * @start: first address
 * @end: first address behind it
 * @offset: position in the file of @start
 */
struct mapping {
	struct probe_file *file;
	unsigned long start;
	unsigned long end;
	loff_t offset;
};

/**
 * struct mapping_list - what was found in one address space
 * @maps: the mappings
 * @nr: how many
 * @room: for how many there is memory
 */
struct mapping_list {
	struct mapping *maps;
	unsigned int nr;
	unsigned int room;
};

/* Make room for one more element in a list.  There may be more than kmalloc() has room for. */
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
			    const struct vm_area_struct *vma)
{
	int ret = list_grow((void **)&list->maps, list->nr, &list->room, sizeof(*list->maps));

	if (ret)
		return ret;
	list->maps[list->nr++] = (struct mapping) {
		.file = file,
		.start = vma->vm_start,
		.end = vma->vm_end,
		.offset = vma_position(vma, vma->vm_start),
	};
	return 0;
}

static void mapping_list_free(struct mapping_list *list)
{
	while (list->nr)
		probe_file_put(list->maps[--list->nr].file);
	kvfree(list->maps);
}

/* @only is the one file of interest, unless there is more than one consumer. */
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
		if (!text_probeable(vma)) {
			pr_notice_ratelimited("%pD cannot be probed at 0x%lx: %s\n", vma->vm_file,
					      vma->vm_start, text_refusal(vma));
			probe_file_put(file);
			continue;
		}
		ret = mapping_list_add(list, file, vma);
		if (ret) {
			probe_file_put(file);
			break;
		}
	}
	mmap_read_unlock(mm);
	return ret;
}

/* A program may map a file as often as it likes: so many of the requests then at a time. */
#define REQUESTS_MANY	8192U

/**
 * struct request_list - what is to be attached in one address space
 * @requests: who and where; a reference of each consumer is held
 * @nr: how many
 * @room: for how many there is memory
 */
struct request_list {
	struct attach_request *requests;
	unsigned int nr;
	unsigned int room;
};

static int request_list_add(struct request_list *list, const struct mapping *map,
			    struct consumer *c, struct mm_struct *mm)
{
	int ret;

	if (c->file.offset < map->offset || c->file.offset - map->offset >= map->end - map->start)
		return 0;
	if (c->u->filter && !c->u->filter(c->u, mm))
		return 0;
	ret = list_grow((void **)&list->requests, list->nr, &list->room,
			sizeof(*list->requests));
	if (ret)
		return ret;
	consumer_get(c);
	list->requests[list->nr++] = (struct attach_request) {
		.consumer = c,
		.addr = map->start + (c->file.offset - map->offset),
		.where = { .inode = map->file->inode, .offset = c->file.offset },
	};
	return 0;
}

static void request_list_drop(struct request_list *list)
{
	while (list->nr)
		consumer_put(list->requests[--list->nr].consumer);
}

/*
 * The consumers that probe the file of @map: those of @only, which the caller
 * is registering, or all.
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
	/* Held also because it keeps the clients' structures. */
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
 * The place is put in at the next mapping of a probed file. What comes there until then is not
 * seen, which is counted as one.  Who is being killed executes nothing more.
 */
static void request_missed(const struct attach_request *request, int err)
{
	if (err == -ENOMEM || (err == -EINTR && !fatal_signal_pending(current)))
		consumer_missed(request->consumer);
}

/**
 * struct spread - one address space's turn
 * @mm: the address space
 * @pmm: the same, once there is something to attach
 * @watched: its unwinders are being watched
 * @no_memory: it ran out, and there is none for the rest either, at the program's expense
 * @requests: what is to be attached; the memory is used for further turns
 */
struct spread {
	struct mm_struct *mm;
	struct probed_mm *pmm;
	bool watched;
	bool no_memory;
	struct request_list *requests;
};

/*
 * Attaches what has been collected; none of it is left in the list.  That memory has run
 * out comes before other errors.
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
	/* Until the end of the turn: it looks through all mappings. */
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
			err = ref_ctrs_apply(s->pmm, r->consumer, r->where.inode);
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

/* Attaches those of @only, or all, in one address space; @list is empty before and after. */
static int mapping_apply_by(struct request_list *list, struct mm_struct *mm,
			    struct consumer **only, unsigned int n)
{
	struct spread spread = { .mm = mm, .requests = list };
	struct mapping_list maps = {};
	unsigned int i;
	int ret, err;

	ret = mapping_list_collect(&maps, mm, only ? only[0]->file.probed : NULL, n);
	for (i = 0; i < maps.nr; i++) {
		err = mapping_request(&maps.maps[i], list, mm, only, n);
		ret = ret ?: err;
		if (list->nr >= REQUESTS_MANY) {
			err = spread_requests(&spread);
			ret = ret ?: err;
			if (spread.no_memory)
				break;
		}
		/* A task's own mappings may be another process's, too. */
		if (only && fatal_signal_pending(current)) {
			request_list_drop(list);
			ret = -EINTR;
			break;
		}
		cond_resched();
	}
	err = spread_requests(&spread);
	spread_end(&spread);
	mapping_list_free(&maps);
	ret = ret ?: err;
	/* Of all other errors the log has heard. */
	if (ret == -ENOMEM)
		pr_warn_ratelimited("no memory: a process that maps a probed file is not probed, or not all of it\n");
	return ret;
}

/**
 * mapping_apply() - attach the consumers of files wherever an address space maps them
 * @mm: the address space; the caller keeps it in use
 *
 * The kernel log is told what could not be attached.
 *
 * Context: may sleep; takes probe_file::sem and what comes below.
 * Return: 0 or the first error; what can be attached is.
 */
int mapping_apply(struct mm_struct *mm)
{
	struct request_list list = {};
	int ret = mapping_apply_by(&list, mm, NULL, 0);

	kvfree(list.requests);
	return ret;
}

/**
 * struct mm_list - address spaces, each kept in use
 * @mms: the address spaces
 * @nr: how many
 * @room: for how many there is memory
 */
struct mm_list {
	struct mm_struct **mms;
	unsigned int nr;
	unsigned int room;
};

static void mm_list_drop(struct mm_list *list)
{
	while (list->nr)
		mmput(list->mms[--list->nr]);
}

/* False when there are more than there is memory for. */
static bool mm_list_fill(struct mm_list *list)
{
	struct task_struct *process, *t;
	struct mm_struct *mm;
	bool fits = true;

	rcu_read_lock();
	for_each_process(process) {
		mm = NULL;
		if (process->flags & PF_KTHREAD)
			continue;
		/* The leader may have exited before the others. */
		for_each_thread(process, t) {
			mm = get_task_mm(t);
			if (mm)
				break;
		}
		if (!mm)
			continue;
		if (list->nr == list->room) {
			/* Not ours to end, in here. */
			mmput_async(mm);
			fits = false;
			break;
		}
		list->mms[list->nr++] = mm;
	}
	rcu_read_unlock();
	return fits;
}

/* Registrations that are on their way through the processes, tasks on theirs to new mappings. */
static atomic_t spreading = ATOMIC_INIT(0);

/**
 * mapping_spreading() - whether a child that is forked now may be missed
 *
 * Context: any.
 */
bool mapping_spreading(void)
{
	return atomic_read(&spreading);
}

/**
 * mapping_await() - a task is to see to a new mapping, or has
 * @change: 1 or -1
 *
 * Context: any.
 */
void mapping_await(int change)
{
	/* Orders what has been attached before. */
	atomic_add_return(change, &spreading);
}

/**
 * mapping_apply_everywhere() - attach consumers in all processes
 * @cs: the consumers, already listed in their files
 * @n: how many
 *
 * Processes that map the file from then on look after themselves, and so do
 * children of those that have been attended to.  A child whose parent's turn
 * has not come is not in the list either; mapping_spreading() tells the fork
 * event to have it look after itself.
 *
 * An error in one process (another breakpoint at the place, no memory) is
 * logged and does not keep the others from being probed.
 *
 * Context: may sleep; takes the locks of mapping_apply(); @cs are claimed by the caller, so
 * that the clients' structures stay.
 * Return: 0; -ENOMEM when the processes could not be listed; -EINTR when the caller is being
 * killed, and not all have been seen to.
 */
int mapping_apply_everywhere(struct consumer **cs, unsigned int n)
{
	struct mm_list list = { .room = 256 };
	struct request_list requests = {};
	unsigned int i;
	int ret = 0;

	mapping_await(1);
	for (;;) {
		list.mms = kvmalloc_array(list.room, sizeof(*list.mms), GFP_KERNEL);
		if (!list.mms) {
			ret = -ENOMEM;
			goto out;
		}
		if (mm_list_fill(&list))
			break;
		mm_list_drop(&list);
		kvfree(list.mms);
		list.room *= 2;
	}
	for (i = 0; i < list.nr; i++) {
		/* What ends then does not wait for the turns of others. */
		if (fatal_signal_pending(current) ||
		    mapping_apply_by(&requests, list.mms[i], cs, n) == -EINTR)
			ret = -EINTR;
		mmput(list.mms[i]);
		cond_resched();
	}
	/* It may have cut the last one's turn short. */
	if (fatal_signal_pending(current))
		ret = -EINTR;
	kvfree(requests.requests);
	kvfree(list.mms);
out:
	mapping_await(-1);
	return ret;
}
