// SPDX-License-Identifier: GPL-2.0
/*
 * Record which basic blocks of uprobes.ko have been executed.  A build with COVERAGE=1 calls
 * __sanitizer_cov_trace_pc() in each block.  This module stays loaded while uprobes.ko is unloaded
 * and loaded again.  The file uprobe-cover in debugfs shows the blocks that are new since the last
 * read, as "text OFFSET" or "init OFFSET".  OFFSET is the distance of the call's return address
 * from the module's cleanup_module() or init_module().
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

/* Limit of offsets in both directions; the module's text is smaller. */
#define COVER_REACH	(1L << 20)

#define COVER_NEW	1
#define COVER_SHOWN	2
#define COVER_TOLD	3

/**
 * struct cover_part - a part of the module with its own mapping
 * @name: the first word of its lines
 * @anchor: address of the function from which offsets count; it changes with each load
 * @reached: one byte for each offset
 *
 * Several CPUs may write a byte at the same time without a lock: all of them write the same value.
 */
struct cover_part {
	const char *name;
	unsigned long anchor;
	u8 reached[2 * COVER_REACH];
};

static struct cover_part cover_text = { .name = "text" };
static struct cover_part cover_init = { .name = "init" };
static const struct module *cover_module;
static struct dentry *cover_file;

void __sanitizer_cov_trace_pc(void);

/* Context: any, the trap included.  Only uprobes.ko calls this function. */
void notrace __sanitizer_cov_trace_pc(void)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);
	const struct module *module = READ_ONCE(cover_module);
	struct cover_part *part = &cover_text;
	long offset;

	if (!module)
		return;
	if (within_module_init(ip, module))
		part = &cover_init;
	offset = ip - part->anchor + COVER_REACH;
	if (offset >= 0 && offset < 2 * COVER_REACH && !part->reached[offset])
		part->reached[offset] = COVER_NEW;
}
EXPORT_SYMBOL_GPL(__sanitizer_cov_trace_pc);
NOKPROBE_SYMBOL(__sanitizer_cov_trace_pc);

static int cover_event(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *module = data;

	if (strcmp(module->name, "uprobes"))
		return NOTIFY_DONE;
	if (state == MODULE_STATE_COMING) {
		cover_text.anchor = (unsigned long)module->exit;
		cover_init.anchor = (unsigned long)module->init;
		WRITE_ONCE(cover_module, module);
	} else if (state == MODULE_STATE_GOING) {
		WRITE_ONCE(cover_module, NULL);
	}
	return NOTIFY_DONE;
}

static struct notifier_block cover_notifier = {
	.notifier_call = cover_event,
};

static void cover_tell(struct seq_file *m, struct cover_part *part)
{
	long offset;

	for (offset = 0; offset < 2 * COVER_REACH; offset++) {
		if (part->reached[offset] != COVER_NEW && part->reached[offset] != COVER_SHOWN)
			continue;
		part->reached[offset] = COVER_SHOWN;
		seq_printf(m, "%s %ld\n", part->name, offset - COVER_REACH);
	}
}

static void cover_told(struct cover_part *part)
{
	long offset;

	for (offset = 0; offset < 2 * COVER_REACH; offset++)
		if (part->reached[offset] == COVER_SHOWN)
			part->reached[offset] = COVER_TOLD;
}

static int cover_show(struct seq_file *m, void *unused)
{
	cover_tell(m, &cover_text);
	cover_tell(m, &cover_init);
	/* If the buffer is too small, seq_file calls this function again with a larger one. */
	if (!seq_has_overflowed(m)) {
		cover_told(&cover_text);
		cover_told(&cover_init);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cover);

static int __init cover_start(void)
{
	int err;

	err = register_module_notifier(&cover_notifier);
	if (err)
		return err;
	cover_file = debugfs_create_file("uprobe-cover", 0400, NULL, NULL, &cover_fops);
	if (IS_ERR(cover_file)) {
		unregister_module_notifier(&cover_notifier);
		return PTR_ERR(cover_file);
	}
	return 0;
}

static void __exit cover_stop(void)
{
	debugfs_remove(cover_file);
	unregister_module_notifier(&cover_notifier);
}

module_init(cover_start);
module_exit(cover_stop);
MODULE_DESCRIPTION("Which parts of uprobes.ko its tests have reached");
MODULE_LICENSE("GPL");
