// SPDX-License-Identifier: GPL-2.0
/*
 * Runs processes of the program "torture", and torments them:
 *
 *	torture_fleet run PROGRAM SHARED SEED PROCESSES MODE
 *	torture_fleet truth SHARED
 *
 * "run" makes the file SHARED, and keeps PROCESSES processes running.  It sends them signals, stops
 * and continues them, traces them by ptrace, and, unless MODE is 0 (calm), kills them.  After a
 * SIGTERM, it waits until all have ended, prints what it has done, and fails if anything was wrong.
 *
 * "truth" prints what the programs have counted, in lines of "FUNCTION BEGUN DONE LEFT EXTRA".
 */
#include "puppet.h"
#include "torture.h"
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#define PROCESSES	16

static struct shared *shared;
static char **arguments;
static enum mode mode;
static pid_t pids[PROCESSES];
static unsigned int processes;
static uint64_t random_state;
static volatile sig_atomic_t ending;
static unsigned long started, killed, traced, steps, signals, stops, wrong;

static unsigned int draw(unsigned int limit)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_state >> 33) % limit;
}

static void on_term(int sig)
{
	ending = 1;
}

static void map_shared(const char *path, int flags)
{
	int fd = open(path, O_RDWR | flags, 0600);

	if (fd < 0 || (flags && ftruncate(fd, sizeof(*shared))))
		err(2, "%s", path);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		err(2, "%s", path);
	close(fd);
}

static void start(unsigned int i)
{
	char seed[24];
	sigset_t all, none;

	/* The program unblocks the signals when it is ready. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &none);
	snprintf(seed, sizeof(seed), "%u", draw(1u << 30));
	pids[i] = fork();
	if (pids[i] < 0) {
		if (errno != EAGAIN)
			err(2, "fork");
		pids[i] = 0;
	} else if (!pids[i]) {
		execl(arguments[2], arguments[2], "work", arguments[3], seed, arguments[6], NULL);
		err(2, "%s", arguments[2]);
	}
	sigprocmask(SIG_SETMASK, &none, NULL);
	started++;
}

/* Note the end of a child, or of a process that has lost its parent. */
static void gone(pid_t pid, int status)
{
	unsigned int i;

	for (i = 0; i < processes; i++) {
		if (pids[i] == pid)
			pids[i] = 0;
	}
	if (!status || (mode != CALM && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		return;
	wrong++;
	printf("# %s: process %d ended with status %#x\n", arguments[2], pid, status);
}

/*
 * Handle what waitpid() reports.  A traced thread that executes a program is traced under another
 * number then, so detach from it.
 */
static void changed(pid_t pid, int status)
{
	if (WIFSTOPPED(status))
		ptrace(PTRACE_DETACH, pid, 0, status >> 16 || WSTOPSIG(status) == SIGTRAP ?
		       0 : WSTOPSIG(status));
	else
		gone(pid, status);
}

static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
		changed(pid, status);
}

static pid_t some_thread(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	pid_t tid = pid;
	unsigned int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return pid;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && !draw(++n))
			tid = atoi(entry->d_name);
	}
	closedir(dir);
	return tid;
}

/* Check whether an address of a process lies in an SSOL area. */
static int in_area(pid_t pid, unsigned long address)
{
	struct mapping m;
	char path[64];
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	for_each_mapping(&m, path, "[uprobes]") {
		if (address >= m.start && address < m.end)
			found = 1;
	}
	return found;
}

/* Check whether a thread exists under this number and is traced by this process. */
static int is_ours(pid_t tid)
{
	char path[64], line[128];
	int tracer = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	status = fopen(path, "r");
	if (!status)
		return 0;
	while (fgets(line, sizeof(line), status)) {
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	}
	fclose(status);
	return tracer == getpid();
}

/*
 * Wait for a thread to stop.  Return false if it will not stop any more, or if it is time to end.
 *
 * Wait for all children.  A process that dies, or executes a program, may itself wait for a thread
 * that has exited.  That thread stays until this process has waited for it.
 */
static int wait_stop(pid_t tid, int *sig)
{
	unsigned int n = 0;
	int status;
	pid_t got;

	while ((got = waitpid(-1, &status, WNOHANG | __WALL)) != tid) {
		if (got < 0 || ending)
			return 0;
		if (got > 0) {
			changed(got, status);
			continue;
		}
		/* The thread may have got another number, by executing a program. */
		if (++n % 1000 == 0 && !is_ours(tid))
			return 0;
		usleep(50);
	}
	if (!WIFSTOPPED(status)) {
		gone(tid, status);
		return 0;
	}
	/* Pass a signal on.  A stop of ptrace itself is no signal. */
	*sig = WSTOPSIG(status);
	if (status >> 16 || *sig == SIGTRAP)
		*sig = 0;
	return 1;
}

