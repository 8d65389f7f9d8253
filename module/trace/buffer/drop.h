/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_DROP_H
#define _TRACER_DROP_H

/**
 * enum tracer_drop - why a hit leaves no record, and does not count as lost either
 * @TRACER_DROP_NOT: it does, or is lost
 * @TRACER_DROP_PID: it is not of a process that is asked for
 * @TRACER_DROP_TID: it is not of the thread that is
 * @TRACER_DROP_UID: it is not of the user who is
 * @TRACER_DROP_COMM: its task does not have the name that is asked for
 * @TRACER_DROP_EXCEPT: it is of a process that is left out
 * @TRACER_DROP_LISTS: set_event_pid or set_event_notrace_pid says so
 * @TRACER_DROP_OFF: nothing is recorded at the moment
 * @TRACER_DROP_FILTER: the event's filter is not true of it
 * @TRACER_DROPS: number of these
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
