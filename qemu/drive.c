// SPDX-License-Identifier: GPL-2.0
/*
 * drive [-i] [-b SECONDS] [-t SECONDS] RESULT WORDS PROGRAM [ARG...]
 *
 * The host side of a guest.  Runs PROGRAM (a QEMU) with one end of a socket pair as descriptor 3,
 * and exchanges frames (frames.h) with the guest's init over the other end.  Transfers standard
 * input, output and error output unchanged, until the guest's COMMAND has ended and the guest has
 * powered off.  With -i, if standard input is a terminal, drive puts it in raw mode, and sends its
 * size to the guest.  The output of PROGRAM itself goes to the file WORDS.
 *
 * drive kills PROGRAM if COMMAND has not started within the SECONDS of -b; if COMMAND has not ended
 * within the SECONDS of -t after its start; if the output of drive is closed; or on a signal.  The
 * kernel kills PROGRAM if drive dies.  The file RESULT gets these lines:
 *
 *   hello          COMMAND was started
 *   status N       COMMAND ended with exit status N
 *   taint N        taint bits that COMMAND has added to the guest's kernel
 *   failed TEXT    the guest could not start COMMAND
 *   timeout        one of the time limits was over
 *   signal N       drive got signal N; 13 if its output was closed
 *   crash N        signal N ended PROGRAM, and drive has not sent it
 *
 * Exit status: 0 if RESULT has been written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "frames.h"

#define GUEST_FD	3
#define CHECK_SECONDS	300	/* limit for the checks of the guest after COMMAND */
#define OFF_SECONDS	20	/* limit for powering off */

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t resized;
static struct termios saved_tty;
static bool raw;
static FILE *result;
static time_t deadline;	/* 0: none */
static time_t limit;

static void on_stop(int sig)
{
	stop_signal = sig;
}

static void on_resize(int sig)
{
	(void)sig;
	resized = 1;
}

/* The signal only has to interrupt a system call that blocks. */
static void on_tick(int sig)
{
	(void)sig;
}

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "drive: %s: %s\n", what, strerror(errno));
	exit(125);
}

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

static bool over(void)
{
	return stop_signal || (deadline && now() >= deadline);
}

static void catch(int sig, void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigaction(sig, &sa, NULL);
}

/* Write all data.  On an error set stop_signal; when the time is over, return. */
static void write_out(int fd, const char *p, size_t len)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	ssize_t n;

	while (len && !over()) {
		n = write(fd, p, len);
		if (n >= 0) {
			p += n;
			len -= n;
		} else if (errno == EAGAIN) {
			poll(&pfd, 1, 1000);
		} else if (errno != EINTR) {
			stop_signal = SIGPIPE;
		}
	}
}

static void send_frame(int fd, enum frame_type type, const void *data, size_t len)
{
	struct frame_header head = { .type = type, .len = len };
	char buf[sizeof(head) + FRAME_MAX];
	size_t done = 0;
	ssize_t n;

	memcpy(buf, &head, sizeof(head));
	memcpy(buf + sizeof(head), data, len);
	len += sizeof(head);
	while (done < len && !over()) {
		n = send(fd, buf + done, len - done, MSG_NOSIGNAL);
		if (n > 0)
			done += n;
		else if (n < 0 && errno != EINTR)
			return;
	}
}

static void send_size(int fd)
{
	struct frame_winsize size;
	struct winsize ws;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &ws))
		return;
	size.rows = ws.ws_row;
	size.cols = ws.ws_col;
	send_frame(fd, FRAME_WINSIZE, &size, sizeof(size));
}

static void raw_terminal(void)
{
	struct termios tty;

	if (tcgetattr(STDIN_FILENO, &saved_tty))
		return;
	tty = saved_tty;
	cfmakeraw(&tty);
	raw = !tcsetattr(STDIN_FILENO, TCSADRAIN, &tty);
	catch(SIGWINCH, on_resize);
}