/*
 * Detach from a thread, whatever happens.  Else the next PTRACE_SEIZE would wait for an execve()
 * that waits for this thread.
 */
static void let_go(pid_t tid, int sig)
{
	while (ptrace(PTRACE_DETACH, tid, 0, sig) && wait_stop(tid, &sig))
		;
}

static void trace(pid_t pid)
{
	struct user_regs_struct regs;
	pid_t tid = some_thread(pid);
	int n = draw(40), sig = 0;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0))
		return;
	traced++;
	if (!ptrace(PTRACE_INTERRUPT, tid, 0, 0) && !wait_stop(tid, &sig))
		return;
	while (n-- > 0) {
		if (!ptrace(PTRACE_GETREGS, tid, 0, &regs) && in_area(pid, regs.rip)) {
			wrong++;
			printf("# %s: ptrace shows thread %d at %#llx\n", arguments[2], tid,
			       regs.rip);
		}
		if (ptrace(PTRACE_SINGLESTEP, tid, 0, sig))
			break;
		if (!wait_stop(tid, &sig))
			return;
		steps++;
		if (mode != CALM && !draw(200)) {
			kill(pid, SIGKILL);
			killed++;
		}
	}
	let_go(tid, sig);
}

static void torment(pid_t pid)
{
	int i;

	switch (draw(8)) {
	case 0:
		trace(pid);
		break;
	case 1:
		stops++;
		kill(pid, SIGSTOP);
		usleep(draw(3000));
		kill(pid, SIGCONT);
		break;
	case 2:
		for (i = draw(30); i > 0; i--, signals++)
			kill(pid, SIGUSR1);
		break;
	case 3:
		if (mode != CALM) {
			killed++;
			kill(pid, SIGKILL);
		}
		break;
	}
}

/* Print where the processes are that do not end.  The caller's time limit ends this program. */
static void complain(void)
{
	char command[128];
	unsigned int i;

	printf("# %s: processes do not end\n", arguments[2]);
	for (i = 0; i < processes; i++) {
		if (!pids[i])
			continue;
		snprintf(command, sizeof(command),
			 "grep -H . /proc/%d/task/*/wchan /proc/%d/task/*/syscall",
			 pids[i], pids[i]);
		fflush(stdout);
		if (system(command))
			printf("# %d cannot be looked at\n", pids[i]);
	}
}

static int run(void)
{
	struct sigaction act = { .sa_handler = on_term };
	unsigned int i, waited = 0;
	int status;
	pid_t pid;

	sigaction(SIGTERM, &act, NULL);
	map_shared(arguments[3], O_CREAT | O_TRUNC);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	random_state = strtoul(arguments[4], NULL, 0);
	while (!ending) {
		for (i = 0; i < processes; i++) {
			if (!pids[i])
				start(i);
		}
		usleep(1000 + draw(10000));
		reap();
		i = draw(processes);
		if (pids[i])
			torment(pids[i]);
	}
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELEASE);
	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) >= 0) {
		if (pid)
			changed(pid, status);
		if (!pid) {
			usleep(10000);
			if (++waited % 6000 == 0)
				complain();
		}
	}
	wrong += shared->wrong;
	printf("# %s: started %lu, killed %lu, stopped %lu, signals %lu, ",
	       strrchr(arguments[2], '/') + 1, started, killed, stops, signals);
	printf("traced %lu, steps %lu, wrong %lu\n", traced, steps, wrong);
	return !!wrong;
}

int main(int argc, char **argv)
{
	int i;

	arguments = argv;
	if (argc == 3 && !strcmp(argv[1], "truth")) {
		map_shared(argv[2], 0);
		for (i = 0; i < FUNCTIONS; i++)
			printf("%d %lu %lu %lu %lu\n", i, shared->begun[i], shared->done[i],
			       shared->left[i], shared->extra[i]);
		return 0;
	}
	if (argc != 7 || strcmp(argv[1], "run"))
		errx(2, "usage: torture_fleet run PROGRAM SHARED SEED PROCESSES MODE\n"
			"       torture_fleet truth SHARED");
	processes = atoi(argv[5]);
	mode = atoi(argv[6]);
	if (!processes || processes > PROCESSES)
		errx(2, "%s processes", argv[5]);
	setlinebuf(stdout);
	return run();
}
