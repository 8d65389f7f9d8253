// SPDX-License-Identifier: GPL-2.0
/*
 * The arguments of a definition at its place.
 */
#include <linux/fs.h>
#include <linux/kernel.h>

#include <uprobes/uprobes.h>

#include "site_args.h"
#include "trace/fetch/fetch.h"
#include "trace/fetch/segment.h"
#include "trace/parse/def.h"

/* The registers that a ring can have. */
#define GENERAL									\
	(UPROBE_READS(ax) | UPROBE_READS(bx) | UPROBE_READS(cx) | UPROBE_READS(dx) |	\
	 UPROBE_READS(si) | UPROBE_READS(di) | UPROBE_READS(bp) | UPROBE_READS(sp) |	\
	 UPROBE_READS(r8) | UPROBE_READS(r9) | UPROBE_READS(r10) | UPROBE_READS(r11) |	\
	 UPROBE_READS(r12) | UPROBE_READS(r13) | UPROBE_READS(r14) | UPROBE_READS(r15))

static int read_file(void *file, u64 pos, void *buf, size_t len)
{
	loff_t at = pos;
	ssize_t n;

	if (at < 0)
		return -EINVAL;
	n = kernel_read(file, buf, len, &at);
	if (n < 0)
		return n;
	return n == len ? 0 : -ENODATA;
}

/* Convert @+OFFSET into a distance from the probed instruction. */
static int place_insn(const struct tracer_def *def, struct file *file, struct tracer_insn *insn)
{
	struct tracer_bytes bytes = { .read = read_file, .file = file };
	s64 distance;
	int ret;

	if (!file)
		return -EINVAL;
	ret = tracer_segment_distance(&bytes, def->offset, insn->value, &distance);
	if (ret)
		return ret;
	insn->op = TRACER_OP_IP;
	insn->value = distance;
	return 0;
}

static int place_insns(const struct tracer_def *def, struct file *file,
		       const struct tracer_arg *arg)
{
	unsigned int i;

	for (i = 0; i < arg->ninsns; i++) {
		if (arg->insns[i].op == TRACER_OP_FILE && place_insn(def, file, &arg->insns[i]))
			return -EINVAL;
	}
	return 0;
}

/**
 * tracer_args_place() - find the addresses of @+OFFSET in the arguments
 * @def: the definition
 * @file: its file, or NULL if it is in a process
 * @diag: set to the error if this fails
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int tracer_args_place(struct tracer_def *def, struct file *file, struct tracer_diag *diag)
{
	struct tracer_arg *arg;
	unsigned int i;

	for (i = 0; i < def->nargs; i++) {
		arg = &def->args[i];
		if (place_insns(def, file, arg) ||
		    (arg->length && place_insns(def, file, arg->length)))
			return tracer_diag_fail(diag, TRACER_ERR_BAD_FILE_OFFS, arg->column,
						-EINVAL);
	}
	return 0;
}

/**
 * tracer_args_find_registers() - find the arguments that are plain registers
 * @def: the definition; a hit stores these arguments directly
 *
 * Return: whether all arguments are.
 */
bool tracer_args_find_registers(struct tracer_def *def)
{
	struct tracer_arg *arg;
	bool all = true;
	unsigned int i;

	for (i = 0; i < def->nargs; i++) {
		arg = &def->args[i];
		arg->in_register = arg->ninsns == 1 && arg->insns[0].op == TRACER_OP_REG &&
				   arg->insns[0].size == sizeof(u64);
		arg->is_register = arg->in_register && arg->store == TRACER_STORE_VALUE &&
				   !arg->count && !arg->rshift && arg->type->size <= sizeof(u64);
		arg->is_plain = arg->store == TRACER_STORE_STRING && arg->type->unit == 1 &&
				!arg->length && !arg->count;
		all = all && arg->is_register;
	}
	return all;
}

/*
 * Begin a load with the register or the word of the stack that an argument begins with.  Return
 * false if it is nothing of the kind.
 */
static bool load_begin(const struct tracer_insn *insn, struct uprobe_load *load)
{
	*load = (struct uprobe_load) { .word = insn->op == TRACER_OP_STACK };
	if (insn->op == TRACER_OP_SP)
		load->reg = UPROBE_REG(sp);
	else if (insn->op == TRACER_OP_REG && insn->size == sizeof(u64))
		load->reg = insn->offset;
	else if (load->word && (u64)insn->value < BITS_PER_TYPE(u16))
		load->reg = insn->value;
	else
		return false;
	return load->word || GENERAL & 1U << load->reg / sizeof(long);
}

static bool load_step(struct uprobe_load *load, s64 offset)
{
	/* The bytes of a string must be in reach, too. */
	if (load->steps == UPROBE_LOAD_STEPS || offset != (s32)offset ||
	    offset > S32_MAX - TRACER_RING_STRINGS)
		return false;
	load->offset[load->steps++] = offset;
	return true;
}

/*
 * Describe the bytes in memory that an argument is.  Return false if hits that come from a ring
 * cannot have them.
 */
static bool arg_load(const struct tracer_def *def, const struct tracer_arg *arg,
		     struct uprobe_load *load)
{
	const struct tracer_insn *insn = arg->insns;
	const struct tracer_type *type = arg->type;

