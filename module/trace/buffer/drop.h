/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_DROP_H
#define _TRACER_DROP_H

/**
 * enum tracer_drop - reason why a hit leaves no record and does not count as lost either
 * @TRACER_DROP_NOT: none: the hit is recorded, or counts as lost
 * @TRACER_DROP_PID: "only pid" or "only tree" excludes its process
 * @TRACER_DROP_TID: "only tid" excludes its thread
 * @TRACER_DROP_UID: "only uid" excludes its user
 * @TRACER_DROP_COMM: "only comm" excludes the name of its task
 * @TRACER_DROP_EXCEPT: "except" excludes its process
 * @TRACER_DROP_LISTS: set_event_pid or set_event_notrace_pid excludes its thread
 * @TRACER_DROP_OFF: recording is off, and no other tool receives the hit
 * @TRACER_DROP_FILTER: the event's filter rejects the hit
 * @TRACER_DROPS: number of reasons
 */
enum tracer_drop {
	TRACER_DROP_NOT,
	TRACER_DROP_PID,
	TRACER_DROP_TID,
	TRACER_DROP_UID,
	TRACER_DROP_COMM,
	TRACER_DROP_EXCEPT,
	TRACER_DROP_LISTS,
	TRACER_DROP_OFF,
	TRACER_DROP_FILTER,
	TRACER_DROPS,
};

#endif /* _TRACER_DROP_H */
