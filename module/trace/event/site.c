// SPDX-License-Identifier: GPL-2.0
/*
 * One probe of an event: its file or process, and its registration.
 *
 * The file is looked up when the probe is defined, and held from then on.  So the definition stands
 * for the same file even if the path changes.  A process is held likewise, by its struct pid.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/slab.h>

#include "site.h"
#include "conditions.h"
#include "hit.h"
#include "index.h"
#include "process.h"
#include "site_args.h"
#include "tasks.h"
#include "trace/parse/argument.h"
#include "trace/parse/parse.h"

/**
 * tracer_file_open() - open the file of a definition
 * @path: PATH as it was written
 * @last: a file that was opened before, or NULL; it is used again if PATH leads to it, because
 *	there may be thousands of definitions for one file
 *
 * A device or a pipe is never opened.
 *
 * Context: may sleep.
 * Return: the file, to be put by fput(); or an ERR_PTR: -EINVAL if it is not a
 * regular file, or the error of the look-up or of opening it.
 */
struct file *tracer_file_open(const char *path, struct file *last)
{
	struct path found;
	struct file *file;
	char *name;
	int ret;

	name = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!name)
		return ERR_PTR(-ENOMEM);
	if (tracer_path_unescape(path, name, PATH_MAX) >= PATH_MAX)
		ret = -ENAMETOOLONG;
	else
		ret = kern_path(name, LOOKUP_FOLLOW, &found);
	kfree(name);
	if (ret)
		return ERR_PTR(ret);

	if (!d_is_reg(found.dentry))
		file = ERR_PTR(-EINVAL);
	else if (last && path_equal(&last->f_path, &found) &&
		 last->f_cred == current_cred())
		file = get_file(last);
	else
		file = dentry_open(&found, O_RDONLY | O_LARGEFILE,
				   current_cred());
	path_put(&found);
	return file;
}

/* Return the file of the site that was defined last; NULL if that site is in no file. */
static struct file *last_file(const struct tracer *t)
{
	const struct tracer_event *event;

	lockdep_assert_held(&t->define);

	if (list_empty(&t->events))
		return NULL;
	event = list_last_entry(&t->events, struct tracer_event, node);
	return list_last_entry(&event->sites, struct tracer_site,
			       node)->rp.u.file;
}

static enum tracer_err open_error(int ret)
{
	switch (ret) {
	case -EINVAL:
		return TRACER_ERR_NO_REGULAR_FILE;
	case -ENOMEM:
		return TRACER_ERR_NO_MEMORY;
	default:
		return TRACER_ERR_FILE_NOT_FOUND;
	}
}

/* Check whether the offsets of the definition lie in the file. */
static int check_offsets(const struct tracer_def *def, struct file *file,
			 struct tracer_diag *diag)
{
	loff_t size = i_size_read(file_inode(file));

	if (def->offset >= size)
		return tracer_diag_fail(diag, TRACER_ERR_OFFS_PAST_END, def->offset_column,
			    -EINVAL);
	if (!def->ref_ctr)
		return 0;
	if (def->ref_ctr & 1)
		return tracer_diag_fail(diag, TRACER_ERR_REFCNT_ODD, def->ref_ctr_column,
			    -EINVAL);
	if (def->ref_ctr >= size)
		return tracer_diag_fail(diag, TRACER_ERR_REFCNT_PAST_END,
			    def->ref_ctr_column, -EINVAL);
	return 0;
}

/* Translate an error of a registration, or of a check, for error_log. */
static enum tracer_err register_error(int ret)
{
	switch (ret) {
	case -EPERM:
		return TRACER_ERR_INSN_REFUSED;
	case -EILSEQ:
		return TRACER_ERR_INSN_BAD;
	case -EEXIST:
		return TRACER_ERR_INSN_TAKEN;
	case -ENOMEM:
		return TRACER_ERR_NO_MEMORY;
	case -ESRCH:
		return TRACER_ERR_PROCESS_GONE;
	default:
		return TRACER_ERR_PROBE_FAILED;
	}
}

static bool is_wanted_mm(struct uprobe *u, struct mm_struct *mm)
{
	const struct tracer_site *site = container_of(u, struct tracer_site, rp.u);

	return tracer_tasks_needs(&site->tracer->tasks, mm);
}

static int find_place(struct tracer *t, struct tracer_site *site,
		      struct tracer_diag *diag)
{
	const struct tracer_def *def = site->def;
	struct pid *process;
	struct file *file;
	int ret;

	site->rp.u.ref_ctr_offset = def->ref_ctr;
	site->rp.u.expect = def->expect;
	site->rp.u.expect_len = def->expect_len;
	process = tracer_process_find(def->path);
	if (IS_ERR(process))
		return tracer_diag_fail(diag, open_error(PTR_ERR(process)), def->path_column,
			    PTR_ERR(process));
	if (process) {
		site->process = process;
		site->rp.u.vaddr = def->offset;
		return 0;
	}
	file = tracer_file_open(def->path, last_file(t));
	if (IS_ERR(file))
		return tracer_diag_fail(diag, open_error(PTR_ERR(file)), def->path_column,
			    PTR_ERR(file));
	site->rp.u.file = file;
	site->rp.u.offset = def->offset;
	if (tracer_tasks_names(&t->tasks))
		site->rp.u.filter = is_wanted_mm;
	ret = check_offsets(def, file, diag);
	if (ret)
		return ret;
	ret = def->kind == TRACER_RETURN ? uretprobe_check(&site->rp) : uprobe_check(&site->rp.u);
	return ret ? tracer_diag_fail(diag, register_error(ret), def->offset_column, ret) : 0;
}

