// SPDX-License-Identifier: GPL-2.0
/*
 * First process of a guest of qemu/run; static, alone in the initramfs but for
 * the kernel modules that reach the host (/modules, in the order of their names).
 *
 * Shows the host's root file system (9p, read-only) under a tmpfs that takes all
 * writes, mounts what a running system has mounted, loads the module under test
 * and runs one COMMAND, whose input and output it carries over a virtio-serial
 * port (frames.h). Powers off when COMMAND has ended and the host has it all.
 *
 * What to do comes from the 9p share "run", a directory of qemu/run:
 *
 *   argv     COMMAND, each argument ended by a NUL
 *   env      its environment, likewise
 *   cwd      directory to start it in, / where that is not there
 *   show     paths of the host that must not be hidden by the tmpfs on /tmp etc.
 *   modules  host directory to appear as /lib/modules/RELEASE
 *   module   kernel module to load before COMMAND; may be absent
 *   uprobe   program to appear as /usr/local/bin/uprobe; may be absent
 *   checks   program to run after COMMAND; may be absent
 *   files/   copied over the root directory
 *   tty      when there: COMMAND gets a terminal
 */
#include <string.h>

#include "guest.h"

int main(void)
{
	struct frame_exit result;
	unsigned int taint;
	char *module;
	int err;

	mount_basics();
	load_boot_modules();
	open_port();
	enter_host_root();
	settle();
	copy_files();
	taint = read_taint();
	module = read_file(RUN "/module", NULL);
	if (module) {
		err = load_module(module);
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
