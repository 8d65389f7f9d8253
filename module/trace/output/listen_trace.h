/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uprobes_ko:hit - a probe of the control directory was hit, and the hit passed
 * its event's filter and rate.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uprobes_ko

#if !defined(_TRACER_LISTEN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACER_LISTEN_TRACE_H

#include <linux/string.h>
#include <linux/tracepoint.h>

int tracer_listen_begin(void);
void tracer_listen_end(void);

TRACE_EVENT_FN(hit,
	TP_PROTO(const char *group, const char *probe, unsigned long ip,
		 unsigned long ret_ip, const char *args, size_t len),

	TP_ARGS(group, probe, ip, ret_ip, args, len),

	/* Use arrays: the macros for strings differ between kernels. */
	TP_STRUCT__entry(
		__field(unsigned long, ip)
		__field(unsigned long, ret_ip)
		__dynamic_array(char, group, strlen(group) + 1)
		__dynamic_array(char, probe, strlen(probe) + 1)
		__dynamic_array(char, args, len + 1)
	),

	TP_fast_assign(
		__entry->ip = ip;
		__entry->ret_ip = ret_ip;
		memcpy(__get_dynamic_array(group), group, strlen(group) + 1);
		memcpy(__get_dynamic_array(probe), probe, strlen(probe) + 1);
		memcpy(__get_dynamic_array(args), args, len);
		((char *)__get_dynamic_array(args))[len] = 0;
	),

	TP_printk("%s:%s: (0x%lx, 0x%lx)%s", __get_str(group), __get_str(probe),
		  __entry->ip, __entry->ret_ip, __get_str(args)),

	tracer_listen_begin, tracer_listen_end
);

#endif /* _TRACER_LISTEN_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE listen_trace
#include <trace/define_trace.h>
