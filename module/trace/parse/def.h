/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One line of uprobe_events, parsed.
 *
 * The parser turns a line of text into a struct tracer_def.  It depends on no files, tasks
 * or debugfs, so the host tests build the same source.
 * Each fetch argument becomes a short program: a load, any number of dereferences,
 * and a store.
 *
 *	arg		insns			store
 *	%di		REG			VALUE
 *	+8(%di):u32	REG			MEM, displacement 8
 *	+0(+8(%di)):string  REG, DEREF 8	STRING, displacement 0
 *	+8(%di,%si,4):u32   REG, INDEX 4	MEM, displacement 8
 *	%xmm0:f64	XMM			VALUE
 *	+0(%di):string(%si)  REG		STRING, displacement 0; length: REG, VALUE
 *	$stack2		STACK 2, DEREF 0	VALUE
 *	$comm		-			COMM
 *	\"text\"	-			TEXT
 */
#ifndef _TRACER_DEF_H
#define _TRACER_DEF_H

#include <linux/types.h>

#define TRACER_MAX_ARGS		128	/* arguments of an event */
#define TRACER_NAME_MAX		63	/* characters of a group or event name */
#define TRACER_ARG_NAME_MAX	32	/* characters of an argument name */
#define TRACER_ARG_MAX		255	/* characters of NAME=FETCH:TYPE after the '=' */
#define TRACER_ARRAY_MAX	64	/* elements of an array */
#define TRACER_INSNS_MAX	15	/* with the store, 16 operations */
#define TRACER_STRING_MAX	4096	/* bytes of a fetched string, its NUL included */
#define TRACER_RING_STRINGS	64	/* likewise, of all that a hit from a ring has */
#define TRACER_LINE_MAX		16383	/* characters of a line */
#define TRACER_FIXED_MAX	8192	/* bytes of an event that do not vary */
#define TRACER_XMM_REGS		16	/* %xmm0 to %xmm15 */
#define TRACER_EXPECT_MAX	15	/* bytes of an instruction */
#define TRACER_COMM_LEN		16	/* bytes of a task's name, its NUL included */

#define TRACER_DEFAULT_GROUP	"uprobes"

enum tracer_err {
	TRACER_ERR_NONE,
#define MESSAGE(name, text) TRACER_ERR_##name,
#include "errors.h"
#undef MESSAGE
	TRACER_ERR_NR,
};

/**
 * enum tracer_kind - request of a line
 * @TRACER_NOTHING: blank, or only a comment
 * @TRACER_PROBE: a probe
 * @TRACER_RETURN: a return probe
 * @TRACER_REMOVE: the removal of events
 */
enum tracer_kind {
	TRACER_NOTHING,
	TRACER_PROBE,
	TRACER_RETURN,
	TRACER_REMOVE,
};

/**
 * enum tracer_print - how a value is shown
 * @TRACER_PRINT_UNSIGNED: decimal
 * @TRACER_PRINT_SIGNED: decimal with sign
 * @TRACER_PRINT_HEX: hexadecimal with 0x
 * @TRACER_PRINT_CHAR: a character between single quotes
 * @TRACER_PRINT_STRING: text between double quotes
 * @TRACER_PRINT_FLOAT: a floating-point number
 */
enum tracer_print {
	TRACER_PRINT_UNSIGNED,
	TRACER_PRINT_SIGNED,
	TRACER_PRINT_HEX,
	TRACER_PRINT_CHAR,
	TRACER_PRINT_STRING,
	TRACER_PRINT_FLOAT,
};

/**
 * struct tracer_type - a type that an argument can have
 * @name: as a definition spells it
 * @field: the C type that the format file shows
 * @size: bytes in the record; 4 for strings, the descriptor of their place
 * @is_signed: as the format file shows it
 * @print: how a value is shown
 * @unit: of a string: bytes of a character in the program's memory; 0 for other types
 */
struct tracer_type {
	const char *name;
	const char *field;
	u8 size;
	bool is_signed;
	enum tracer_print print;
	u8 unit;
};

/**
 * enum tracer_op - a step of a fetch program
 * @TRACER_OP_REG: load @size bytes at @offset of struct pt_regs
 * @TRACER_OP_SP: load the stack pointer
 * @TRACER_OP_STACK: load stack entry @value
 * @TRACER_OP_IMM: load @value
 * @TRACER_OP_FILE: load the address at which file offset @value is mapped;
 *	replaced by TRACER_OP_IP once the file is open
 * @TRACER_OP_IP: load the address of the probed instruction plus @value
 * @TRACER_OP_DEREF: replace the value v by the user word at v + @value
 * @TRACER_OP_INDEX: add @value times the @size bytes at @offset of struct
 *	pt_regs
 * @TRACER_OP_XMM: load the lower half of %xmm register number @value
 */
enum tracer_op {
	TRACER_OP_REG,
	TRACER_OP_SP,
	TRACER_OP_STACK,
	TRACER_OP_IMM,
	TRACER_OP_FILE,
	TRACER_OP_IP,
	TRACER_OP_DEREF,
	TRACER_OP_INDEX,
	TRACER_OP_XMM,
};

/**
 * struct tracer_insn - one step
 * @op: see enum tracer_op
 * @size: of a register: 1, 2, 4 or 8; the value is zero-extended
 * @offset: of a register
 * @value: see enum tracer_op
 */
struct tracer_insn {
	u8 op;
	u8 size;
	u16 offset;
	s64 value;
};

