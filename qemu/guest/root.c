// SPDX-License-Identifier: GPL-2.0
/* Build the guest's file system from the host's, and change settings of the kernel. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define P9_OPTIONS	"trans=virtio,version=9p2000.L,msize=262144,cache=loose"

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			errno = 0; /* not every kernel has every knob */
		close(fd);
	}
}

/*
 * Read a whole file.  A NUL follows the data, and does not count in @len.  Return NULL if the file
 * does not exist.
 */
char *read_file(const char *path, size_t *len)
{
	size_t size = 0, have = 0;
	char *text = NULL;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	do {
		if (have + 1 >= size) {
			size = size ? size * 2 : 4096;
			text = realloc(text, size);
			if (!text)
				fail("out of memory reading %s", path);
		}
		n = read(fd, text + have, size - have - 1);
		if (n < 0)
			fail("reading %s: %s", path, strerror(errno));
		have += n;
	} while (n);
	close(fd);
	text[have] = '\0';
	if (len)
		*len = have;
	return text;
}

/* Read a file of NUL-terminated strings, and return a NULL-terminated array of them. */
char **read_strings(const char *path)
{
	size_t len = 0, i, n = 0;
	char *text = read_file(path, &len);
	char **list;

	list = calloc(len + 1, sizeof(*list));
	if (!list)
		fail("out of memory reading %s", path);
	for (i = 0; i < len; i += strlen(text + i) + 1)
		list[n++] = text + i;
	return list;
}

unsigned int read_taint(void)
{
	char *text = read_file("/proc/sys/kernel/tainted", NULL);
	unsigned int taint = text ? strtoul(text, NULL, 10) : 0;

	free(text);
	return taint;
}

static void make_dirs(const char *path)
{
	char buf[4096];
	char *p;

	snprintf(buf, sizeof(buf), "%s", path);
	for (p = buf + 1; *p; p++) {
		if (*p == '/') {
			*p = '\0';
			mkdir(buf, 0755);
			*p = '/';
		}
	}
	mkdir(buf, 0755);
}

static void mount_at(const char *what, const char *where, const char *type,
		     unsigned long flags, const char *options)
{
	mkdir(where, 0755);
	if (mount(what, where, type, flags, options))
		fail("mounting %s on %s: %s", type ? type : what, where,
		     strerror(errno));
}

int load_module(const char *path)
{
	int fd, err = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (syscall(SYS_finit_module, fd, "", 0))
		err = errno;
	close(fd);
	return err;
}

void load_boot_modules(void)
{
	struct dirent **list;
	char path[512];
	int n, i, err;

	n = scandir("/modules", &list, NULL, alphasort);
	for (i = 0; i < n; i++) {
		if (list[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/modules/%s", list[i]->d_name);
		err = load_module(path);
		if (err && err != EEXIST)
			fail("loading %s: %s", path, strerror(err));
	}
}

static void loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0) {
		ioctl(fd, SIOCSIFFLAGS, &ifr);
		close(fd);
	}
}

/* Mount a new tmpfs on @where.  The paths of @show below @where stay visible. */
static void cover(const char *root, const char *where, const char *options,
		  char **show)
{
	char path[4096], fd_path[64];
	size_t len = strlen(where), n;
	struct stat st;
	int fds[64];
	char **s;

	for (n = 0, s = show; *s && n < 64; n++, s++) {
		fds[n] = -1;
		if (strncmp(*s, where, len) || (*s)[len] != '/')
			continue;
		snprintf(path, sizeof(path), "%s%s", root, *s);
		fds[n] = open(path, O_PATH | O_CLOEXEC);
	}
	snprintf(path, sizeof(path), "%s%s", root, where);
	mount_at("tmpfs", path, "tmpfs", 0, options);
	for (n = 0, s = show; *s && n < 64; n++, s++) {
		if (fds[n] < 0)
			continue;
		snprintf(path, sizeof(path), "%s%s", root, *s);
		if (stat(path, &st)) {
			make_dirs(path);
			snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d",
				 fds[n]);
			mount_at(fd_path, path, NULL, MS_BIND | MS_REC, NULL);
		}
		close(fds[n]);
	}
}

static void show_kernel_modules(void)
{
	char *from = read_file(RUN "/modules", NULL);
	struct utsname uts;
	char to[512];

	if (!from || uname(&uts))
		return;
	snprintf(to, sizeof(to), "/lib/modules/%s", uts.release);
	make_dirs(to);
	if (mount(from, to, NULL, MS_BIND, NULL))
		fail("showing %s as %s: %s", from, to, strerror(errno));
	free(from);
}

