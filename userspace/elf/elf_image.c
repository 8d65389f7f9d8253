// SPDX-License-Identifier: GPL-2.0
#include "elf_image.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/fuse.h"
#include "util/error.h"
#include "util/util.h"

/* More program headers than any linker emits; a limit on hostile files. */
#define PHNUM_MAX 4096

/*
 * mmap refuses a segment whose address and file offset differ modulo the page
 * size, so no such segment is ever executed from the file.
 */
#define PAGE_MASK_MIN 0xfffull

static const char *elf_machine_name(unsigned int machine, unsigned int elf_class)
{
	switch (machine) {
	case EM_X86_64:
		return elf_class == ELFCLASS32 ? "x32" : "64-bit x86";
	case EM_386:
		return "32-bit x86";
	case EM_AARCH64:
		return "64-bit ARM";
	case EM_ARM:
		return "32-bit ARM";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "64-bit PowerPC";
	case EM_S390:
		return "s390";
	default:
		return "another processor";
	}
}

static struct error *not_elf(const char *path, const char *head, size_t len)
{
	char interpreter[128];

	if (!len)
		return error_new(STATUS_RUNTIME,
				 "%s is empty; name a program or a library",
				 path);
	if (len > 2 && head[0] == '#' && head[1] == '!') {
		size_t i = 2, n;

		while (i < len && (head[i] == ' ' || head[i] == '\t'))
			i++;
		for (n = 0; i + n < len && n < sizeof(interpreter) - 1 &&
		     head[i + n] > ' '; n++)
			interpreter[n] = head[i + n];
		interpreter[n] = '\0';
		if (n && str_printable(interpreter))
			return error_new(STATUS_RUNTIME,
					 "%s is a script that %s runs; name that program instead",
					 path, interpreter);
	}
	return error_new(STATUS_RUNTIME,
			 "%s is not an ELF file; name a program or a library",
			 path);
}

static struct error *check_header(struct elf_image *img)
{
	const unsigned char *ident = img->ehdr.e_ident;

	if (ident[EI_DATA] != ELFDATA2LSB ||
	    (img->ehdr.e_machine != EM_X86_64 && img->ehdr.e_machine != EM_386))
		return error_new(STATUS_RUNTIME,
				 "%s is built for %s, which cannot run here; name an x86 program or library",
				 img->path,
				 ident[EI_DATA] == ELFDATA2MSB ?
				 "a big-endian processor" :
				 elf_machine_name(img->ehdr.e_machine,
						  ident[EI_CLASS]));
	switch (img->ehdr.e_type) {
	case ET_EXEC:
	case ET_DYN:
		return NULL;
	case ET_REL:
		return error_new(STATUS_RUNTIME,
				 "%s is an object file that nothing maps; name the program or library that it was linked into",
				 img->path);
	case ET_CORE:
		return error_new(STATUS_RUNTIME,
				 "%s is a core dump; name the program that left it",
				 img->path);
	default:
		return error_new(STATUS_RUNTIME,
				 "%s has an unknown ELF type (%u); name a program or a library",
				 img->path, img->ehdr.e_type);
	}
}

static struct error *image_damaged(const struct elf_image *img, const char *what)
{
	return error_new(STATUS_RUNTIME,
			 "%s is damaged (%s); install it again or name another copy",
			 img->path, what);
}

/* Read the headers.  The caller has set img->elf, img->path and img->size. */
static struct error *read_headers(struct elf_image *img)
{
	struct error *err;
	size_t phnum;

	if (elf_kind(img->elf) != ELF_K_ELF || !gelf_getehdr(img->elf,
							     &img->ehdr))
		return image_damaged(img, elf_errmsg(-1));
	err = check_header(img);
	if (err)
		return err;
	if (elf_getphdrnum(img->elf, &phnum) || phnum > PHNUM_MAX)
		return image_damaged(img, "bad program header count");
	img->phdrs = xcalloc(phnum, sizeof(*img->phdrs));
	for (size_t i = 0; i < phnum; i++)
		if (!gelf_getphdr(img->elf, i, &img->phdrs[i]))
			return image_damaged(img, "program headers lie outside the file");
	img->phnum = phnum;
	return NULL;
}