/**
 * enum tracer_store - last step of an argument: the source of the stored value
 * @TRACER_STORE_VALUE: the computed value itself
 * @TRACER_STORE_MEM: user memory at value + displacement
 * @TRACER_STORE_STRING: a string in user memory there; without a length, it ends at a
 *	NUL.  For an array: the strings that an array of pointers there points to.
 * @TRACER_STORE_COMM: the name of the task
 * @TRACER_STORE_TEXT: a string given in the definition
 */
enum tracer_store {
	TRACER_STORE_VALUE,
	TRACER_STORE_MEM,
	TRACER_STORE_STRING,
	TRACER_STORE_COMM,
	TRACER_STORE_TEXT,
};

/**
 * struct tracer_arg - a fetch argument, compiled
 * @name: its name; arg1, arg2 ... if the definition gives none
 * @body: FETCH[:TYPE] as it was written
 * @text: for %TRACER_STORE_TEXT, the string
 * @column: where it starts in the line
 * @type: its type
 * @count: elements of an array; 0 for a single value
 * @lshift: bitfield: bits to shift out at the top
 * @rshift: bitfield: then bits to shift out at the bottom; 0 when the
 *	argument is no bitfield
 * @store: the last step
 * @offset: place of the value after the head of a record
 * @displacement: see enum tracer_store
 * @ninsns: number of steps
 * @in_register: the steps only load a whole register.  This field and the next three
 *	are set when the site of the definition is created.
 * @is_register: @in_register, and the stored value is the register
 * @is_plain: a string of bytes that ends at a NUL, not an array
 * @value: number of its (first) value in a struct uprobe_block; -1 if it is the address there
 * @load: if it is in memory, the number of its bytes for uprobe_ring_load()
 * @insns: the steps
 * @length: of a string: how to fetch its number of characters; or NULL
 */
struct tracer_arg {
	char name[TRACER_ARG_NAME_MAX + 1];
	const char *body;
	const char *text;
	unsigned int column;
	const struct tracer_type *type;
	u8 count;
	u8 lshift;
	u8 rshift;
	enum tracer_store store;
	u16 offset;
	s64 displacement;
	u8 ninsns;
	bool in_register;
	bool is_register;
	bool is_plain;
	s8 value;
	u8 load;
	struct tracer_insn *insns;
	struct tracer_arg *length;
};

/* Check whether the stored bytes of an argument are in user memory. */
static inline bool tracer_arg_in_memory(const struct tracer_arg *arg)
{
	return arg->store == TRACER_STORE_MEM || arg->store == TRACER_STORE_STRING;
}

/**
 * enum tracer_at - where a stack begins
 * @TRACER_AT_ANY: somewhere in a function
 * @TRACER_AT_PROBE: before an instruction, which may be the first one of a function
 * @TRACER_AT_ENTRY: before the first instruction of a function
 */
enum tracer_at {
	TRACER_AT_ANY,
	TRACER_AT_PROBE,
	TRACER_AT_ENTRY,
};

/**
 * struct tracer_def - a parsed line
 * @kind: its request
 * @group: group name; for a removal "" when the line names none
 * @event: event name; for a removal "" when the line names none
 * @path: path of the file, as it was written
 * @offset: position in the file
 * @ref_ctr: position of the reference counter in the file, or 0
 * @expect: the bytes that the instruction must have
 * @expect_len: number of @expect; 0 for any
 * @stack: where stacks of its hits begin: %TRACER_AT_ENTRY if the word at the stack pointer is the
 *	return address, %TRACER_AT_PROBE if that is to be guessed; %TRACER_AT_ANY if the line does
 *	not say
 * @has_path: a removal names one probe of an event by @path and @offset
 * @path_column: where @path starts in the line
 * @offset_column: where the offset starts
 * @ref_ctr_column: where the reference counter starts
 * @nargs: number of @args
 * @length: characters of the line
 * @args_size: bytes of the arguments in a record, without the bytes of strings
 * @nvalues: number of values that a hit has in a block
 * @ring_string: bytes of each string of a hit that comes from a ring, its NUL included
 * @nloads: number of arguments that are bytes in memory there
 * @blocks: hits can be in blocks: it is a probe, and all arguments are integers in registers, or
 *	integers and strings in memory.  This field and the three before it are set when the site
 *	is created
 * @text: the line, cut into words; @path and the arguments point into it
 * @args: the arguments
 */
struct tracer_def {
	enum tracer_kind kind;
	char group[TRACER_NAME_MAX + 1];
	char event[TRACER_NAME_MAX + 1];
	const char *path;
	u64 offset;
	u64 ref_ctr;
	u8 expect[TRACER_EXPECT_MAX];
	u8 expect_len;
	enum tracer_at stack;
	bool has_path;
	unsigned int path_column;
	unsigned int offset_column;
	unsigned int ref_ctr_column;
	unsigned int nargs;
	unsigned int length;
	unsigned int args_size;
	unsigned int nvalues;
	u8 ring_string;
	u8 nloads;
	bool blocks;
	char *text;
	struct tracer_arg args[];
};

/**
 * struct tracer_diag - what is wrong with a line
 * @err: the message
 * @column: the place of the error in the line, counted from 0
 */
struct tracer_diag {
	enum tracer_err err;
	unsigned int column;
};

/* Report an error at @column.  Return: @ret. */
static inline int tracer_diag_fail(struct tracer_diag *diag, enum tracer_err err,
				   unsigned int column, int ret)
{
	diag->err = err;
	diag->column = column;
	return ret;
}

/**
 * struct tracer_reg - a register by name
 * @name: without the '%'
 * @size: bytes that the name stands for
 * @offset: where they are in struct pt_regs
 */
struct tracer_reg {
	const char *name;
	u8 size;
	u16 offset;
};

#endif /* _TRACER_DEF_H */
