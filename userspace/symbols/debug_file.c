// SPDX-License-Identifier: GPL-2.0
/*
 * Places where distributions put the symbols of a stripped file (GDB manual,
 * "Separate Debug Files" and "MiniDebugInfo"):
 *
 *   DEBUG_DIR/.build-id/ab/cdef....debug    named by the build ID
 *   DIR/NAME, DIR/.debug/NAME, DEBUG_DIR/DIR/NAME
 *                                           named by .gnu_debuglink, whose CRC
 *                                           must be that of the whole file
 *   .gnu_debugdata                          an xz-compressed ELF file inside
 */
#include "debug_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/error.h"
#include "util/util.h"

/* A few bytes of xz data can request any amount of memory; real files need 10 MiB. */
#define MINI_MEMORY_MAX (64ull << 20)
#define MINI_SIZE_MAX (256ull << 20)

static bool same_build_id(const struct elf_image *a, const struct elf_image *b,
			  bool *comparable)
{
	const void *id_a, *id_b;
	ssize_t len_a = dwelf_elf_gnu_build_id(a->elf, &id_a);
	ssize_t len_b = dwelf_elf_gnu_build_id(b->elf, &id_b);

	*comparable = len_a > 0 && len_b > 0;
	return *comparable && len_a == len_b && !memcmp(id_a, id_b, len_a);
}

static bool open_quietly(const char *path, struct elf_image *img)
{
	struct error *err;

	if (access(path, R_OK))
		return false;
	err = elf_image_open(path, img);
	error_free(err);
	return !err;
}

static bool open_by_build_id(const struct elf_image *img, const char *debug_dir,
			     struct elf_image *debug)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *id;
	bool ok, comparable;
	char *path, hex[129];
	const void *bytes;
	ssize_t len;

	len = dwelf_elf_gnu_build_id(img->elf, &bytes);
	if (len < 2 || len > 64)
		return false;
	id = bytes;
	for (ssize_t i = 0; i < len; i++) {
		hex[2 * i] = digits[id[i] >> 4];
		hex[2 * i + 1] = digits[id[i] & 15];
	}
	hex[2 * len] = '\0';
	path = xasprintf("%s/.build-id/%.2s/%s.debug", debug_dir, hex, hex + 2);
	ok = open_quietly(path, debug);
	if (ok && !same_build_id(img, debug, &comparable)) {
		remark("%s does not carry the build ID of %s, so its symbols are not used",
		       path, img->path);
		elf_image_close(debug);
		ok = false;
	}
	free(path);
	return ok;
}

static bool crc_matches(const struct elf_image *img, u32 expected)
{
	enum { CHUNK = 1 << 16 };
	_cleanup_free_ char *buf = xmalloc(CHUNK);
	u64 pos = 0;
	u32 crc = 0;
	size_t n;

	while ((n = elf_image_read(img, pos, buf, CHUNK))) {
		crc = crc32_update(crc, buf, n);
		pos += n;
	}
	return pos == img->size && crc == expected;
}

static bool open_link_at(const char *path, u32 crc,
			 const struct elf_image *img, struct elf_image *debug)
{
	bool comparable, same;

	if (!open_quietly(path, debug))
		return false;
	/* The debug link of a file can name the file itself. */
	if (debug->dev == img->dev && debug->ino == img->ino) {
		elf_image_close(debug);
		return false;
	}
	same = same_build_id(img, debug, &comparable);
	if (same || (!comparable && crc_matches(debug, crc)))
		return true;
	remark("%s belongs to another build of %s (%s differs), so its symbols are not used",
	       path, img->path, comparable ? "build ID" : "CRC");
	elf_image_close(debug);
	return false;
}

static bool open_by_link(const struct elf_image *img, const char *debug_dir,
			 struct elf_image *debug)
{
	_cleanup_free_ char *real = realpath(img->file, NULL);
	const char *name, *dir, *base;
	bool found = false;
	GElf_Word crc;
	int dir_len;

