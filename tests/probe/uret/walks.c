// SPDX-License-Identifier: GPL-2.0
/*
 * Walks its stack with nongnu's libunwind, as profilers of heaps do, and prints the number of
 * frames. Without the header of that library, the functions have the names that it makes of unw_*.
 */
#include <dlfcn.h>
#include <stdio.h>

/* As large as, or larger than, unw_context_t and unw_cursor_t. */
static long context[1024], cursor[1024];

static int (*getcontext_)(void *);
static int (*init_local)(void *, void *);
static int (*step)(void *);

__attribute__((noinline)) int look(int depth)
{
	int n = 1;

	if (depth) {
		n = look(depth - 1);
		__asm__ volatile("" : "+r"(n));
		return n;
	}
	getcontext_(context);
	init_local(cursor, context);
	while (step(cursor) > 0)
		n++;
	return n;
}

int main(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW);

	if (library) {
		*(void **)&getcontext_ = dlsym(library, "_Ux86_64_getcontext");
		*(void **)&init_local = dlsym(library, "_ULx86_64_init_local");
		*(void **)&step = dlsym(library, "_ULx86_64_step");
	}
	if (!getcontext_ || !init_local || !step) {
		puts("there is no libunwind.so.8");
		return 1;
	}
	printf("%d frames\n", look(5));
	return 0;
}
