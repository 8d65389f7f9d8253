// SPDX-License-Identifier: GPL-2.0
/* The guest's end of the virtio-serial port, and powering off. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "guest.h"

struct incoming incoming;

static int port = -1;

int port_fd(void)
{
	return port;
}

static void wait_for(short events)
{
	struct pollfd p = { .fd = port, .events = events };

	poll(&p, 1, 1000);
}

/* Send one frame, and wait for the host as long as necessary. */
void send_frame(enum frame_type type, const void *data, size_t len)
{
	struct {
		struct frame_header head;
		char data[FRAME_MAX];
	} frame = { .head = { .type = type, .len = len } };
	const char *p = (const char *)&frame;
	ssize_t n;

	memcpy(frame.data, data, len);
	len += sizeof(frame.head);
	while (len) {
		n = write(port, p, len);
		if (n > 0) {
			p += n;
			len -= n;
		} else if (n < 0 && errno == EAGAIN) {
			wait_for(POLLOUT);
		} else if (n < 0 && errno != EINTR) {
			return;
		}
	}
}

static void take_frame(struct frame_header head, const char *data)
{
	switch (head.type) {
	case FRAME_STDIN:
		memcpy(incoming.input, data, head.len);
		incoming.input_len = head.len;
		incoming.input_end = !head.len;
		break;
	case FRAME_WINSIZE:
		memcpy(&incoming.size, data, sizeof(incoming.size));
		incoming.resized = true;
		break;
	case FRAME_ACK:
		incoming.acked = true;
		break;
	}
}

/* Read the frames that the host has sent until now. */
void receive(void)
{
	static char buf[2 * (sizeof(struct frame_header) + FRAME_MAX)];
	static size_t have;
	struct frame_header head;
	size_t used = 0;
	ssize_t n;

	n = read(port, buf + have, sizeof(buf) - have);
	if (n > 0)
		have += n;
	while (have - used >= sizeof(head)) {
		memcpy(&head, buf + used, sizeof(head));
		if (have - used < sizeof(head) + head.len)
			break;
		take_frame(head, buf + used + sizeof(head));
		used += sizeof(head) + head.len;
	}
	have -= used;
	memmove(buf, buf + used, have);
}

/*
 * Wait for FRAME_ACK: then the host has received everything.  Stop after 30 tries, as the host may
 * be dead.
 */
void wait_for_ack(void)
{
	int i;

	for (i = 0; i < 30 && !incoming.acked; i++) {
		wait_for(POLLIN);
		receive();
	}
}

void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/* Report to the host and to the kernel log why COMMAND cannot be run, and power off. */
void fail(const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	FILE *log;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log = fopen("/dev/kmsg", "w");
	if (log) {
		fprintf(log, "<3>uprobes-init: %s\n", text);
		fclose(log);
	}
	if (port >= 0) {
		send_frame(FRAME_FAILED, text, strlen(text));
		wait_for_ack();
	}
	power_off();
}

/* Check whether the port @name (vportNpM) is that of FRAME_PORT. */
static bool is_ours(const char *name)
{
	char path[512], text[64];
	bool ours = false;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", name);
	f = fopen(path, "r");
	if (f) {
		ours = fscanf(f, "%63s", text) == 1 && !strcmp(text, FRAME_PORT);
		fclose(f);
	}
	return ours;
}

void open_port(void)
{
	struct dirent *e;
	char path[512];
	DIR *d;
	int i;

	/* The device announces its ports a moment after the driver is loaded. */
	for (i = 0; i < 1000 && port < 0; i++) {
		d = opendir("/sys/class/virtio-ports");
		while (d && (e = readdir(d))) {
			if (e->d_name[0] == '.' || !is_ours(e->d_name))
				continue;
			snprintf(path, sizeof(path), "/dev/%s", e->d_name);
			port = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
			break;
		}
		if (d)
			closedir(d);
		if (port < 0)
			usleep(10000);
	}
	if (port < 0)
		fail("no virtio-serial port %s", FRAME_PORT);
}
