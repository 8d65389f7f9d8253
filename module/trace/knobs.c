// SPDX-License-Identifier: GPL-2.0
/*
 * The small files: tracing_on, buffer_size_kb, README.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "files.h"
#include "trace.h"

static int knob_open(struct inode *inode, struct file *file)
{
	int ret = tracer_files_allowed();

	if (ret)
		return ret;
	file->private_data = inode->i_private;
	return 0;
}

static ssize_t on_read(struct file *file, char __user *ubuf, size_t count,
		       loff_t *ppos)
{
	struct tracer *t = file->private_data;

	return simple_read_from_buffer(ubuf, count, ppos,
				       tracer_buffer_is_on(&t->buffer) ?
				       "1\n" : "0\n", 2);
}

static ssize_t on_write(struct file *file, const char __user *ubuf,
			size_t count, loff_t *ppos)
{
	struct tracer *t = file->private_data;
	unsigned int value;
	int ret;

	ret = kstrtouint_from_user(ubuf, count, 10, &value);
	if (ret)
		return ret;
	WRITE_ONCE(t->buffer.on, value != 0);
	/* trace_pipe ends when nothing more is to come. */
	wake_up_all(&t->buffer.wait);
	*ppos += count;
	return count;
}

const struct file_operations tracer_on_fops = {
	.owner = THIS_MODULE,
	.open = knob_open,
	.read = on_read,
	.write = on_write,
	.llseek = default_llseek,
};

static ssize_t size_read(struct file *file, char __user *ubuf, size_t count,
			 loff_t *ppos)
{
	struct tracer *t = file->private_data;
	unsigned long kb = READ_ONCE(t->buffer.size) / 1024;
	char text[64];
	int len;

	if (READ_ONCE(t->buffer.expanded))
		len = scnprintf(text, sizeof(text), "%lu\n", kb);
	else
		len = scnprintf(text, sizeof(text), "%lu (expanded: %lu)\n",
				2 * PAGE_SIZE / 1024, kb);
	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static ssize_t size_write(struct file *file, const char __user *ubuf,
			  size_t count, loff_t *ppos)
{
	struct tracer *t = file->private_data;
	unsigned int kb;
	int ret;

	ret = kstrtouint_from_user(ubuf, count, 10, &kb);
	if (ret)
		return ret;
	if (!kb)
		return -EINVAL;
	ret = tracer_buffer_resize(&t->buffer, kb * 1024UL);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

const struct file_operations tracer_size_fops = {
	.owner = THIS_MODULE,
	.open = knob_open,
	.read = size_read,
	.write = size_write,
	.llseek = default_llseek,
};

static const char readme[] =
	"Probes on user-space programs: define events in uprobe_events, enable them\n"
	"under events/, read what they record in trace_pipe or trace.\n"
	"\n"
	"# echo 'p:malloc /lib/x86_64-linux-gnu/libc.so.6:0x9d4a0 size=%di:u64' >> uprobe_events\n"
	"# echo 1 > events/uprobes/malloc/enable\n"
	"# cat trace_pipe\n"
	"\n"
	"Files:\n"
	"  uprobe_events    - write definitions, one per line; read them back.\n"
	"                     Opening with truncation (>) removes all, appending (>>) adds\n"
	"  uprobe_profile   - path, event, hits, missed\n"
	"  error_log        - the last errors: message, line, a caret under the column\n"
	"  events/GROUP/EVENT/enable, events/GROUP/enable, events/enable\n"
	"                   - 0 or 1; reads X when only some of the events are enabled\n"
	"  events/GROUP/EVENT/format, id\n"
	"                   - the fields of the event's records\n"
	"  trace            - what was recorded; writing clears it\n"
	"  trace_pipe       - the same, consumed by reading; waits for more\n"
	"  tracing_on       - 0 or 1: record hits\n"
	"  buffer_size_kb   - size of the buffer per CPU\n"
	"\n"
	"Definitions:\n"
	"  p[:[GRP/][EVENT]] PATH:OFFSET[%return] [ARGS] - set a probe\n"
	"  r[:[GRP/][EVENT]] PATH:OFFSET [ARGS]          - set a return probe\n"
	"  -:[GRP/][EVENT] [PATH:OFFSET]                 - remove\n"
	"  # ...                                         - a comment\n"
	"  OFFSET is a position in the file. A PATH holds white space and '#' as \\040, \\043.\n"
	"\n"
	"  ARG:   [NAME=]FETCH[:TYPE]\n"
	"  FETCH: %<register>, $stack, $stack<index>, $retval, $comm, @<address>,\n"
	"         @+<offset in the file>, +|-[u]<offset>(<fetch>), \\<number>, \\\"<text>\"\n"
	"  TYPE:  u8-u64, s8-s64, x8-x64, char, string, ustring, b<width>@<offset>/<size>,\n"
	"         <type>[<array size>]\n";

static ssize_t readme_read(struct file *file, char __user *ubuf, size_t count,
			   loff_t *ppos)
{
	return simple_read_from_buffer(ubuf, count, ppos, readme,
				       strlen(readme));
}

const struct file_operations tracer_readme_fops = {
	.owner = THIS_MODULE,
	.open = knob_open,
	.read = readme_read,
	.llseek = default_llseek,
};
