// SPDX-License-Identifier: GPL-2.0
/*
 * Run the fetch programs of an event on a hit.
 *
 * In the trap, only user memory that is present can be read.  If a page is absent,
 * all arguments are fetched again in task context, where a read may bring the page in.
 * If the read fails in task context, too, the address is bad.
 */
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/word-at-a-time.h>

#include <uprobes/uprobes.h>

#include "fetch.h"
#include "fetch_user.h"
#include "fetch_string.h"
#include "xmm.h"
#include "trace/parse/record.h"
#include "trace/lib/words.h"

static_assert(TRACER_COMM_LEN == TASK_COMM_LEN);

/* Return the bytes of a pointer, and of a stack entry, of the task. */
static unsigned int word_size(const struct pt_regs *regs)
{
	return user_64bit_mode((struct pt_regs *)regs) ? 8 : 4;
}

static int read_word(struct tracer_fetch *f, u64 address, u64 *value)
{
	*value = 0;
	return tracer_read_user(f, value, address, word_size(f->regs));
}

static int read_stack(struct tracer_fetch *f, u64 n, u64 *value)
{
	if (!f->ring)
		return read_word(f, f->regs->sp + n * word_size(f->regs), value);
	*value = uprobe_ring_word(n);
	return 0;
}

/*
 * Copy a string of the program whose pages are present.  strncpy_from_user() would
 * also check the destination, which is known to be good here.
 *
 * Return: its length without the NUL; @room if the string does not end within @room
 * bytes; -EFAULT if it cannot be read.
 */
static long copy_string_nofault(char *dst, u64 address, size_t room)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	const char __user *src = (const char __user *)address;
	unsigned long word, zero;
	size_t len = 0, limit;
	char c;

	if (address >= TASK_SIZE_MAX)
		return -EFAULT;
	limit = min_t(u64, room, TASK_SIZE_MAX - address);
	if (!user_read_access_begin(src, limit))
		return -EFAULT;
	for (; limit - len >= sizeof(word); len += sizeof(word)) {
		/* If a word cannot be read, the string may still end before the absent page. */
		unsafe_get_user(word, (const unsigned long __user *)(src + len), bytes);
		*(unsigned long *)(dst + len) = word;
		if (has_zero(word, &zero, &constants)) {
			user_read_access_end();
			zero = create_zero_mask(prep_zero_mask(word, zero, &constants));
			return len + find_zero(zero);
		}
	}
bytes:
	for (; len < limit; len++) {
		unsafe_get_user(c, src + len, fault);
		dst[len] = c;
		if (!c) {
			user_read_access_end();
			return len;
		}
	}
	user_read_access_end();
	return len == room ? (long)len : -EFAULT;
fault:
	user_read_access_end();
	return -EFAULT;
}

static long read_string(struct tracer_fetch *f, char *dst, u64 address,
			size_t room)
{
	const char __user *src = (const char __user *)address;
	long len;

	if (!f->trap)
		return strncpy_from_user(dst, src, room);
	pagefault_disable();
	len = copy_string_nofault(dst, address, room);
	pagefault_enable();
	/* In task context, the page can be brought in, and there is more room. */
	if (len < 0 || (len == room && room < TRACER_STRING_MAX))
		f->absent = true;
	return len;
}

static int run(struct tracer_fetch *f, const struct tracer_arg *arg,
	       u64 *result)
{
	const struct tracer_insn *insn;
	u64 value = 0, index;
	int ret;

	for (insn = arg->insns; insn < arg->insns + arg->ninsns; insn++) {
		switch (insn->op) {
		case TRACER_OP_REG:
			value = tracer_load((const u8 *)f->regs + insn->offset,
					    insn->size);
			break;
		case TRACER_OP_SP:
			value = f->regs->sp;
			break;
		case TRACER_OP_STACK:
			ret = read_stack(f, insn->value, &value);
			if (ret)
				return ret;
			break;
		case TRACER_OP_IMM:
			value = insn->value;
			break;
		case TRACER_OP_IP:
			value = f->ip + insn->value;
			break;
		case TRACER_OP_DEREF:
			ret = read_word(f, value + insn->value, &value);
			if (ret)
				return ret;
			break;
		case TRACER_OP_INDEX:
			index = tracer_load((const u8 *)f->regs + insn->offset,
					    insn->size);
			value += index * insn->value;
			break;
		case TRACER_OP_XMM:
			value = tracer_xmm_read(insn->value);
			break;
		default:
			return -EINVAL;
		}
	}
	*result = value;
	return 0;
}

static void mask_bits(const struct tracer_arg *arg, u8 *data)
{
	unsigned int unused = 64 - arg->type->size * 8;
	u64 value = tracer_load(data, arg->type->size);

	value = value << (unused + arg->lshift) >> (unused + arg->rshift);
	tracer_store(data, value, arg->type->size);
}

/* Return the room for a string of at most @len bytes; 0 if the record is full. */
static size_t string_room(const struct tracer_fetch *f, size_t len)
{
	return min(len, f->size - f->used);
}

static void store_text(struct tracer_fetch *f, u8 *data, const char *text,
		       size_t len)
{
	if (f->trap && string_room(f, len) < len) {
		f->absent = true;
		return;
	}
	len = string_room(f, len);
	memcpy(f->entry + f->used, text, len);
	tracer_keep_string(f, data, len);
}

static noinline void store_comm(struct tracer_fetch *f, u8 *data)
{
	char comm[TASK_COMM_LEN];

	strscpy(comm, current->comm, sizeof(comm));
	store_text(f, data, comm, strlen(comm) + 1);
}

