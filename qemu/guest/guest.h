/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the guest's init: channel.c communicates with the host, root.c builds the file
 * system, command.c runs COMMAND, and init.c calls them in order.
 */
#ifndef UPROBES_QEMU_GUEST_H
#define UPROBES_QEMU_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames.h"

/* The 9p share with the instructions of qemu/run, see init.c. */
#define RUN		"/.uprobes-run"

/**
 * struct incoming - data that the host has sent
 * @input: data for COMMAND that COMMAND has not read yet
 * @input_len: bytes in @input; the host sends no more before FRAME_CREDIT
 * @input_end: the input has ended
 * @acked: FRAME_ACK has been received
 * @resized: @size has changed
 * @size: size of the host's terminal
 */
struct incoming {
	char input[FRAME_MAX];
	size_t input_len;
	bool input_end;
	bool acked;
	bool resized;
	struct frame_winsize size;
};

/* channel.c */
extern struct incoming incoming;
void open_port(void);
int port_fd(void);
void send_frame(enum frame_type type, const void *data, size_t len);
void receive(void);
void wait_for_ack(void);
void power_off(void) __attribute__((noreturn));
void fail(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/* root.c */
char *read_file(const char *path, size_t *len);
char **read_strings(const char *path);
int load_module(const char *path);
void load_boot_modules(void);
void mount_basics(void);
void enter_host_root(void);
void settle(void);
void copy_files(void);
unsigned int read_taint(void);

/* command.c */
uint32_t run_command(void);
void run_checks(void);

#endif
