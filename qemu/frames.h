/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The protocol between qemu/drive.c (host) and qemu/guest/init.c (guest) over one virtio-serial
 * port: frames of a header and LEN bytes.
 *
 * All data of a guest goes through this one channel, so its order is kept.  By an acknowledgment
 * the guest knows, before it powers off, that the host has received everything.
 */
#ifndef UPROBES_QEMU_FRAMES_H
#define UPROBES_QEMU_FRAMES_H

#include <stdint.h>

#define FRAME_PORT	"uprobes.io"
#define FRAME_MAX	32768

/**
 * enum frame_type - the type of a frame, and its sender
 * @FRAME_HELLO: guest: COMMAND is about to start
 * @FRAME_STDOUT: guest: output of COMMAND
 * @FRAME_STDERR: guest: error output of COMMAND
 * @FRAME_CREDIT: guest: it has consumed the last FRAME_STDIN, and the host may send the next one
 * @FRAME_CHECKS: guest: COMMAND has ended; checks follow before FRAME_EXIT
 * @FRAME_EXIT: guest: COMMAND has ended; a struct frame_exit
 * @FRAME_FAILED: guest: COMMAND cannot be started; the reason as text
 * @FRAME_STDIN: host: input of COMMAND; an empty frame at the end of the input
 * @FRAME_WINSIZE: host: a struct frame_winsize, if COMMAND runs on a terminal
 * @FRAME_ACK: host: it has received FRAME_EXIT or FRAME_FAILED, and all frames before
 */
enum frame_type {
	FRAME_HELLO	= 'H',
	FRAME_STDOUT	= 'O',
	FRAME_STDERR	= 'E',
	FRAME_CREDIT	= 'C',
	FRAME_CHECKS	= 'K',
	FRAME_EXIT	= 'X',
	FRAME_FAILED	= 'F',
	FRAME_STDIN	= 'I',
	FRAME_WINSIZE	= 'W',
	FRAME_ACK	= 'A',
};

/**
 * struct frame_header - the header of each frame
 * @type: an enum frame_type
 * @len: number of bytes that follow, at most FRAME_MAX
 */
struct frame_header {
	uint32_t type;
	uint32_t len;
};

/**
 * struct frame_exit - the end of COMMAND
 * @status: its exit status, 128 + N after signal N
 * @taint: the kernel's taint bits that were not set when COMMAND started
 */
struct frame_exit {
	uint32_t status;
	uint32_t taint;
};

/**
 * struct frame_winsize - the size of the host's terminal
 * @rows: lines
 * @cols: columns
 */
struct frame_winsize {
	uint16_t rows;
	uint16_t cols;
};

#endif
