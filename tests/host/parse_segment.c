// SPDX-License-Identifier: GPL-2.0
// test: @+OFFSET finds any place of a file where the kernel and the loader have mapped it
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -D_GNU_SOURCE -Itests/host/parse_shim -Imodule/trace
// cflags: module/trace/segment.c
/*
 * The oracle is this process: of each ELF file that it has mapped, every pair
 * of mappings that the file's program headers ask for.
 */
#include <fcntl.h>
#include <link.h>
#include <linux/kernel.h>
#include <sys/stat.h>
#include <unistd.h>

#include "insn/ktap.h"
#include "segment.h"

#define FILES_MAX 64

static struct loaded {
	char path[256];
	struct dl_phdr_info info;
} loaded[FILES_MAX];
static unsigned int nloaded;

static int note_file(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded *l = &loaded[nloaded];

	/* The kernel's own page has no file. */
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

/* Where the loader has put byte @offset of the file. */
static u64 address(const struct loaded *l, const ElfW(Phdr) *phdr, u64 offset)
{
	return l->info.dlpi_addr + phdr->p_vaddr + (offset - phdr->p_offset);
}

static bool agrees(const struct loaded *l, const struct tracer_bytes *bytes,
		   const ElfW(Phdr) *a, const ElfW(Phdr) *b)
{
	u64 from[] = { a->p_offset, a->p_offset + a->p_filesz - 1 };
	u64 to[] = { b->p_offset, b->p_offset + b->p_filesz / 2,
		     b->p_offset + b->p_filesz - 1 };
	unsigned int i, j;
	s64 distance;

	for (i = 0; i < ARRAY_SIZE(from); i++) {
		for (j = 0; j < ARRAY_SIZE(to); j++) {
			if (tracer_segment_distance(bytes, from[i], to[j],
						    &distance) ||
			    address(l, a, from[i]) + distance !=
			    address(l, b, to[j]))
				return false;
			/* And what is there is what the file holds. */
			if (!(b->p_flags & PF_W) && b->p_flags & PF_R) {
				u8 byte;

				if (bytes->read(bytes->file, to[j], &byte, 1) ||
				    byte != *(u8 *)address(l, b, to[j]))
					return false;
			}
		}
	}
	return true;
}

static void check_file(const struct loaded *l)
{
	int fd = open(l->path, O_RDONLY), i, j;
	struct tracer_bytes bytes = { .read = read_fd, .file = &fd };
	const ElfW(Phdr) *a, *b;
	unsigned int pairs = 0;
	struct stat st;
	s64 distance;
	bool good = fd >= 0;

	for (i = 0; good && i < l->info.dlpi_phnum; i++) {
		a = &l->info.dlpi_phdr[i];
		if (a->p_type != PT_LOAD)
			continue;
		for (j = 0; good && j < l->info.dlpi_phnum; j++) {
			b = &l->info.dlpi_phdr[j];
			if (b->p_type != PT_LOAD)
				continue;
			good = agrees(l, &bytes, a, b);
			pairs++;
		}
	}
	ktap_ok(good && pairs >= 4, "%s: %u pairs of segments", l->path, pairs);

	/* Section headers lie behind all segments. */
	fstat(fd, &st);
	ktap_ok(tracer_segment_distance(&bytes, loaded->info.dlpi_phdr->p_offset,
					st.st_size - 1, &distance) == -ENOENT,
		"%s: its last byte is in none", l->path);
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

/* Cut off at each length, and with each byte of its headers changed. */
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
	ktap_ok(true, "a file that ends early does no harm");
	blob.len = sizeof(copy);
	for (i = 0; i < 1024; i++) {
		for (bit = 0; bit < 8; bit++) {
			copy[i] = whole[i] ^ 1 << bit;
			tracer_segment_distance(&bytes, 0, 512, &distance);
		}
		copy[i] = whole[i];
	}
	ktap_ok(true, "nor do 8192 wrong bits");

	blob.data = (const u8 *)"#!/bin/sh\n";
	blob.len = 10;
	ktap_ok(!tracer_segment_distance(&bytes, 8, 2, &distance) &&
		distance == -6, "a file of another kind is one piece");
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