	dir = real ? real : img->file;
	base = strrchr(dir, '/');
	dir_len = base ? base - dir : 0;
	name = dwelf_elf_gnu_debuglink(img->elf, &crc);
	if (!name || !*name || strchr(name, '/') || !str_printable(name))
		return false;
	for (int i = 0; i < 3 && !found; i++) {
		static const char *const format[] = {
			"%s%.*s/%s", "%s%.*s/.debug/%s", "%s%.*s/%s",
		};
		char *path = xasprintf(format[i], i == 2 ? debug_dir : "",
				       dir_len, dir, name);

		found = open_link_at(path, crc, img, debug);
		free(path);
	}
	return found;
}

/**
 * debug_file_open() - open the separate debug file of a program or library
 * @img: the program or library
 * @debug_dir: where debug files are installed, normally DEBUG_DIR
 * @debug: filled in if there is one; to be closed by the caller
 *
 * If a debug file belongs to another build, tell the user and do not use it.
 *
 * Return: whether there is one.
 */
bool debug_file_open(const struct elf_image *img, const char *debug_dir,
		     struct elf_image *debug)
{
	return open_by_build_id(img, debug_dir, debug) ||
	       open_by_link(img, debug_dir, debug);
}

static void *unpack_xz(const void *in, size_t in_len, size_t *out_len)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	size_t cap = 1 << 16;
	unsigned char *out;
	lzma_ret ret;

	if (lzma_stream_decoder(&xz, MINI_MEMORY_MAX, 0) != LZMA_OK)
		return NULL;
	out = xmalloc(cap);
	xz.next_in = in;
	xz.avail_in = in_len;
	xz.next_out = out;
	xz.avail_out = cap;
	while ((ret = lzma_code(&xz, LZMA_FINISH)) == LZMA_OK) {
		if (xz.avail_out)
			continue;
		if (cap >= MINI_SIZE_MAX)
			break;
		out = xreallocarray(out, 2, cap);
		xz.next_out = out + cap;
		xz.avail_out = cap;
		cap *= 2;
	}
	*out_len = cap - xz.avail_out;
	lzma_end(&xz);
	if (ret == LZMA_STREAM_END)
		return out;
	free(out);
	return NULL;
}

/**
 * debug_file_open_mini() - unpack the MiniDebugInfo of a program or library
 * @img: the program or library
 * @mini: filled in on success; to be closed by the caller
 *
 * Return: whether there is usable MiniDebugInfo.
 */
bool debug_file_open_mini(const struct elf_image *img, struct elf_image *mini)
{
	struct error *err;
	GElf_Shdr shdr;
	Elf_Data *data;
	Elf_Scn *scn;
	size_t len;
	void *elf;

	scn = elf_image_section(img, ".gnu_debugdata", &shdr);
	data = scn && shdr.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	if (!data || !data->d_buf)
		return false;
	elf = unpack_xz(data->d_buf, data->d_size, &len);
	if (!elf) {
		remark("the .gnu_debugdata section of %s is damaged, so its symbols are not used",
		       img->path);
		return false;
	}
	err = elf_image_from_memory(img->path, elf, len, mini);
	if (err)
		remark(".gnu_debugdata of %s holds no ELF file, so its symbols are not used",
		       img->path);
	error_free(err);
	return !err;
}

static bool first_load(const struct elf_image *img, u64 *vaddr)
{
	for (size_t i = 0; i < img->phnum; i++) {
		if (img->phdrs[i].p_type == PT_LOAD) {
			*vaddr = img->phdrs[i].p_vaddr;
			return true;
		}
	}
	return false;
}

/**
 * debug_file_bias() - get the number to add to an address of a debug file
 * @img: the program or library
 * @debug: its debug file
 *
 * prelink moves a library to other addresses and does not change its debug
 * file.  All addresses move by the same amount.
 */
u64 debug_file_bias(const struct elf_image *img,
		    const struct elf_image *debug)
{
	u64 here, there;

	if (!first_load(img, &here) || !first_load(debug, &there))
		return 0;
	return here - there;
}