static pid_t start(const char *words, char **argv, int fd)
{
	pid_t parent = getpid(), pid = fork();
	int in, out;

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	/* Take no signals of the terminal, and die with the parent. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(125);
	in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	out = open(words, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (in < 0 || out < 0)
		_exit(125);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (fd == GUEST_FD)
		fcntl(fd, F_SETFD, 0);
	else
		dup2(fd, GUEST_FD);
	signal(SIGPIPE, SIG_IGN);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "drive: %s: %s\n", argv[0], strerror(errno));
	_exit(125);
}

/* Handle one frame.  Return false if it is the last one of the guest. */
static bool handle(int fd, struct frame_header head, const char *data, bool *credit)
{
	struct frame_exit end;

	switch (head.type) {
	case FRAME_HELLO:
		fprintf(result, "hello\n");
		deadline = limit ? now() + limit : 0;
		*credit = true;
		if (raw)
			send_size(fd);
		return true;
	case FRAME_STDOUT:
		write_out(STDOUT_FILENO, data, head.len);
		return true;
	case FRAME_STDERR:
		write_out(STDERR_FILENO, data, head.len);
		return true;
	case FRAME_CREDIT:
		*credit = true;
		return true;
	case FRAME_CHECKS:
		deadline = limit ? now() + CHECK_SECONDS : 0;
		return true;
	case FRAME_EXIT:
		memcpy(&end, data, sizeof(end));
		fprintf(result, "status %u\ntaint %u\n", end.status, end.taint);
		break;
	case FRAME_FAILED:
		fprintf(result, "failed %.*s\n", (int)head.len, data);
		break;
	default:
		fprintf(stderr, "drive: frame of unknown type %u\n", head.type);
		break;
	}
	send_frame(fd, FRAME_ACK, "", 0);
	return false;
}

/* Read frames of the guest, and handle them.  Return false after the last one. */
static bool receive(int fd, bool *credit)
{
	static char buf[2 * (sizeof(struct frame_header) + FRAME_MAX)];
	static size_t have;
	struct frame_header head;
	size_t used = 0;
	bool more = true;
	ssize_t n;

	n = recv(fd, buf + have, sizeof(buf) - have, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!n)
		return false;
	have += n;
	while (more && have - used >= sizeof(head)) {
		memcpy(&head, buf + used, sizeof(head));
		if (head.len > FRAME_MAX) {
			fprintf(stderr, "drive: the guest sent a broken frame\n");
			return false;
		}
		if (have - used < sizeof(head) + head.len)
			break;
		more = handle(fd, head, buf + used + sizeof(head), credit);
		used += sizeof(head) + head.len;
	}
	have -= used;
	memmove(buf, buf + used, have);
	return more;
}

static void pass_input(int fd, bool *input, bool *credit)
{
	char buf[FRAME_MAX];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	/* An error ends the input, as in a background job, which cannot read its terminal. */
	send_frame(fd, FRAME_STDIN, buf, n > 0 ? n : 0);
	*credit = false;
	*input = n > 0;
}

static void talk(int fd)
{
	bool input = true, credit = false, more = true;

	while (more && !over()) {
		struct pollfd p[] = {
			{ .fd = fd, .events = POLLIN },
			{ .fd = input && credit ? STDIN_FILENO : -1,
			  .events = POLLIN },
		};

		if (poll(p, 2, 1000) < 0 && errno != EINTR)
			die("poll");
		if (resized && raw) {
			resized = 0;
			send_size(fd);
		}
		if (p[0].revents)
			more = receive(fd, &credit);
		if (p[1].revents)
			pass_input(fd, &input, &credit);
	}
}

/* Wait until the guest has powered off.  If it takes too long, kill PROGRAM. */
static void finish(pid_t pid)
{
	time_t end = now() + OFF_SECONDS;
	int status;

	while (!over() && now() < end) {
		if (waitpid(pid, &status, WNOHANG) == pid) {
			if (WIFSIGNALED(status))
				fprintf(result, "crash %d\n", WTERMSIG(status));
			return;
		}
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	struct itimerval tick = { { 1, 0 }, { 1, 0 } };
	bool interactive = false;
	int sv[2], opt;
	pid_t pid;

	while ((opt = getopt(argc, argv, "+ib:t:")) != -1) {
		if (opt == 'i')
			interactive = true;
		else if (opt == 'b')
			deadline = now() + atoi(optarg);
		else if (opt == 't')
			limit = atoi(optarg);
		else
			return 125;
	}
	if (argc - optind < 3) {
		fprintf(stderr, "usage: drive [-i] [-b SECONDS] [-t SECONDS] RESULT WORDS PROGRAM [ARG...]\n");
		return 125;
	}
	result = fopen(argv[optind], "we");
	if (!result)
		die(argv[optind]);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv))
		die("socketpair");

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	catch(SIGINT, on_stop);
	catch(SIGTERM, on_stop);
	catch(SIGHUP, on_stop);
	catch(SIGQUIT, on_stop);
	catch(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &tick, NULL);

	pid = start(argv[optind + 1], argv + optind + 2, sv[1]);
	close(sv[1]);
	if (interactive && isatty(STDIN_FILENO))
		raw_terminal();
	talk(sv[0]);
	finish(pid);
	if (raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &saved_tty);
	if (stop_signal)
		fprintf(result, "signal %d\n", (int)stop_signal);
	else if (over())
		fprintf(result, "timeout\n");
	return fclose(result) ? 125 : 0;
}
