/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control directory.
 */
#ifndef _TRACER_DIRECTORY_H
#define _TRACER_DIRECTORY_H

int tracer_init(void);
void tracer_exit(void);

#endif /* _TRACER_DIRECTORY_H */
