// SPDX-License-Identifier: GPL-2.0
/*
 * The small files: jump, tracing_on, set_event_pid, trace_clock, current_tracer, README.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/threads.h>

#include "files.h"
#include "trace/event/pids.h"
#include "trace/event/event_types.h"
#include "trace/lib/decimal.h"
#include "trace/lib/space.h"

static int on_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer *t = f->of;

	return tracer_switch_show(m, tracer_buffer_is_on(&t->buffer));
}

static int on_store(const struct tracer_opened *f, char *text)
{
	struct tracer *t = f->of;
	unsigned int value;
	int ret;

	ret = kstrtouint(text, 10, &value);
	if (ret)
		return ret;
	/* Hits that happened before are recorded, or are not, as it was then. */
	uprobes_empty_rings();
	WRITE_ONCE(t->buffer.on, value != 0);
	/* Wake the readers of trace_pipe: they do not wait while tracing is off. */
	wake_up_all(&t->buffer.wait);
	return 0;
}

static int jump_show(struct seq_file *m, const struct tracer_opened *f)
{
	return tracer_switch_show(m, uprobes_jumps_allowed());
}

static int jump_store(const struct tracer_opened *f, char *text)
{
	bool on;
	int ret = tracer_switch_parse(text, &on);

	if (!ret)
		uprobes_allow_jumps(on);
	return ret;
}

static void *pids_at(struct seq_file *m, loff_t *pos)
{
	const struct tracer_opened *f = m->private;
	struct tracer *t = f->of;

	*pos = tracer_pids_next(&t->pids[f->row->which], *pos);
	/* Any pointer but NULL will do; the number is in *pos. */
	return *pos < PID_MAX_LIMIT ? pos : NULL;
}

static void *pids_start(struct seq_file *m, loff_t *pos)
{
	struct tracer *t = tracer_seq_object(m);

	mutex_lock(&t->lock);
	return pids_at(m, pos);
}

static void *pids_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return pids_at(m, pos);
}

static void pids_stop(struct seq_file *m, void *v)
{
	struct tracer *t = tracer_seq_object(m);

	mutex_unlock(&t->lock);
}

static int pids_show(struct seq_file *m, void *v)
{
	loff_t *pos = v;
	int pid = tracer_pids_seen(*pos);

	if (pid)
		seq_printf(m, "%d\n", pid);
	return 0;
}

static const struct seq_operations pids_seq_ops = {
	.start = pids_start,
	.next = pids_next,
	.stop = pids_stop,
	.show = pids_show,
};

static int pids_store(const struct tracer_opened *f, char *text)
{
	struct tracer *t = f->of;
	int ret;

	mutex_lock(&t->lock);
	ret = tracer_pids_add(&t->pids[f->row->which], text);
	mutex_unlock(&t->lock);
	return ret;
}

static int pids_truncate(const struct tracer_opened *f)
{
	struct tracer *t = f->of;

	mutex_lock(&t->lock);
	tracer_pids_clear(&t->pids[f->row->which]);
	mutex_unlock(&t->lock);
	return 0;
}

/*
 * Files with one possible value.  Scripts write it to select the clock of the buffer, and to turn
 * other tracers off.
 */
static int clock_show(struct seq_file *m, const struct tracer_opened *f)
{
	seq_puts(m, "[local]\n");
	return 0;
}

static int clock_store(const struct tracer_opened *f, char *text)
{
	return strcmp(tracer_trim(text), "local") ? -EINVAL : 0;
}

static int nop_show(struct seq_file *m, const struct tracer_opened *f)
{
	seq_puts(m, "nop\n");
	return 0;
}

