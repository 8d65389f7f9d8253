// SPDX-License-Identifier: GPL-2.0
/*
 * Record which basic blocks of uprobes.ko and uprobes_trace.ko have been executed.  A build with
 * COVERAGE=1 calls __sanitizer_cov_trace_pc() in each block.  This module stays loaded while they
 * are unloaded and loaded again.  The file uprobe-cover in debugfs shows the blocks that are new
 * since the last read, as "MODULE.text OFFSET" or "MODULE.init OFFSET".  OFFSET is the distance of
 * the call's return address from the module's cleanup_module() or init_module().
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

/* Limit of offsets in both directions; the text of a module is smaller. */
#define COVER_REACH	(1L << 20)

#define COVER_NEW	1
#define COVER_SHOWN	2
#define COVER_TOLD	3

/**
 * struct cover_part - a part of a module with its own mapping
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

/**
 * struct cover_module - a module
 * @name: its name
 * @module: the module while it is loaded, or NULL
 * @text: its text
 * @init: the text that is freed after loading
 */
static struct cover_module {
	const char *name;
	const struct module *module;
	struct cover_part text;
	struct cover_part init;
} cover_modules[] = {
	{ .name = "uprobes", .text.name = "text", .init.name = "init" },
	{ .name = "uprobes_trace", .text.name = "text", .init.name = "init" },
};

static struct dentry *cover_file;

void __sanitizer_cov_trace_pc(void);

static void notrace cover_reach(struct cover_part *part, unsigned long ip)
{
	long offset = ip - part->anchor + COVER_REACH;

	if (offset >= 0 && offset < 2 * COVER_REACH && !part->reached[offset])
		part->reached[offset] = COVER_NEW;
}

NOKPROBE_SYMBOL(cover_reach);

/* Context: any, the trap included.  Only the two modules call this function. */
void notrace __sanitizer_cov_trace_pc(void)
{
	unsigned long ip = (unsigned long)__builtin_return_address(0);
	const struct module *module;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cover_modules); i++) {
		module = READ_ONCE(cover_modules[i].module);
		if (module && within_module_init(ip, module))
			cover_reach(&cover_modules[i].init, ip);
		else if (module && within_module_core(ip, module))
			cover_reach(&cover_modules[i].text, ip);
	}
}
EXPORT_SYMBOL_GPL(__sanitizer_cov_trace_pc);
NOKPROBE_SYMBOL(__sanitizer_cov_trace_pc);

static int cover_event(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *module = data;
	struct cover_module *cover;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cover_modules); i++) {
		cover = &cover_modules[i];
		if (strcmp(module->name, cover->name))
			continue;
		if (state == MODULE_STATE_COMING) {
			cover->text.anchor = (unsigned long)module->exit;
			cover->init.anchor = (unsigned long)module->init;
			WRITE_ONCE(cover->module, module);
		} else if (state == MODULE_STATE_GOING) {
			WRITE_ONCE(cover->module, NULL);
		}
	}
	return NOTIFY_DONE;
}

static struct notifier_block cover_notifier = {
	.notifier_call = cover_event,
};

static void cover_tell(struct seq_file *m, const char *module, struct cover_part *part)
{
	long offset;

	for (offset = 0; offset < 2 * COVER_REACH; offset++) {
		if (part->reached[offset] != COVER_NEW && part->reached[offset] != COVER_SHOWN)
			continue;
		part->reached[offset] = COVER_SHOWN;
		seq_printf(m, "%s.%s %ld\n", module, part->name, offset - COVER_REACH);
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
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cover_modules); i++) {
		cover_tell(m, cover_modules[i].name, &cover_modules[i].text);
		cover_tell(m, cover_modules[i].name, &cover_modules[i].init);
	}
	/* If the buffer is too small, seq_file calls this function again with a larger one. */
	for (i = 0; i < ARRAY_SIZE(cover_modules) && !seq_has_overflowed(m); i++) {
		cover_told(&cover_modules[i].text);
		cover_told(&cover_modules[i].init);
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
MODULE_DESCRIPTION("Which parts of uprobes.ko and uprobes_trace.ko tests have reached");
MODULE_LICENSE("GPL");
