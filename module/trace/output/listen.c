// SPDX-License-Identifier: GPL-2.0
/*
 * Telling other tools of hits, with arguments that are rendered: perf,
 * trace-cmd and bpftrace read them from the tracepoint uprobes_ko:hit.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "trace/buffer/buffer.h"
#include "callchain.h"
#include "listen.h"
#include "render.h"

#define CREATE_TRACE_POINTS
#include "listen_trace.h"

/* What tracefs takes in one event, less the other fields; perf takes more. */
#define TEXT_SIZE	(TRACER_FRAGMENT_MAX - sizeof(struct trace_event_raw_hit) -	\
			 sizeof_field(struct tracer_def, group) -			\
			 sizeof_field(struct tracer_def, event) - sizeof(char))

/* As uprobes(4) has it. */
static_assert(TEXT_SIZE >= 3800);

static char __percpu *texts;

/**
 * tracer_listen_init() - get the memory for rendering
 *
 * Return: 0 or -ENOMEM.
 */
int tracer_listen_init(void)
{
	texts = __alloc_percpu(TEXT_SIZE, sizeof(u64));
	return texts ? 0 : -ENOMEM;
}

/**
 * tracer_listen_exit() - free it
 *
 * Context: no handler runs any more.
 */
void tracer_listen_exit(void)
{
	free_percpu(texts);
}

/**
 * tracer_tell() - tell whoever listens of a hit
 * @def: the definition that was hit
 * @record: its record
 * @len: length of the record
 * @ret_ip: of a return, where to
 * @regs: the registers of the program
 *
 * Text that is too long is cut, and ends in "..." then.
 *
 * Context: of the probe handler.
 */
void tracer_tell(const struct tracer_def *def,
		 const struct tracer_record *record, size_t len, u64 ret_ip,
		 const struct pt_regs *regs)
{
	const struct tracer_told told = { .regs = regs, .entry = !ret_ip };
	struct tracer_text text = { .size = TEXT_SIZE, .cut = true };

	/* The trap never interrupts this: it comes from user mode. */
	preempt_disable();
	text.buf = this_cpu_ptr(texts);
	tracer_render_args(&text, def, record, len);
	if (!tracer_text_fits(&text)) {
		memcpy(text.buf + TEXT_SIZE - 3, "...", 3);
		text.len = TEXT_SIZE;
	}
	tracer_telling(&told);
	trace_hit(def->group, def->event, record->entry.ip, ret_ip, text.buf,
		  text.len);
	tracer_telling(NULL);
	preempt_enable();
}