/* As in tracefs, a write announces that tracing is about to begin: expand the buffer. */
static int nop_store(const struct tracer_opened *f, char *text)
{
	struct tracer *t = f->of;

	return strcmp(tracer_trim(text), "nop") ? -EINVAL : tracer_buffer_expand(&t->buffer);
}

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
	"  dynamic_events   - the same file under another name\n"
	"  available_events - GROUP:EVENT of all events\n"
	"  set_event        - write GROUP:EVENT, GROUP:*, *:EVENT or NAME of a group or event to\n"
	"                     enable, with a '!' before it to disable; reads what is enabled.\n"
	"                     Opening with truncation (>) disables all\n"
	"  uprobe_profile   - path, event, hits, missed. A hit that fails a comparison of a\n"
	"                     register in the filter is none\n"
	"  instrumentation  - event, process, address, and why each hit traps, or \"no trap\"\n"
	"  jump             - 0 or 1: count, and compare registers, without a trap where possible\n"
	"  error_log        - the last errors: message, line, a caret under the column\n"
	"  events/GROUP/EVENT/enable, events/GROUP/enable, events/enable\n"
	"                   - 0 or 1; reads X when only some of the events are enabled,\n"
	"                     ? when there are none\n"
	"  events/GROUP/EVENT/format, id\n"
	"                   - the fields of the event's records\n"
	"  events/GROUP/EVENT/filter, events/GROUP/filter\n"
	"                   - record only hits that it is true of; 0: all\n"
	"  events/GROUP/EVENT/rate_limit\n"
	"                   - record at most this number of hits a second, miss others; 0: all\n"
	"  events/GROUP/EVENT/synthetic\n"
	"                   - 1: the event is synthetic/EVENT of tracefs, too\n"
	"  trace            - what was recorded; writing clears it\n"
	"  trace_pipe       - the same, consumed by reading; waits for more\n"
	"  tracing_on       - 0 or 1: record hits\n"
	"  buffer_size_kb, buffer_total_size_kb\n"
	"                   - size of the buffer per CPU, and of all\n"
	"  per_cpu/cpuN/trace, trace_pipe, buffer_size_kb, stats\n"
	"                   - the same of one CPU\n"
	"  trace_options, options/NAME\n"
	"                   - overwrite, context-info, irq-info, record-tgid, userstacktrace,\n"
	"                     event-fork\n"
	"  set_event_pid, set_event_notrace_pid\n"
	"                   - record hits of these threads and processes only, or not\n"
	"  session          - definitions written here are enabled and live until the file is\n"
	"                     closed; reading it is a trace_pipe of their hits. Takes lines\n"
	"                     FILE VALUE, too, like: events/uprobes/malloc/filter size > 100.\n"
	"                     Hits and misses: fdinfo of the descriptor in /proc\n"
	"  aggregate        - definitions written here, without arguments, count hits; of return\n"
	"                     probes also how long calls take. Reading: EVENT HITS MISSED\n"
	"                     [NANOSECONDS LONGEST FROM:CALLS...]; closing ends it.\n"
	"                     With one argument, a number, hits are counted by its value; a second\n"
	"                     one is a key: EVENT HITS MISSED [SUM LEAST LARGEST FROM:HITS...]\n"
	"                     The lines of instrumentation: fdinfo of the descriptor.\n"
	"                     Lines before the definitions, also of a session:\n"
	"                     only pid|tree|tid|uid|comm VALUE, except PID\n"
	"  trace_clock, current_tracer, available_tracers\n"
	"                   - always local, and nop\n"
	"\n"
	"Definitions:\n"
	"  p[:[GRP/][EVENT]] PATH:OFFSET[%return][(COUNTER)] [ARGS] - set a probe\n"
	"  r[:[GRP/][EVENT]] PATH:OFFSET[(COUNTER)] [ARGS]          - set a return probe\n"
	"  -:[GRP/][EVENT] [PATH:OFFSET]                            - remove\n"
	"  !p:[GRP/][EVENT] [PATH:OFFSET], !r:...                   - the same\n"
	"  place (uprobe): PATH:OFFSET[%return][(COUNTER)]\n"
	"  # ...                                                    - a comment\n"
	"  OFFSET is a position in the file. A PATH holds white space and '#' as \\040, \\043.\n"
	"  Where PATH is /proc/PID/mem, OFFSET is an address in that process.\n"
	"  COUNTER is the position of a 16-bit number that is incremented while enabled.\n"
	"  Among ARGS, expect=HEX: the instruction has these bytes, or it is not probed.\n"
	"  stack=entry: it is the first one of a function, whose caller is at the stack pointer.\n"
	"  In aggregate, stack=entry and stack=any count by stacks.\n"
	"\n"
	"  ARG:   [NAME=]FETCH[:TYPE]\n"
	"  FETCH: %<register>, $stack, $stack<index>, $retval, $comm, @<address>,\n"
	"         @+<offset in the file>, +|-[u]<offset>(<fetch>[,%<index>[,<scale>]]),\n"
	"         \\imm-value (a number), \\\"imm-string\"\n"
	"  TYPE:  u8-u64, s8-s64, x8-x64, " TRACER_FLOAT_TYPES "char, string, ustring,\n"
	"         string16, string32 (of UTF-16, UTF-32), <string>(<fetch>[:<type>]) with\n"
	"         its length, b<width>@<offset>/<size>,\n"
	"         <type>[<array size>]\n"
	"\n"
	"Filters: FIELD OP VALUE, combined with && || ! and ( )\n"
	"  FIELD: an argument, ARRAY[N], common_pid, comm, cpu, pid, tid, what else format lists\n"
	"  OP:    == != < <= > >= &, of strings == != ~\n"
	"  VALUE: a number, \"text\", for ~ a pattern with * ? [set]\n";

static int readme_show(struct seq_file *m, const struct tracer_opened *f)
{
	seq_puts(m, readme);
	return 0;
}

/* Their object is the tracer. */
const struct tracer_file tracer_knob_files[] = {
	{ "jump", 0640, .show = jump_show, .store = jump_store },
	{ "tracing_on", 0640, .show = on_show, .store = on_store },
	{ "trace_clock", 0640, .show = clock_show, .store = clock_store },
	{ "current_tracer", 0640, .show = nop_show, .store = nop_store },
	{ "available_tracers", 0440, .show = nop_show },
	{ "set_event_pid", 0640, .session = true, .which = TRACER_PIDS_ONLY,
	  .list = &pids_seq_ops, .store = pids_store, .truncate = pids_truncate },
	{ "set_event_notrace_pid", 0640, .session = true, .which = TRACER_PIDS_NEVER,
	  .list = &pids_seq_ops, .store = pids_store, .truncate = pids_truncate },
	{ "README", 0440, .show = readme_show },
	{}
};