/* @file: the path as system calls take it; @path: as messages have it */
static struct error *open_error(const char *file, const char *path, int err)
{
	if (err == EACCES && fuse_denies(file))
		return error_new(STATUS_DENIED,
				 "%s cannot be read: it is on a FUSE mount without allow_other, which only its user may read, not even root; get the way to probe a process that has it mapped: uprobe offset -p PID TARGET FUNCTION",
				 path);
	switch (err) {
	case ENOENT:
	case ENOTDIR:
		return error_new(STATUS_NOT_FOUND,
				 "there is no file %s; check the path", path);
	case EACCES:
	case EPERM:
		return error_new(STATUS_DENIED,
				 "%s cannot be read by this user; try it as root",
				 path);
	default:
		return error_new(STATUS_RUNTIME,
				 "%s cannot be opened (%s); check the path and its file system",
				 path, strerror(err));
	}
}

static struct error *open_file(struct elf_image *img)
{
	char head[256];
	struct stat st;
	ssize_t n;

	/* Non-blocking: opening a FIFO must not wait for a writer. */
	img->fd = open(img->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (img->fd < 0)
		return open_error(img->file, img->path, errno);
	if (fstat(img->fd, &st))
		return open_error(img->file, img->path, errno);
	if (S_ISDIR(st.st_mode))
		return error_new(STATUS_RUNTIME,
				 "%s is a directory; name a program or a library in it",
				 img->path);
	if (!S_ISREG(st.st_mode))
		return error_new(STATUS_RUNTIME,
				 "%s is not a regular file; name a program or a library",
				 img->path);
	img->size = st.st_size;
	img->dev = st.st_dev;
	img->ino = st.st_ino;
	n = pread(img->fd, head, sizeof(head), 0);
	if (n < 0)
		return open_error(img->file, img->path, errno);
	if (n < SELFMAG || memcmp(head, ELFMAG, SELFMAG))
		return not_elf(img->path, head, n);
	img->elf = elf_begin(img->fd, ELF_C_READ, NULL);
	if (!img->elf)
		return image_damaged(img, elf_errmsg(-1));
	return read_headers(img);
}

static void image_begin(struct elf_image *img, const char *path)
{
	memset(img, 0, sizeof(*img));
	elf_version(EV_CURRENT);
	img->fd = -1;
	img->file = xstrdup(path);
	img->path = path_escape(path);
}

/**
 * elf_image_open() - open a program or a shared library
 * @path: the file
 * @img: filled in; to be closed with elf_image_close() after success only
 *
 * Read the file instead of mapping it: if another process truncates the file
 * meanwhile, we get an error and not a SIGBUS.
 */
struct error *elf_image_open(const char *path, struct elf_image *img)
{
	struct error *err;

	image_begin(img, path);
	err = open_file(img);
	if (err)
		elf_image_close(img);
	return err;
}

/**
 * elf_image_from_memory() - use bytes in memory as an ELF file
 * @path: its name in messages
 * @bytes: from malloc(); @img takes ownership, also if an error is returned
 * @size: number of @bytes
 * @img: filled in; to be closed with elf_image_close() after success only
 */
struct error *elf_image_from_memory(const char *path, void *bytes, size_t size,
				    struct elf_image *img)
{
	struct error *err;

