// SPDX-License-Identifier: GPL-2.0
/*
 * Has a write() fail at each place where the kernel can have it fail:
 *
 *	fail_nth FILE TEXT UNDO-FILE UNDO-TEXT
 *
 * writes TEXT with the first of the kernel's fault points that it comes to failing,
 * then with the second, and so on until none does, each time undoing what succeeded.
 * Before it undoes what succeeded it says "done N" and waits for a line on its standard
 * input: then somebody can look whether it works. In the kernel's log "fail_nth N" stands
 * before each.
 * Prints how often it failed and with what. Exit status 0 when the last one, without
 * a failure, succeeded, there was an error before it, and all were ENOMEM or EFAULT.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Somebody looks at what has succeeded; false when nobody does. */
static int looked_at(int n)
{
	int c;

	printf("done %d\n", n);
	fflush(stdout);
	while ((c = getchar()) != EOF && c != '\n')
		;
	return c == '\n';
}

static int opened(const char *name, int flags)
{
	int fd = open(name, flags);

	if (fd < 0) {
		perror(name);
		exit(2);
	}
	return fd;
}

int main(int argc, char **argv)
{
	int file, undo, log, nth, n, enomem = 0, efault = 0, others = 0, fired, err;
	char text[16];
	ssize_t done;

	if (argc != 5)
		return 2;
	file = opened(argv[1], O_WRONLY);
	undo = opened(argv[3], O_WRONLY);
	log = opened("/dev/kmsg", O_WRONLY);
	nth = opened("/proc/thread-self/fail-nth", O_RDWR);
	for (n = 1; n < 5000; n++) {
		dprintf(log, "<7>fail_nth %d\n", n);
		snprintf(text, sizeof(text), "%d", n);
		if (pwrite(nth, text, strlen(text), 0) < 0)
			return 2;
		done = write(file, argv[2], strlen(argv[2]));
		err = errno;
		memset(text, 0, sizeof(text));
		/* What has not failed until now may do so here. */
		fired = pread(nth, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
		pwrite(nth, "0", 1, 0);
		if (done < 0 && err == ENOMEM) {
			enomem++;
		} else if (done < 0 && err == EFAULT) {
			efault++;
		} else if (done < 0) {
			others++;
			printf("failure %d: %s\n", n, strerror(err));
		} else if (!looked_at(n) || write(undo, argv[4], strlen(argv[4])) < 0) {
			perror("undoing");
			return 1;
		}
		if (!fired)
			break;
	}
	printf("%d failures: %d ENOMEM, %d EFAULT, %d others, %d without an error\n", n - 1,
	       enomem, efault, others, n - 1 - enomem - efault - others);
	return done < 0 || others || !(enomem + efault) || n == 5000;
}
