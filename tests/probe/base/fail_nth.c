// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a write() fail at each place where the kernel can make it fail:
 *
 *	fail_nth FILE TEXT UNDO-FILE UNDO-TEXT
 *
 * For N = 1, 2, ..., writes TEXT into FILE while the Nth of the kernel's fault points that the
 * write reaches fails. Stops when no fault point fails any more. If a write succeeds, writes
 * UNDO-TEXT into UNDO-FILE. Before that, prints "done N", and waits for a line on standard input,
 * so that the caller can check whether the result works. Before each write, writes "fail_nth N"
 * into the kernel's log.
 *
 * Prints how often the write failed, and with which errors. The exit status is 0 if the last write,
 * without a failure, succeeded, if an earlier one failed, and if all errors were ENOMEM or EFAULT.
 */
#include "puppet.h"

static int opened(const char *name, int flags)
{
	int fd = open(name, flags);

	if (fd < 0)
		err(2, "%s", name);
	return fd;
}

int main(int argc, char **argv)
{
	int file, undo, log, nth, n, enomem = 0, efault = 0, others = 0, fired, error;
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
		error = errno;
		memset(text, 0, sizeof(text));
		/* If the fault has not fired in the write, it may fire in this read. */
		fired = pread(nth, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
		pwrite(nth, "0", 1, 0);
		if (done < 0 && error == ENOMEM) {
			enomem++;
		} else if (done < 0 && error == EFAULT) {
			efault++;
		} else if (done < 0) {
			others++;
			printf("failure %d: %s\n", n, strerror(error));
		} else {
			printf("done %d\n", n);
			if (!wait_line() || write(undo, argv[4], strlen(argv[4])) < 0)
				err(1, "undoing");
		}
		if (!fired)
			break;
	}
	printf("%d failures: %d ENOMEM, %d EFAULT, %d others, %d without an error\n", n - 1,
	       enomem, efault, others, n - 1 - enomem - efault - others);
	return done < 0 || others || !(enomem + efault) || n == 5000;
}