	image_begin(img, path);
	img->memory = bytes;
	img->size = size;
	img->elf = elf_memory(bytes, size);
	err = img->elf ? read_headers(img) : image_damaged(img, elf_errmsg(-1));
	if (err)
		elf_image_close(img);
	return err;
}

void elf_image_close(struct elf_image *img)
{
	elf_end(img->elf);
	if (img->fd >= 0)
		close(img->fd);
	free(img->phdrs);
	free(img->memory);
	free(img->file);
	free(img->path);
	memset(img, 0, sizeof(*img));
	img->fd = -1;
}

/* Check whether the loader maps a segment and @pos is among the @len bytes from @start. */
static bool segment_has(const GElf_Phdr *ph, u64 start, u64 len,
			u64 pos)
{
	return ph->p_type == PT_LOAD && pos >= start && pos - start < len;
}

static bool segment_maps_file(const GElf_Phdr *ph)
{
	return !((ph->p_vaddr ^ ph->p_offset) & PAGE_MASK_MIN);
}

/**
 * elf_image_probable() - check whether the file has code that can be probed
 * @img: the file
 */
bool elf_image_probable(const struct elf_image *img)
{
	for (size_t i = 0; i < img->phnum; i++)
		if (img->phdrs[i].p_type == PT_LOAD &&
		    img->phdrs[i].p_flags & PF_X && img->phdrs[i].p_filesz)
			return true;
	return false;
}

/**
 * elf_image_data() - find the file offset of the data at an address
 * @img: the image
 * @addr: the address
 * @flags: flags that its segment must have: PF_W, or 0 for none
 * @offset: set on success
 *
 * Return: false if the data is not in the file.
 */
bool elf_image_data(const struct elf_image *img, u64 addr, u32 flags, u64 *offset)
{
	for (size_t i = 0; i < img->phnum; i++) {
		const GElf_Phdr *ph = &img->phdrs[i];
		u64 in = addr - ph->p_vaddr;

		if ((ph->p_flags & flags) == flags &&
		    segment_has(ph, ph->p_vaddr, ph->p_filesz, addr) &&
		    ph->p_offset + in < img->size) {
			*offset = ph->p_offset + in;
			return true;
		}
	}
	return false;
}

/**
 * elf_image_in_memory() - check whether a segment of the file covers an address
 * @img: the image
 * @addr: the address; it may belong to zero-initialized data, which are not in the file
 */
bool elf_image_in_memory(const struct elf_image *img, u64 addr)
{
	for (size_t i = 0; i < img->phnum; i++) {
		const GElf_Phdr *ph = &img->phdrs[i];

		if (segment_has(ph, ph->p_vaddr, ph->p_memsz, addr))
			return true;
	}
	return false;
}

/**
 * elf_image_is_code() - check for file-backed code at an address
 * @img: the file
 * @addr: address, in terms of the file's symbols
 */
bool elf_image_is_code(const struct elf_image *img, u64 addr)
{
	for (size_t i = 0; i < img->phnum; i++) {
		const GElf_Phdr *ph = &img->phdrs[i];

		if (ph->p_flags & PF_X &&
		    segment_has(ph, ph->p_vaddr, ph->p_filesz, addr))
			return true;
	}
	return false;
}

/**
 * elf_image_code_end() - find the end of the code section that an address lies in
 * @img: the file
 * @addr: address, in terms of the file's symbols
 *
 * Return: the address after the section; @addr if no section of code has the address.
 */
u64 elf_image_code_end(const struct elf_image *img, u64 addr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(img->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR &&
		    addr - shdr.sh_addr < shdr.sh_size)
			return shdr.sh_addr + shdr.sh_size;
	return addr;
}

/**
 * elf_image_offset() - convert an address to a file offset
 * @img: the file
 * @addr: address, in terms of the file's symbols
 * @offset: set on success
 *
 * One formula serves all kinds of files (ELF specification, "Program Header"):
 * p_offset + (addr - p_vaddr) of the segment that holds the address.
 */
struct error *elf_image_offset(const struct elf_image *img, u64 addr,
			       u64 *offset)
{
	const GElf_Phdr *found = NULL, *other = NULL;

	for (size_t i = 0; i < img->phnum; i++) {
		const GElf_Phdr *ph = &img->phdrs[i];

		if (!segment_has(ph, ph->p_vaddr, ph->p_memsz, addr) &&
		    !segment_has(ph, ph->p_vaddr, ph->p_filesz, addr))
			continue;
		if (!(ph->p_flags & PF_X) || addr - ph->p_vaddr >= ph->p_filesz) {
			other = ph;
			continue;
		}
		if (found)
			return error_new(STATUS_REFUSED,
					 "%s maps address 0x%llx twice, so its program headers are damaged; install it again or name another copy",
					 img->path, (unsigned long long)addr);
		found = ph;
	}
	if (!found && other && !(other->p_flags & PF_X))
		return error_new(STATUS_REFUSED,
				 "address 0x%llx of %s is data, not code; name a function",
				 (unsigned long long)addr, img->path);
	if (!found && other)
		return error_new(STATUS_REFUSED,
				 "address 0x%llx of %s exists in memory only, the file holds no code for it; name a function",
				 (unsigned long long)addr, img->path);
	if (!found)
		return error_new(STATUS_REFUSED,
				 "address 0x%llx lies in no loaded segment of %s; check it with: readelf -lW %s",
				 (unsigned long long)addr, img->path, img->path);
	if (!segment_maps_file(found))
		return error_new(STATUS_REFUSED,
				 "the code segment of %s at 0x%llx is not aligned with the file, so no loader can map it; install the file again",
				 img->path, (unsigned long long)found->p_vaddr);
	if (found->p_offset > img->size ||
	    addr - found->p_vaddr >= img->size - found->p_offset)
		return error_new(STATUS_REFUSED,
				 "%s is cut short: the code for address 0x%llx lies behind its end; install it again",
				 img->path, (unsigned long long)addr);
	*offset = found->p_offset + (addr - found->p_vaddr);
	return NULL;
}

/**
 * elf_image_addr() - convert a file offset to an address
 * @img: the file
 * @offset: position in the file
 * @addr: set on success, in terms of the file's symbols
 */
struct error *elf_image_addr(const struct elf_image *img, u64 offset,
			     u64 *addr)
{
	if (offset >= img->size)
		return error_new(STATUS_REFUSED,
				 "offset 0x%llx lies behind the end of %s, which has 0x%llx bytes; an address as objdump shows it is written @0x%llx",
				 (unsigned long long)offset, img->path,
				 (unsigned long long)img->size,
				 (unsigned long long)offset);
	for (size_t i = 0; i < img->phnum; i++) {
		const GElf_Phdr *ph = &img->phdrs[i];

		if (ph->p_flags & PF_X && segment_maps_file(ph) &&
		    segment_has(ph, ph->p_offset, ph->p_filesz, offset)) {
			*addr = ph->p_vaddr + (offset - ph->p_offset);
			return NULL;
		}
	}
	return error_new(STATUS_REFUSED,
			 "offset 0x%llx of %s is not code; an address as objdump shows it is written @0x%llx",
			 (unsigned long long)offset, img->path,
			 (unsigned long long)offset);
}

/**
 * elf_image_read() - read bytes of the file
 * @img: the file
 * @offset: position of the first byte
 * @buf: destination
 * @len: number of bytes
 *
 * Return: number of bytes that were read; fewer than @len at the end of the
 * file and on a read error.
 */
size_t elf_image_read(const struct elf_image *img, u64 offset, void *buf,
		      size_t len)
{
	size_t done = 0;

	if (offset >= img->size)
		return 0;
	if (len > img->size - offset)
		len = img->size - offset;
	if (img->fd < 0) {
		memcpy(buf, (const char *)img->memory + offset, len);
		return len;
	}
	while (done < len) {
		ssize_t n = pread(img->fd, (char *)buf + done, len - done,
				  offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += n;
	}
	return done;
}

/**
 * elf_image_linker() - get the dynamic linker that starts a program
 * @img: the program
 *
 * Return: its path, from malloc(); NULL if there is none.
 */
char *elf_image_linker(const struct elf_image *img)
{
	for (size_t i = 0; i < img->phnum; i++) {
		char path[PATH_MAX] = "";
		size_t len = img->phdrs[i].p_filesz;

		if (img->phdrs[i].p_type == PT_INTERP && len < sizeof(path) &&
		    elf_image_read(img, img->phdrs[i].p_offset, path, len) == len)
			return xstrdup(path);
	}
	return NULL;
}

/**
 * elf_image_section() - find a section by its name
 * @img: the file
 * @name: the name
 * @shdr: set to its header when found
 *
 * Return: the section, or NULL.
 */
Elf_Scn *elf_image_section(const struct elf_image *img, const char *name,
			   GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t strndx;

	if (elf_getshdrstrndx(img->elf, &strndx))
		return NULL;
	while ((scn = elf_nextscn(img->elf, scn))) {
		const char *s;

		if (!gelf_getshdr(scn, shdr))
			continue;
		s = elf_strptr(img->elf, strndx, shdr->sh_name);
		if (s && strcmp(s, name) == 0)
			return scn;
	}
	return NULL;
}

/**
 * elf_image_section_of_type() - find the first section of a type
 * @img: the file
 * @type: SHT_...
 * @shdr: set to its header when found
 *
 * Return: the section, or NULL.
 */
Elf_Scn *elf_image_section_of_type(const struct elf_image *img, u32 type,
				   GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(img->elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type)
			return scn;
	return NULL;
}
