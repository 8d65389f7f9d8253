// SPDX-License-Identifier: GPL-2.0
/*
 *	cut_short FILE
 *
 * Enables a probe of the kernel's own uprobes through its FILE, in a child.  Kills the child while
 * it waits, mostly for a fork to end (crowd_forks).  Repeats this until a child was killed and the
 * probe is not enabled, up to 200 times.  Prints whether that has happened; if so, the exit status
 * is 0.
 */
#include "puppet.h"

static int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

int main(int argc, char **argv)
{
	char stat[32], text[4096];
	int status, tries;
	pid_t child;

	for (tries = 0; argc == 2 && tries < 200; tries++) {
		child = fork();
		if (!child) {
			write_file(argv[1], "1");
			_exit(0);
		}
		snprintf(stat, sizeof(stat), "/proc/%d/stat", child);
		do {
			if (waitpid(child, &status, WNOHANG) == child) {
				child = 0;
				break;
			}
			read_file(stat, text, sizeof(text));
		} while (!strstr(text, ") D "));
		if (child) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
		}
		read_file(argv[1], text, sizeof(text));
		if (child && WIFSIGNALED(status) && text[0] == '0') {
			printf("killed, try %d\n", tries);
			return 0;
		}
		write_file(argv[1], "0");
	}
	printf("not killed\n");
	return 1;
}
