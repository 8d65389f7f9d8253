/* SPDX-License-Identifier: GPL-2.0 */
/* Print calls: as lines, as objects, as sums. */
#ifndef _USERSPACE_FLOW_PRINT_H
#define _USERSPACE_FLOW_PRINT_H

#include "flow.h"

/**
 * enum flow_how - how a call has ended
 * @FLOW_RETURNED: by a return
 * @FLOW_LEFT: without a return: by an exception, or longjmp()
 * @FLOW_UNDER_WAY: it has not
 */
enum flow_how {
	FLOW_RETURNED,
	FLOW_LEFT,
	FLOW_UNDER_WAY,
};

void flow_print_begin(struct flow *flow);
void flow_print_task(struct flow *flow, struct flow_task *task);
void flow_print_open(struct flow *flow, struct flow_task *task, size_t n);
void flow_print_call(struct flow *flow, struct flow_task *task, size_t n, u64 time,
		     enum flow_how how);
void flow_print_end(struct flow *flow);

#endif /* _USERSPACE_FLOW_PRINT_H */