	if (!arg->ninsns || !load_begin(insn, load) || arg->length || arg->count)
		return false;
	while (++insn < arg->insns + arg->ninsns) {
		if (insn->op != TRACER_OP_DEREF || !load_step(load, insn->value))
			return false;
	}
	if (arg->store == TRACER_STORE_STRING) {
		load->string = true;
		load->size = def->ring_string;
		return type->unit == 1 && load_step(load, arg->displacement);
	}
	load->size = type->size;
	return (type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8) &&
	       load_step(load, arg->displacement);
}

/*
 * List the bytes in memory that the arguments are.  A hit that comes from a ring has them in this
 * order.  Return false if it cannot have them.
 */
static bool args_load(const struct tracer_def *def, struct uprobe_load *loads, u8 *nr)
{
	const struct tracer_arg *arg;
	unsigned int i;

	*nr = 0;
	for (i = 0; i < def->nargs; i++) {
		arg = &def->args[i];
		if (!tracer_arg_in_memory(arg))
			continue;
		if (*nr == UPROBE_LOADS || !arg_load(def, arg, &loads[*nr]))
			return false;
		(*nr)++;
	}
	return true;
}

/*
 * List the registers and the words of the stack that an argument is made of.  Return false if it is
 * made of anything else: a hit that comes from a ring has no more.
 */
static bool arg_in_ring(const struct tracer_arg *arg, struct uprobe *u)
{
	const struct tracer_insn *insn;
	bool fits = arg->store == TRACER_STORE_VALUE || arg->store == TRACER_STORE_COMM ||
		    arg->store == TRACER_STORE_TEXT;

	for (insn = arg->insns; fits && insn < arg->insns + arg->ninsns; insn++) {
		if (insn->op == TRACER_OP_SP)
			u->ring_reads |= UPROBE_READS(sp);
		else if (insn->op == TRACER_OP_REG || insn->op == TRACER_OP_INDEX)
			u->ring_reads |= 1U << insn->offset / sizeof(long);
		else if (insn->op == TRACER_OP_STACK &&
			 (u64)insn->value < BITS_PER_TYPE(u->ring_words))
			u->ring_words |= 1U << insn->value;
		else
			fits = insn->op == TRACER_OP_IMM || insn->op == TRACER_OP_IP;
	}
	return fits && !arg->length && !arg->count;
}

/**
 * tracer_args_in_ring() - check whether hits with all arguments can come from a ring
 * @def: the definition
 * @u: its probe; if they can, @u->ring_reads, ring_words and ring_loads are set
 * @loads: memory for UPROBE_LOADS @u->ring_loads; NULL if arguments must not be in memory
 */
bool tracer_args_in_ring(const struct tracer_def *def, struct uprobe *u, struct uprobe_load *loads)
{
	struct uprobe reads = {};
	bool fits = true;
	u8 nr = 0;
	unsigned int i;

	for (i = 0; fits && i < def->nargs; i++)
		fits = (loads && tracer_arg_in_memory(&def->args[i])) ||
		       arg_in_ring(&def->args[i], &reads);
	fits = fits && (!loads || args_load(def, loads, &nr));
	/* The ip is always there. */
	reads.ring_reads &= ~UPROBE_READS(ip);
	if (!fits || reads.ring_reads & ~GENERAL)
		return false;
	u->ring_reads = reads.ring_reads;
	u->ring_words = reads.ring_words;
	u->ring_loads = nr ? loads : NULL;
	u->nr_ring_loads = nr;
	return true;
}

/* Readers of units can print nothing else. */
static bool arg_in_block(const struct tracer_arg *arg)
{
	if (tracer_arg_in_memory(arg) && arg->store == TRACER_STORE_STRING)
		return true;
	return (arg->is_register || tracer_arg_in_memory(arg)) &&
	       arg->type->print <= TRACER_PRINT_HEX;
}

/**
 * tracer_args_find_values() - find the arguments among the values that a hit has in a block
 * @def: the definition, after tracer_args_find_registers(); its blocks, nvalues, ring_string and
 *	nloads, and the values and loads of its arguments are set
 */
void tracer_args_find_values(struct tracer_def *def)
{
	struct uprobe_load loads[UPROBE_LOADS];
	struct uprobe reads = {};
	struct pt_regs regs = {};
	u64 numbers[BITS_PER_TYPE(reads.ring_reads)];
	unsigned int strings = 0, i;

	for (i = 0; i < def->nargs; i++)
		strings += def->args[i].store == TRACER_STORE_STRING;
	/* Whole words */
	def->ring_string = rounddown(TRACER_RING_STRINGS / max(strings, 1U), sizeof(u64));
	def->blocks = def->kind == TRACER_PROBE && tracer_args_in_ring(def, &reads, loads);
	def->nvalues = hweight32(reads.ring_reads);
	def->nloads = 0;
	/* Have each register say the number of its value. */
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		numbers[i] = i + 1;
	uprobe_block_regs(&regs, reads.ring_reads, numbers, ARRAY_SIZE(numbers));
	for (i = 0; i < def->nargs; i++) {
		struct tracer_arg *arg = &def->args[i];

		def->blocks = def->blocks && arg_in_block(arg);
		arg->value = arg->is_register ? (int)tracer_register(&regs, arg) - 1 : -1;
		if (!tracer_arg_in_memory(arg))
			continue;
		arg->load = def->nloads++;
		if (!def->blocks)
			continue;
		arg->value = def->nvalues;
		def->nvalues += DIV_ROUND_UP(loads[arg->load].size, sizeof(u64));
	}
}
