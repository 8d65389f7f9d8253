// SPDX-License-Identifier: GPL-2.0
/*
 * Executes static probes of the C library: setjmp(), longjmp(), a heap that grows, a thread. Prints
 * the arguments that they get.
 */
#include <malloc.h>
#include "puppet.h"

static jmp_buf env;

static void *thread(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t id;
	void *volatile memory;
	void *result;
	int value;

	printf("env=%p thread=%p\n", (void *)env, (void *)thread);
	value = setjmp(env);
	if (value < 3)
		longjmp(env, value + 1);
	mallopt(M_MMAP_THRESHOLD, 1 << 24);
	memory = malloc(5000000);
	free(memory);
	pthread_create(&id, NULL, thread, (void *)0x1234);
	pthread_join(id, &result);
	printf("value=%d result=%p\n", value, result);
	return 0;
}
