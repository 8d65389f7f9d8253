// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boundary.h"
#include "util/error.h"
#include "retaddr.h"
#include "util/util.h"

/* Larger than any real function; a limit on hostile files. */
#define TEXT_MAX (16u << 20)

/**
 * instruction_bytes() - format an instruction for a message
 * @insn: the instruction
 *
 * Return: its bytes in hexadecimal, followed by the name of its class if it is
 * not an ordinary instruction; from malloc().
 */
static char *instruction_bytes(const struct instruction *insn)
{
	char hex[3 * UINSN_MAX_LEN + 1];
	size_t n = 0;

	for (size_t i = 0; i < insn->decoded.len; i++)
		n += snprintf(hex + n, sizeof(hex) - n, "%s%02x", i ? " " : "",
			      insn->bytes[i]);
	if (insn->decoded.class == UINSN_COPY)
		return xstrdup(hex);
	return xasprintf("%s (%s)", hex, uinsn_class_name(insn->decoded.class));
}

/**
 * text_mode() - get the processor mode in which the code of a file runs
 * @img: the file
 */
enum uinsn_mode text_mode(const struct elf_image *img)
{
	return img->ehdr.e_machine == EM_X86_64 ? UINSN_MODE_64 : UINSN_MODE_32;
}

/**
 * text_instruction() - decode the instruction at an address
 * @img: the file
 * @addr: the address
 * @insn: filled in on success
 */
struct error *text_instruction(const struct elf_image *img, u64 addr,
			       struct instruction *insn)
{
	struct error *err;
	u64 offset;
	size_t len;

	err = elf_image_offset(img, addr, &offset);
	if (err)
		return err;
	memset(insn, 0, sizeof(*insn));
	insn->addr = addr;
	len = elf_image_read(img, offset, insn->bytes, sizeof(insn->bytes));
	if (uinsn_decode(&insn->decoded, insn->bytes, len, text_mode(img)))
		return error_new(STATUS_REFUSED,
				 "the bytes at 0x%llx of %s (%02x %02x %02x ...) are no instruction; look at them with: objdump -d --start-address=0x%llx %s",
				 (unsigned long long)addr, img->path,
				 insn->bytes[0], insn->bytes[1], insn->bytes[2],
				 (unsigned long long)addr, img->path);
	return NULL;
}

static struct error *inside_instruction(const struct elf_image *img,
					const char *function, u64 start,
					u64 addr, u64 begin)
{
	_cleanup_free_ char *bytes = NULL;
	struct instruction insn;
	struct error *err;

	err = text_instruction(img, start + begin, &insn);
	if (err)
		return err;
	bytes = instruction_bytes(&insn);
	err = error_new(STATUS_REFUSED,
			"%s+0x%llx is in the middle of the instruction %s at +0x%llx; take +0x%llx or +0x%llx",
			function, (unsigned long long)(addr - start), bytes,
			(unsigned long long)begin, (unsigned long long)begin,
			(unsigned long long)begin + insn.decoded.len);
	return err;
}

/**
 * text_check_boundary() - check that an instruction starts at an address
 * @img: the file
 * @function: name of the function in messages
 * @start: an address at or before @addr where an instruction starts
 * @addr: the address
 *
 * A breakpoint inside an instruction would change what the program computes.
 * Decode all instructions from @start on to find where they start.
 */
struct error *text_check_boundary(const struct elf_image *img,
				  const char *function, u64 start, u64 addr)
{
	u64 from, to, len = addr - start + UINSN_MAX_LEN;
	struct error *err;
	size_t begin = 0;
	u8 *text;
	int ret;

	err = elf_image_offset(img, start, &from);
	if (!err)
		err = elf_image_offset(img, addr, &to);
	if (err)
		return err;
	if (len > TEXT_MAX || to - from != addr - start)
		return error_new(STATUS_REFUSED,
				 "%s+0x%llx is too far from the start of %s to be checked; take a lower offset, or skip the check with --force=align",
				 function, (unsigned long long)(addr - start),
				 function);
	text = xmalloc(len);
	len = elf_image_read(img, from, text, len);
	ret = boundary_check(text, len, text_mode(img), addr - start, &begin);
	free(text);
	if (ret == 1)
		return text_check_probable(img, addr);
	if (!ret)
		return inside_instruction(img, function, start, addr, begin);
	return error_new(STATUS_REFUSED,
			 "the code of %s cannot be followed up to +0x%llx: at +0x%llx there is data or an unknown instruction; take a lower offset, or skip the check with --force=align",
			 function, (unsigned long long)(addr - start),
			 (unsigned long long)begin);
}

/**
 * text_is_code() - check whether instructions alone are between two addresses
 * @img: the file
 * @start: the address of the first one
 * @end: the address after the last one
 */
bool text_is_code(const struct elf_image *img, u64 start, u64 end)
{
	struct error *err;
	u64 offset;
	_cleanup_free_ u8 *text = NULL;

	err = elf_image_offset(img, start, &offset);
	error_free(err);
	if (err || end - start > TEXT_MAX)
		return false;
	text = xmalloc(end - start);
	return elf_image_read(img, offset, text, end - start) == end - start &&
	       boundary_exits(text, end - start, text_mode(img), start, NULL, 0, NULL) >= 0;
}

/**
 * text_check_probable() - check that the module can probe an instruction
 * @img: the file
 * @addr: the address of the instruction
 *
 * Ask the module's own analyzer. The module checks again when the probe is set.
 */
struct error *text_check_probable(const struct elf_image *img, u64 addr)
{
	enum ssol_refusal why = SSOL_OK;
	struct instruction insn;
	struct ssol_plan plan;
	struct error *err;

	err = text_instruction(img, addr, &insn);
	if (!err && ssol_plan_insn(&plan, insn.bytes, sizeof(insn.bytes),
				   text_mode(img), &why) == -EPERM)
		err = error_new(STATUS_REFUSED,
				"cannot probe at 0x%llx of %s: %s; take the instruction before or after it",
				(unsigned long long)addr, img->path,
				ssol_refusal_name(why));
	return err;
}

static size_t read_text(const void *img, u64 offset, void *buf, size_t len)
{
	return elf_image_read(img, offset, buf, len);
}

/**
 * text_keeps_return() - check that a function does not use its return address
 * @img: the file
 * @addr: the start of the function
 *
 * setjmp(), vfork() and similar functions read their return address and must
 * find the real one. The module makes the same check with the same analyzer
 * before it replaces a return address.
 */
bool text_keeps_return(const struct elf_image *img, u64 addr)
{
	struct error *err;
	u64 offset;

	err = elf_image_offset(img, addr, &offset);
	if (err) {
		error_free(err);
		return true;
	}
	return !retaddr_used_in(img, read_text, offset, text_mode(img));
}

/**
 * text_expected() - get the bytes that the kernel must find at an address
 * @img: the program
 * @addr: address of an instruction
 *
 * Return: the bytes of the instruction in hexadecimal, from malloc(); "" if there is none.
 */
char *text_expected(const struct elf_image *img, u64 addr)
{
	char hex[2 * UINSN_MAX_LEN + 1] = "";
	struct instruction insn;
	struct error *err = text_instruction(img, addr, &insn);

	for (size_t i = 0; !err && i < insn.decoded.len; i++)
		sprintf(hex + 2 * i, "%02x", insn.bytes[i]);
	error_free(err);
	return xstrdup(hex);
}
