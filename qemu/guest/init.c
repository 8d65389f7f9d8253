// SPDX-License-Identifier: GPL-2.0
/*
 * The first process of a guest of qemu/run, a static program.  The initramfs also has the kernel
 * modules that are needed to reach the host (/modules, loaded in the order of their names), and
 * copies of files of the host (/preload).
 *
 * Mounts the host's root file system (9p, read-only) under a tmpfs that takes all writes, and the
 * other file systems of a running system.  Loads the modules under test, and runs one COMMAND,
 * whose input and output it transfers over a virtio-serial port (frames.h).  When COMMAND has
 * ended, and the host has received everything, powers off.
 *
 * The 9p share "run", a directory of qemu/run, has the instructions:
 *
 *   argv     COMMAND, each argument ended by a NUL
 *   env      environment of COMMAND, each variable ended by a NUL
 *   cwd      directory to start COMMAND in; if it does not exist, /
 *   show     paths of the host that the tmpfs on /tmp etc. must not hide
 *   modules  host directory to mount as /lib/modules/RELEASE
 *   module   kernel modules to load before COMMAND, a line for each; optional
 *   uprobe   program to link as /usr/local/bin/uprobe; optional
 *   checks   program to run after COMMAND; optional
 *   files/   files to copy over the root directory
 *   tty      if this exists, COMMAND gets a terminal
 */
#include <string.h>

#include "guest.h"

int main(void)
{
	struct frame_exit result;
	unsigned int taint;
	char *list, *module;
	int err;

	mount_basics();
	load_boot_modules();
	open_port();
	enter_host_root();
	settle();
	copy_files();
	taint = read_taint();
	list = read_file(RUN "/module", NULL);
	while ((module = strsep(&list, "\n"))) {
		err = *module ? load_module(module) : 0;
		if (err)
			fail("loading %s: %s", module, strerror(err));
	}
	result.status = run_command();
	run_checks();
	result.taint = read_taint() & ~taint;
	send_frame(FRAME_EXIT, &result, sizeof(result));
	wait_for_ack();
	power_off();
}