static void put_place(struct tracer_site *site)
{
	if (site->rp.u.file)
		fput(site->rp.u.file);
	put_pid(site->process);
}

/*
 * Compute the maximum record size.  Decide whether a record can be built in the trap, and whether
 * it can be built in the ring buffer.
 */
static void measure(struct tracer_site *site)
{
	const struct tracer_def *def = site->def;
	const size_t stack = TRACER_STACK_MAX * sizeof(u64);
	size_t strings = 0, texts = 0, fixed;
	const struct tracer_arg *arg;
	bool reads_memory = false;
	unsigned int i;

	for (i = 0; i < def->nargs; i++) {
		arg = &def->args[i];
		reads_memory = reads_memory || tracer_arg_reads_memory(arg);
		if (arg->store == TRACER_STORE_STRING)
			strings += TRACER_STRING_MAX *
				   max_t(size_t, arg->count, 1);
		else if (arg->store == TRACER_STORE_TEXT)
			texts += strlen(arg->text) + 1;
		else if (arg->store == TRACER_STORE_COMM)
			texts += TRACER_COMM_LEN;
	}
	fixed = offsetof(struct tracer_record, entry) +
		tracer_strings_offset(def);
	site->size = min_t(size_t, fixed + texts + strings, TRACER_RECORD_MAX);
	site->ring_size = fixed + texts + min_t(size_t, strings, TRACER_RING_STRINGS) + sizeof(u64);
	site->args_at = tracer_args_offset(def);
	site->fixed = tracer_strings_offset(def);
	site->atomic = fixed + stack <= TRACER_TRAP_SIZE;
	site->in_place = !reads_memory &&
			 site->size + stack <= TRACER_FRAGMENT_DATA;
}

/* Let hits come from rings, if all arguments can. */
static void set_ring_handler(struct tracer_site *site)
{
	/* The user of a thread may have changed since the hit. */
	if (site->ring_size <= TRACER_FRAGMENT_DATA && !site->tracer->tasks.has_uid &&
	    tracer_args_in_ring(site->def, &site->rp.u, site->loads))
		site->rp.u.ring_handler = tracer_hit_ring;
}

static void set_handlers(struct tracer_site *site)
{
	struct uretprobe *rp = &site->rp;

	if (site->atomic)
		rp->u.flags = UPROBE_ATOMIC;
	if (site->def->kind == TRACER_RETURN) {
		rp->handler = site->atomic ? tracer_hit_return :
					     tracer_hit_return_task;
		rp->task_handler = tracer_hit_return_task;
	} else {
		rp->u.handler = site->atomic ? tracer_hit_entry :
					       tracer_hit_entry_task;
		rp->u.task_handler = tracer_hit_entry_task;
		set_ring_handler(site);
	}
}

/**
 * tracer_site_create() - create the probe of a definition
 * @t: the tracer
 * @def: the definition, which the site takes over
 * @diag: set to the error if this fails
 *
 * Context: under @t->define.
 * Return: the site, not registered, without an event; or an ERR_PTR, and
 * the caller keeps @def.
 */
struct tracer_site *tracer_site_create(struct tracer *t, struct tracer_def *def,
				       struct tracer_diag *diag)
{
	struct tracer_site *site;
	int ret;

	site = kzalloc(sizeof(*site), GFP_KERNEL);
	if (!site)
		return ERR_PTR(tracer_diag_fail(diag, TRACER_ERR_NO_MEMORY, 0, -ENOMEM));
	INIT_LIST_HEAD(&site->node);
	INIT_LIST_HEAD(&site->batch);
	site->tracer = t;
	site->def = def;

	ret = find_place(t, site, diag);
	if (!ret)
		ret = tracer_args_place(def, site->rp.u.file, diag);
	if (ret) {
		put_place(site);
		kfree(site);
		return ERR_PTR(ret);
	}

	site->registers = tracer_args_find_registers(def);
	tracer_args_find_values(def);
	measure(site);
	set_handlers(site);
	return site;
}

/**
 * tracer_site_destroy() - free a probe
 * @site: the probe, not registered
 *
 * Its definition is freed with it, unless the event's format owns the definition.
 *
 * Context: under tracer.define.
 */
void tracer_site_destroy(struct tracer_site *site)
{
	tracer_index_del_site(site->tracer, site);
	if (!site->format || site->format->def != site->def)
		tracer_def_free(site->def);
	put_place(site);
	kfree(site);
}

/**
 * tracer_site_register() - register a probe
 * @site: the probe
 * @diag: set to the error if this fails
 *
 * Context: under tracer.lock.
 * Return: as register_uprobe().
 */
int tracer_site_register(struct tracer_site *site, struct tracer_diag *diag)
{
	int ret;

	lockdep_assert_held(&site->tracer->lock);

	ret = tracer_site_aim(site);
	tracer_site_conditions(site);
	if (!ret && site->def->kind == TRACER_RETURN)
		ret = register_uretprobe(&site->rp);
	else if (!ret)
		ret = register_uprobe(&site->rp.u);
	if (!ret)
		return 0;

	diag->err = register_error(ret);
	return ret;
}

/**
 * tracer_site_unregister() - unregister a probe
 * @site: the probe
 *
 * Context: under tracer.lock.  No handler of it runs when this returns.
 */
void tracer_site_unregister(struct tracer_site *site)
{
	lockdep_assert_held(&site->tracer->lock);

	if (site->def->kind == TRACER_RETURN)
		unregister_uretprobe(&site->rp);
	else
		unregister_uprobe(&site->rp.u);
}
