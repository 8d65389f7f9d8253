// SPDX-License-Identifier: GPL-2.0
/*
 * Report hits to other tools, with the arguments as text.  perf, trace-cmd and bpftrace
 * read the hits from the tracepoint uprobes_ko:hit.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include <uprobes/uprobes.h>

#include "trace/buffer/buffer.h"
#include "callchain.h"
#include "listen.h"
#include "render.h"

#define CREATE_TRACE_POINTS
#include "listen_trace.h"

/* The maximum of an event in tracefs, less the other fields; perf accepts more. */
#define TEXT_SIZE	(TRACER_FRAGMENT_MAX - sizeof(struct trace_event_raw_hit) -	\
			 sizeof_field(struct tracer_def, group) -			\
			 sizeof_field(struct tracer_def, event) - sizeof(char))

/* uprobes(4) documents this minimum. */
static_assert(TEXT_SIZE >= 3800);

static char __percpu *texts;

/* Protects hearing. */
static DEFINE_MUTEX(hearing_mutex);

/*
 * There is a listener.  This is a flag and not a count: if adding a listener fails after
 * tracer_listen_begin(), older kernels do not call tracer_listen_end().
 */
static bool hearing;

/* Listeners take their own time of a hit, and the registers, so the hits must be happening. */
static void hearing_switch(bool on)
{
	mutex_lock(&hearing_mutex);
	if (on != hearing)
		uprobes_disable_rings(on);
	hearing = on;
	mutex_unlock(&hearing_mutex);
}

/**
 * tracer_listen_begin() - uprobes_ko:hit gets a listener
 *
 * Context: may sleep; the kernel's mutex of tracepoints is held.
 * Return: 0.
 */
int tracer_listen_begin(void)
{
	hearing_switch(true);
	return tracer_callchain_listen();
}

/**
 * tracer_listen_end() - uprobes_ko:hit has no listener any more
 *
 * Context: as tracer_listen_begin(); also after the module's exit function.
 */
void tracer_listen_end(void)
{
	tracer_callchain_ignore();
	hearing_switch(false);
}

/**
 * tracer_listen_init() - allocate the memory for the text of arguments
 *
 * Return: 0 or -ENOMEM.
 */
int tracer_listen_init(void)
{
	texts = __alloc_percpu(TEXT_SIZE, sizeof(u64));
	return texts ? 0 : -ENOMEM;
}

/**
 * tracer_listen_exit() - free the memory for the text of arguments
 *
 * Context: no handler runs any more.
 */
void tracer_listen_exit(void)
{
	free_percpu(texts);
}

/**
 * tracer_report() - report a hit to the listeners of uprobes_ko:hit
 * @def: the definition that was hit
 * @record: its record
 * @len: length of the record
 * @ret_ip: the return address; 0 if the hit is not a return
 * @regs: the registers of the program
 *
 * If the text is too long, it is cut and ends in "...".
 *
 * Context: of the probe handler.
 */
void tracer_report(const struct tracer_def *def, const struct tracer_record *record, size_t len,
		   u64 ret_ip, const struct pt_regs *regs)
{
	const struct tracer_reported reported = { .regs = regs, .entry = !ret_ip };
	struct tracer_text text = { .size = TEXT_SIZE, .cut = true };

	/* The trap cannot interrupt this code and use the same text: it comes from user mode. */
	preempt_disable();
	text.buf = this_cpu_ptr(texts);
	tracer_render_args(&text, def, record, len);
	if (!tracer_text_fits(&text)) {
		memcpy(text.buf + TEXT_SIZE - 3, "...", 3);
		text.len = TEXT_SIZE;
	}
	tracer_reporting(&reported);
	trace_hit(def->group, def->event, record->entry.ip, ret_ip, text.buf,
		  text.len);
	tracer_reporting(NULL);
	preempt_enable();
}