void mount_basics(void)
{
	mount_at("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount_at("proc", "/proc", "proc", 0, NULL);
	mount_at("sysfs", "/sys", "sysfs", 0, NULL);
}

void enter_host_root(void)
{
	char **show;

	mount_at("run", "/run", "9p", MS_RDONLY, P9_OPTIONS);
	mount_at("host", "/host", "9p", MS_RDONLY, P9_OPTIONS);
	mount_at("tmpfs", "/rw", "tmpfs", 0, "mode=0755,size=75%");
	mkdir("/rw/upper", 0755);
	mkdir("/rw/work", 0755);
	/* /preload has copies of the files that qemu/preload names; they hide those of the host. */
	mount_at("overlay", "/new", "overlay", 0,
		 "lowerdir=/preload:/host,upperdir=/rw/upper,workdir=/rw/work");

	show = read_strings("/run/show");
	cover("/new", "/tmp", "mode=1777,size=75%", show);
	cover("/new", "/run", "mode=0755", show);
	mount_at("proc", "/new/proc", "proc", 0, NULL);
	mount_at("sysfs", "/new/sys", "sysfs", 0, NULL);
	mount_at("debugfs", "/new/sys/kernel/debug", "debugfs", 0, NULL);
	mount_at("tracefs", "/new/sys/kernel/tracing", "tracefs", 0, NULL);
	/* Ignore errors: a kernel may lack cgroup2, and tests that need it report that. */
	mount("cgroup2", "/new/sys/fs/cgroup", "cgroup2", 0, NULL);
	mount_at("devtmpfs", "/new/dev", "devtmpfs", 0, NULL);
	mount_at("devpts", "/new/dev/pts", "devpts", 0,
		 "mode=0620,gid=5,ptmxmode=0666");
	cover("/new", "/dev/shm", "mode=1777", show);
	symlink("/proc/self/fd", "/new/dev/fd");
	symlink("/proc/self/fd/0", "/new/dev/stdin");
	symlink("/proc/self/fd/1", "/new/dev/stdout");
	symlink("/proc/self/fd/2", "/new/dev/stderr");
	mount_at("/run", "/new" RUN, NULL, MS_BIND, NULL);

	if (chdir("/new") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		fail("entering the host's root: %s", strerror(errno));
	show_kernel_modules();
}

void copy_files(void)
{
	int status;
	pid_t pid;

	if (access(RUN "/files", F_OK))
		return;
	pid = fork();
	if (!pid) {
		execl("/bin/cp", "cp", "-R", "--preserve=mode,timestamps",
		      RUN "/files/.", "/", NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		fail("copying the files of -f: cp failed (is the guest's memory full? see -m)");
}

void settle(void)
{
	char *uprobe = read_file(RUN "/uprobe", NULL);

	/* A test must not hang the guest, and no complaint of the kernel may get lost. */
	write_text("/proc/sys/kernel/panic", "-1");
	write_text("/proc/sys/kernel/panic_on_oops", "1");
	write_text("/proc/sys/kernel/printk", "7 4 1 7");
	write_text("/proc/sys/kernel/printk_devkmsg", "on");
	write_text("/proc/sys/kernel/hung_task_timeout_secs", "60");
	write_text("/proc/sys/kernel/hung_task_panic", "1");
	write_text("/proc/sys/kernel/softlockup_panic", "1");
	/* A busy host may not run an emulated CPU for a long time. */
	write_text("/proc/sys/kernel/watchdog_thresh", "30");
	write_text("/proc/sys/kernel/kptr_restrict", "0");
	write_text("/proc/sys/kernel/dmesg_restrict", "0");
	write_text("/proc/sys/kernel/yama/ptrace_scope", "0");
	write_text("/proc/sys/kernel/perf_event_paranoid", "-1");
	write_text("/proc/sys/kernel/core_pattern", "core");
	sethostname("guest", 5);
	loopback_up();
	if (uprobe) {
		make_dirs("/usr/local/bin");
		unlink("/usr/local/bin/uprobe");
		if (symlink(uprobe, "/usr/local/bin/uprobe"))
			fail("linking %s into PATH: %s", uprobe, strerror(errno));
	}
}
