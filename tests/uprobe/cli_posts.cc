// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -no-pie
/*
 * Stands in for the node and the mysqld of Brendan Gregg's posts, since Debian's programs no longer
 * resemble them. It has the probes, with the operands that readelf shows in the posts, and the
 * function that takes a query. Executes each of them three times. With an argument, executes each
 * once for every line of input, and prints the semaphore of a probe.
 */
#include "puppet.h"
#include "sdt.h"

enum enum_server_command { COM_QUERY = 3 };
class THD;

struct request {
	const char *url;
	const char *method;
};

#define NOTE(name, semaphore, operands) SDT_PROBE("node", name, semaphore, operands)

extern "C" {
unsigned short node_http_client_request_semaphore __attribute__((section(".probes"), used));
}

__attribute__((noipa)) static void dtrace_gc_start(void *isolate, int type, int flags)
{
	asm volatile(NOTE("gc__start", "0", "4@%%esi 4@%%edx 8@%%rdi")
		     : : "D" (isolate), "S" (type), "d" (flags));
}

/* If nobody traces the program, it does not compose the request. */
__attribute__((noipa)) static void http_client_request(const char *url, const char *method)
{
	volatile unsigned short *semaphore = &node_http_client_request_semaphore;

	if (*semaphore) {
		struct request request = { url, method };

		asm volatile(NOTE("http__client__request", "node_http_client_request_semaphore",
				  "8@%%rax 8@%%rdx")
			     : : "a" (&request), "d" (method) : "memory");
	}
}

__attribute__((noipa)) bool dispatch_command(enum_server_command, THD *, char *packet, unsigned int)
{
	return packet != nullptr;
}

static void once(int i)
{
	char query[] = "show tables";

	dtrace_gc_start(&query, i % 2 + 1, 0);
	http_client_request("/", "GET");
	dispatch_command(COM_QUERY, nullptr, query, sizeof(query));
}

int main(int argc, char **)
{
	for (int i = 0; argc > 1 || i < 3; i++) {
		if (argc > 1 && !wait_line())
			break;
		once(i);
		if (argc > 1)
			printf("%u\n", (unsigned int)node_http_client_request_semaphore);
	}
	return 0;
}