/* Store a string.  If it cannot be read, its descriptor stays 0, shown as (fault). */
static void store_string(struct tracer_fetch *f, u8 *data, u64 address)
{
	size_t room = string_room(f, TRACER_STRING_MAX);
	long len;

	if (!room) {
		f->absent = f->trap;
		tracer_keep_string(f, data, 0);
		return;
	}
	len = read_string(f, (char *)f->entry + f->used, address, room);
	if (len < 0)
		return;
	/* A string that does not fit is kept without a NUL, which marks it as cut. */
	tracer_keep_string(f, data, len < room ? len + 1 : room);
}

static int fetch_arg(struct tracer_fetch *f, const struct tracer_arg *arg,
		     u8 *data);

/* Fetch the length of a string.  A negative length is an error. */
static int fetch_length(struct tracer_fetch *f, const struct tracer_arg *arg, u64 *len)
{
	const struct tracer_type *type = arg->length->type;
	unsigned int unused = 64 - type->size * 8;

	*len = 0;
	if (fetch_arg(f, arg->length, (u8 *)len))
		return -EFAULT;
	if (type->is_signed && (s64)(*len << unused) < 0)
		return -EFAULT;
	return 0;
}

static int store_strings(struct tracer_fetch *f, const struct tracer_arg *arg,
			 u8 *data, u64 address)
{
	u64 pointer, len = 0;
	unsigned int i;

	if (arg->length && fetch_length(f, arg, &len))
		return -EFAULT;
	if (!arg->count && (arg->length || arg->type->unit > 1)) {
		tracer_store_string(f, arg, data, address, len);
		return 0;
	}
	if (!arg->count) {
		store_string(f, data, address);
		return 0;
	}
	for (i = 0; i < arg->count; i++) {
		if (read_word(f, address + i * word_size(f->regs), &pointer))
			continue;
		if (arg->type->unit > 1)
			tracer_store_string(f, arg, data + i * arg->type->size, pointer, 0);
		else
			store_string(f, data + i * arg->type->size, pointer);
	}
	return 0;
}

static int fetch_arg(struct tracer_fetch *f, const struct tracer_arg *arg,
		     u8 *data)
{
	unsigned int count = max_t(unsigned int, arg->count, 1), i;
	u64 value = 0;
	int ret;

	if (likely(arg->in_register)) {
		value = tracer_register(f->regs, arg);
	} else {
		ret = run(f, arg, &value);
		if (ret)
			return ret;
	}

	switch (arg->store) {
	case TRACER_STORE_VALUE:
		tracer_store(data, value, arg->type->size);
		break;
	case TRACER_STORE_MEM:
		ret = tracer_read_user(f, data, value + arg->displacement,
				       arg->type->size * count);
		if (ret) {
			memset(data, 0, arg->type->size * count);
			return ret;
		}
		break;
	case TRACER_STORE_STRING:
		return store_strings(f, arg, data, value + arg->displacement);
	case TRACER_STORE_COMM:
		store_comm(f, data);
		return 0;
	case TRACER_STORE_TEXT:
		store_text(f, data, arg->text, strlen(arg->text) + 1);
		return 0;
	}

	if (arg->rshift) {
		for (i = 0; i < count; i++)
			mask_bits(arg, data + i * arg->type->size);
	}
	return 0;
}

/* Store bytes of memory that a hit from a ring has.  A string may lack its end: it is forged. */
static void store_loaded(struct tracer_fetch *f, const struct tracer_def *def,
			 const struct tracer_arg *arg, u8 *data)
{
	const char *bytes = f->values ? (const char *)&f->values[arg->value] :
					uprobe_ring_load(arg->load);
	size_t len;

	if (arg->store == TRACER_STORE_MEM) {
		memcpy(data, bytes, arg->type->size);
		if (arg->rshift)
			mask_bits(arg, data);
		return;
	}
	len = strnlen(bytes, def->ring_string);
	len = string_room(f, min_t(size_t, len + 1, def->ring_string));
	memcpy(f->entry + f->used, bytes, len);
	tracer_keep_string(f, data, len);
}

/**
 * tracer_fetch_args() - fetch all arguments of a hit into its record
 * @f: the hit; @f->used grows by the strings
 * @def: the definition; the caller has zeroed its place in the record
 *
 * Context: of the probe handler.
 * Return: false if the arguments can only be fetched in task context.  Always true in
 * task context.
 */
bool tracer_fetch_args(struct tracer_fetch *f, const struct tracer_def *def)
{
	u8 *args = f->entry + tracer_args_offset(def);
	u8 *faults = f->entry + tracer_faults_offset(def);
	unsigned int i;

	for (i = 0; i < def->nargs; i++) {
		const struct tracer_arg *arg = &def->args[i];

		/* Store the most usual arguments without the general steps of fetch_arg(). */
		if (arg->is_register)
			tracer_store(args + arg->offset, tracer_register(f->regs, arg),
				     arg->type->size);
		else if (unlikely(f->ring) && tracer_arg_in_memory(arg))
			store_loaded(f, def, arg, args + arg->offset);
		else if (arg->in_register && arg->is_plain)
			store_string(f, args + arg->offset,
				     tracer_register(f->regs, arg) + arg->displacement);
		else if (fetch_arg(f, arg, args + arg->offset))
			faults[i / 8] |= 1 << i % 8;
		if (f->absent)
			return false;
	}
	return true;
}
