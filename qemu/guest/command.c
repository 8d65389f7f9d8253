// SPDX-License-Identifier: GPL-2.0
/* Run COMMAND, and transfer its input and output. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/**
 * struct command - a running COMMAND
 * @pid: its process
 * @tty: it has a terminal; @in and @out are the master side
 * @in: descriptor to write its input to, -1 if closed
 * @out: descriptor to read its output from, -1 after the end of the output
 * @err: descriptor to read its error output from, -1 after its end; unused on a terminal
 */
struct command {
	pid_t pid;
	bool tty;
	int in;
	int out;
	int err;
};

static void close_input(struct command *c)
{
	if (c->in >= 0 && !c->tty)
		close(c->in);
	c->in = -1;
}

/* Pass input to COMMAND.  If COMMAND has closed its input, drop the data. */
static void feed(struct command *c)
{
	ssize_t n = incoming.input_len;

	if (c->in >= 0) {
		n = write(c->in, incoming.input, incoming.input_len);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {
			close_input(c);
			n = incoming.input_len;
		}
	}
	incoming.input_len -= n;
	memmove(incoming.input, incoming.input + n, incoming.input_len);
	if (!incoming.input_len)
		send_frame(FRAME_CREDIT, "", 0);
}

static void attend_host(struct command *c)
{
	struct winsize ws = { 0 };

	receive();
	if (incoming.resized && c->tty) {
		incoming.resized = false;
		ws.ws_row = incoming.size.rows;
		ws.ws_col = incoming.size.cols;
		ioctl(c->out, TIOCSWINSZ, &ws);
	}
	if (incoming.input_end)
		close_input(c);
}

/* Send one piece of output to the host.  Return false if there is none at the moment. */
static bool carry(int *fd, enum frame_type type)
{
	char buf[FRAME_MAX];
	ssize_t n;

	if (*fd < 0)
		return false;
	n = read(*fd, buf, sizeof(buf));
	if (n > 0) {
		send_frame(type, buf, n);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(*fd);
		*fd = -1;
	}
	return false;
}

static void __attribute__((noreturn))
exec_command(const int fd[3], bool tty)
{
	char *cwd = read_file(RUN "/cwd", NULL);
	char **argv = read_strings(RUN "/argv");
	char **env = read_strings(RUN "/env");
	sigset_t none;
	int e;

	setsid();
	if (tty)
		ioctl(fd[0], TIOCSCTTY, 0);
	dup2(fd[0], STDIN_FILENO);
	dup2(fd[1], STDOUT_FILENO);
	dup2(fd[2], STDERR_FILENO);
	if ((!cwd || chdir(cwd)) && chdir("/"))
		_exit(126);
	clearenv();
	for (; *env; env++)
		putenv(*env);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	e = errno;
	dprintf(STDERR_FILENO, "qemu/run: %s: %s\n", argv[0], strerror(e));
	_exit(e == ENOENT ? 127 : 126);
}

static void open_pipe(int end[2])
{
	if (pipe2(end, O_CLOEXEC))
		fail("pipe: %s", strerror(errno));
}

/* Fill in @c, except for its pid, and set @fd to the descriptors for COMMAND. */
static void open_terminal(struct command *c, int fd[3])
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0 || grantpt(master) || unlockpt(master))
		fail("no terminal for COMMAND: %s", strerror(errno));
	fd[0] = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd[0] < 0)
		fail("no terminal for COMMAND: %s", strerror(errno));
	fd[1] = fd[0];
	fd[2] = fd[0];
	*c = (struct command){
		.tty = true, .in = master, .out = master, .err = -1,
	};
}

static void open_pipes(struct command *c, int fd[3])
{
	int in[2], out[2], err[2];

	open_pipe(in);
	open_pipe(out);
	open_pipe(err);
	fd[0] = in[0];
	fd[1] = out[1];
	fd[2] = err[1];
	*c = (struct command){ .in = in[1], .out = out[0], .err = err[0] };
}

static void start(struct command *c)
{
	int fd[3];

	if (!access(RUN "/tty", F_OK))
		open_terminal(c, fd);
	else
		open_pipes(c, fd);
	fcntl(c->in, F_SETFL, O_NONBLOCK);
	fcntl(c->out, F_SETFL, O_NONBLOCK);
	fcntl(c->err, F_SETFL, O_NONBLOCK);
	send_frame(FRAME_HELLO, "", 0);
	c->pid = fork();
	if (c->pid < 0)
		fail("fork: %s", strerror(errno));
	if (!c->pid)
		exec_command(fd, c->tty);
	close(fd[0]);
	if (!c->tty) {
		close(fd[1]);
		close(fd[2]);
	}
}

/* Reap all ended processes.  If COMMAND is among them, set @status, and return true. */
static bool reap(pid_t command, uint32_t *status)
{
	bool ended = false;
	pid_t pid;
	int s;

	while ((pid = waitpid(-1, &s, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*status = WIFEXITED(s) ? WEXITSTATUS(s) : 128 + WTERMSIG(s);
		ended = true;
	}
	return ended;
}

/* Wait for an event once, and transfer the data that are ready. */
static void turn(struct command *c, int sigfd)
{
	bool full = incoming.input_len;
	struct pollfd p[] = {
		{ .fd = sigfd, .events = POLLIN },
		{ .fd = c->out, .events = POLLIN },
		{ .fd = c->err, .events = POLLIN },
		{ .fd = full ? -1 : port_fd(), .events = POLLIN },
		{ .fd = full ? c->in : -1, .events = POLLOUT },
	};
	struct signalfd_siginfo info;

	poll(p, 5, full && c->in < 0 ? 0 : -1);
	if (p[1].revents)
		carry(&c->out, FRAME_STDOUT);
	if (p[2].revents)
		carry(&c->err, FRAME_STDERR);
	if (c->tty && c->out < 0)
		c->in = -1;
	if (p[3].revents)
		attend_host(c);
	if (incoming.input_len)
		feed(c);
	while (read(sigfd, &info, sizeof(info)) > 0)
		;
}

/* Run COMMAND to its end, and return its exit status; 128 + N after signal N. */
uint32_t run_command(void)
{
	uint32_t status = 0;
	struct command c;
	sigset_t set;
	int sigfd, i;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigfd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (sigfd < 0)
		fail("signalfd: %s", strerror(errno));

	start(&c);
	do {
		turn(&c, sigfd);
	} while (!reap(c.pid, &status));
	/*
	 * The rest of the output of COMMAND is in the pipes.  A child of COMMAND may still be
	 * running, and write for ever, so read no more than the pipes can have held.
	 */
	for (i = 0; i < 64 && carry(&c.out, FRAME_STDOUT); i++)
		;
	for (i = 0; i < 64 && carry(&c.err, FRAME_STDERR); i++)
		;
	return status;
}

/*
 * Run the script with the checks that the host asks for, after COMMAND.  The output of the script
 * goes to the kernel log.
 */
void run_checks(void)
{
	char *script = read_file(RUN "/checks", NULL);
	sigset_t none;
	int fd, status;
	pid_t pid;

	if (!script)
		return;
	send_frame(FRAME_CHECKS, "", 0);
	pid = fork();
	if (!pid) {
		fd = open("/dev/kmsg", O_WRONLY);
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		putenv("PATH=/usr/sbin:/usr/bin:/sbin:/bin");
		execl(script, script, NULL);
		_exit(127);
	}
	if (pid < 0)
		fail("fork: %s", strerror(errno));
	while (waitpid(-1, &status, 0) != pid)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail("%s could not check the guest", script);
}
