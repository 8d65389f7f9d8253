// SPDX-License-Identifier: GPL-2.0
// test: @+OFFSET finds the address at which the kernel or the loader has mapped a place of a file
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -D_GNU_SOURCE -Itests/host/parse_shim -Imodule
// cflags: module/trace/fetch/segment.c
/*
 * The test compares with its own process: for each ELF file that it has mapped, it tries every
 * pair of segments.
 */
#include <fcntl.h>
#include <link.h>
#include <linux/kernel.h>
#include <sys/stat.h>
#include <unistd.h>

#include "insn/ktap.h"
#include "trace/fetch/segment.h"

#define FILES_MAX 64

static struct loaded {
	char path[256];
	struct dl_phdr_info info;
} loaded[FILES_MAX];
static unsigned int nloaded;

static int note_file(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded *l = &loaded[nloaded];

	/* The vDSO, which the kernel maps, has no file. */
	if (strstr(info->dlpi_name, "vdso") || nloaded == FILES_MAX)
		return 0;
	snprintf(l->path, sizeof(l->path), "%s",
		 info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
	l->info = *info;
	nloaded++;
	return 0;
}

static int read_fd(void *file, u64 pos, void *buf, size_t len)
{
	ssize_t n = pread(*(int *)file, buf, len, pos);

	return n == (ssize_t)len ? 0 : -ENODATA;
}

/* Return: the address at which the loader has mapped byte @offset of the file. */
static u64 address(const struct loaded *l, int segment, u64 offset)
{
	return l->info.dlpi_addr + l->info.dlpi_phdr[segment].p_vaddr +
	       (offset - l->info.dlpi_phdr[segment].p_offset);
}

/* Return: the file offset of a segment's first, middle or last byte. */
static u64 place(const struct loaded *l, int segment, int which)
{
	u64 last = l->info.dlpi_phdr[segment].p_filesz - 1;

	return l->info.dlpi_phdr[segment].p_offset +
	       (which == 0 ? 0 : which == 1 ? last / 2 : last);
}

/* Check that memory has the same byte as the file. This includes the sanitizer's redzones. */
static __attribute__((no_sanitize("address")))
bool same_byte(const struct loaded *l, const struct tracer_bytes *bytes,
	       int segment, u64 offset)
{
	u8 byte;

	return !bytes->read(bytes->file, offset, &byte, 1) &&
	       byte == *(u8 *)address(l, segment, offset);
}

static bool agrees(const struct loaded *l, const struct tracer_bytes *bytes,
		   int a, int b)
{
	int flags = l->info.dlpi_phdr[b].p_flags, i, j;
	s64 distance;

	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++) {
			if (tracer_segment_distance(bytes, place(l, a, i),
						    place(l, b, j), &distance))
				return false;
			if (address(l, a, place(l, a, i)) + distance !=
			    address(l, b, place(l, b, j)))
				return false;
			/* The loader may have relocated writable data. */
			if ((flags & (PF_R | PF_W)) == PF_R &&
			    !same_byte(l, bytes, b, place(l, b, j)))
				return false;
		}
	}
	return true;
}

static void check_file(const struct loaded *l)
{
	int fd = open(l->path, O_RDONLY), i, j;
	struct tracer_bytes bytes = { .read = read_fd, .file = &fd };
	unsigned int pairs = 0;
	struct stat st;
	s64 distance;
	bool good = fd >= 0;

	for (i = 0; good && i < l->info.dlpi_phnum; i++) {
		if (l->info.dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		for (j = 0; good && j < l->info.dlpi_phnum; j++) {
			if (l->info.dlpi_phdr[j].p_type != PT_LOAD)
				continue;
			good = agrees(l, &bytes, i, j);
			pairs++;
		}
	}
	ktap_ok(good && pairs >= 4, "%s: the distances in %u pairs of segments are right",
		l->path, pairs);

	/* Section headers are behind all segments. */
	fstat(fd, &st);
	ktap_ok(tracer_segment_distance(&bytes, loaded->info.dlpi_phdr->p_offset,
					st.st_size - 1, &distance) == -ENOENT,
		"%s: the last byte of the file is in no segment", l->path);
	close(fd);
}

struct blob {
	const u8 *data;
	size_t len;
};

static int read_blob(void *file, u64 pos, void *buf, size_t len)
{
	const struct blob *blob = file;

	if (pos > blob->len || len > blob->len - pos)
		return -ENODATA;
	memcpy(buf, blob->data + pos, len);
	return 0;
}

/* Try a file that is cut at each length, and with each bit of its headers changed. */
static void check_damaged(void)
{
	static u8 whole[4096], copy[4096];
	struct blob blob = { .data = copy };
	struct tracer_bytes bytes = { .read = read_blob, .file = &blob };
	int fd = open("/proc/self/exe", O_RDONLY);
	size_t i, bit;
	s64 distance;

	if (pread(fd, whole, sizeof(whole), 0) != sizeof(whole))
		abort();
	close(fd);
	memcpy(copy, whole, sizeof(whole));
	for (blob.len = 0; blob.len < 1024; blob.len++)
		tracer_segment_distance(&bytes, 0, 512, &distance);
	ktap_ok(true, "a file that ends early causes no memory error");
	blob.len = sizeof(copy);
	for (i = 0; i < 1024; i++) {
		for (bit = 0; bit < 8; bit++) {
			copy[i] = whole[i] ^ 1 << bit;
			tracer_segment_distance(&bytes, 0, 512, &distance);
		}
		copy[i] = whole[i];
	}
	ktap_ok(true, "8192 wrong bits cause no memory error");

	blob.data = (const u8 *)"#!/bin/sh\n";
	blob.len = 10;
	ktap_ok(!tracer_segment_distance(&bytes, 8, 2, &distance) &&
		distance == -6, "a file that is not ELF counts as one segment");
}

int main(void)
{
	unsigned int i;

	dl_iterate_phdr(note_file, NULL);
	ktap_plan(nloaded * 2 + 3);
	for (i = 0; i < nloaded; i++)
		check_file(&loaded[i]);
	check_damaged();
	return ktap_finish();
}
