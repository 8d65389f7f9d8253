/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reclaim: free the sites and slots that processes have left over from probes.
 */
#ifndef _UPROBES_RECLAIM_H
#define _UPROBES_RECLAIM_H

void reclaim_later(void);
void reclaim_exit(void);

#endif /* _UPROBES_RECLAIM_H */
