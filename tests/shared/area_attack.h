/* SPDX-License-Identifier: GPL-2.0 */
/* Attacks of a program on a mapping "[uprobes]" of its own. */
#ifndef AREA_ATTACK_H
#define AREA_ATTACK_H

#include "puppet.h"

/* Attack the area. Return 1 if that succeeded, 0 if it failed, -1 if there is no such attack. */
static int attack_area(const char *how, void *area, size_t size)
{
	void *copy;
	int done;

	if (!strcmp(how, "unmap")) {
		done = !munmap(area, size);
	} else if (!strcmp(how, "overwrite")) {
		done = !mprotect(area, size, PROT_READ | PROT_WRITE | PROT_EXEC);
		if (done)
			memset(area, 0xcc, size);
	} else if (!strcmp(how, "protect")) {
		done = !mprotect(area, size, PROT_NONE);
	} else if (!strcmp(how, "replace")) {
		done = mmap(area, size, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == area;
		if (done)
			memset(area, 0xf4, size);
	} else if (!strcmp(how, "move")) {
		copy = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		done = mremap(area, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, copy) == copy;
	} else if (!strcmp(how, "discard")) {
		/* Discard what was written into the pages of the area. */
		done = !madvise(area, size, MADV_DONTNEED);
	} else {
		done = -1;
	}
	return done;
}

#endif /* AREA_ATTACK_H */
