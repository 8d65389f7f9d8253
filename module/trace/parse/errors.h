/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All errors of definitions and filters, in one list.  Each file that includes this
 * list defines MESSAGE() for its own purpose.
 *
 * MESSAGE(NAME, TEXT): TRACER_ERR_NAME is the code of the error.  TEXT is the sentence
 * that error_log shows: first the cause, then the remedy if there is one.  The names
 * are the same as in tracefs.  The rows from EVENT_BUSY to SESSION_LINE do not exist in
 * tracefs: it refuses such a line with a bare errno, or accepts it silently.
 */
MESSAGE(FILE_NOT_FOUND,
	"The file cannot be looked up; give the path of a program or library")
MESSAGE(NO_REGULAR_FILE,
	"This is not a regular file; give a program or library")
MESSAGE(BAD_REFCNT,
	"The reference counter offset is not a number")
MESSAGE(REFCNT_OPEN_BRACE,
	"The reference counter lacks its ')'")
MESSAGE(BAD_REFCNT_SUFFIX,
	"Nothing may follow the reference counter's ')'")
MESSAGE(BAD_UPROBE_OFFS,
	"The offset is not a number; use the position in the file, like 0x4245c0")
MESSAGE(BAD_ADDR_SUFFIX,
	"Only %return may follow the offset")
MESSAGE(TOO_MANY_ARGS,
	"Too many arguments; an event holds 128")
MESSAGE(NO_GROUP_NAME,
	"There is no group name before the '/'")
MESSAGE(GROUP_TOO_LONG,
	"The group name is too long; it holds 63 characters")
MESSAGE(BAD_GROUP_NAME,
	"A group name is made of letters, digits, '_', '-', and starts with a letter or '_'")
MESSAGE(NO_EVENT_NAME,
	"There is no event name after the ':'")
MESSAGE(EVENT_TOO_LONG,
	"The event name is too long; it holds 63 characters")
MESSAGE(BAD_EVENT_NAME,
	"An event name is made of letters, digits and '_', and starts with no digit")
MESSAGE(EVENT_EXIST,
	"The name is taken by a file of events/; choose another one")
MESSAGE(DIFF_PROBE_TYPE,
	"The event of this name is of the other kind (p or r); choose another name")
MESSAGE(DIFF_ARG_TYPE,
	"The event of this name has other arguments or types; choose another name")
MESSAGE(SAME_PROBE,
	"The event of this name has this very probe already")
MESSAGE(ARG_NAME_TOO_LONG,
	"The argument name is too long; it holds 32 characters")
MESSAGE(NO_ARG_NAME,
	"There is no argument name before the '='")
MESSAGE(BAD_ARG_NAME,
	"An argument name is made of letters, digits and '_', and starts with no digit")
MESSAGE(USED_ARG_NAME,
	"This argument name is in use or reserved; choose another one")
MESSAGE(ARG_TOO_LONG,
	"The argument is too long; it holds 255 characters")
MESSAGE(NO_ARG_BODY,
	"The argument is empty; say what to fetch")
MESSAGE(EVENT_TOO_BIG,
	"The arguments take too much room; use fewer or smaller arrays")
MESSAGE(RETVAL_ON_PROBE,
	"$retval is there for return probes only; define the event with r")
MESSAGE(BAD_VAR,
	"Unknown variable; known are $retval, $stack, $stackN and $comm")
MESSAGE(BAD_REG_NAME,
	"Unknown register; use names like %di, %ax, %r8, %sp, %ip or %xmm0")
MESSAGE(BAD_MEM_ADDR,
	"The memory address is not a number")
MESSAGE(BAD_FILE_OFFS,
	"The file offset is not a number, or not in a part of the file that gets mapped")
MESSAGE(BAD_IMM,
	"The immediate value is not a number")
MESSAGE(IMMSTR_NO_CLOSE,
	"The immediate string lacks its closing '\"'")
MESSAGE(DEREF_NEED_BRACE,
	"A dereference needs '(' after its offset")
MESSAGE(BAD_DEREF_OFFS,
	"The dereference offset is not a number")
MESSAGE(DEREF_OPEN_BRACE,
	"A dereference lacks its ')', or something follows it")
MESSAGE(BAD_SCALE,
	"The scale of an index is 1, 2, 4 or 8")
MESSAGE(COMM_CANT_DEREF,
	"$comm and immediate strings have no address to dereference")
MESSAGE(TOO_MANY_OPS,
	"The argument is nested too deeply; 15 dereferences are possible")
MESSAGE(BAD_FETCH_ARG,
	"This is no fetch argument; it starts with %, $, @, +, - or \\")
MESSAGE(ARRAY_NO_CLOSE,
	"The array lacks its ']'")
MESSAGE(BAD_ARRAY_SUFFIX,
	"Nothing may follow the array's ']'")
MESSAGE(BAD_ARRAY_NUM,
	"The array size is not a number above 0")
MESSAGE(ARRAY_TOO_BIG,
	"The array is too big; it holds 64 elements")
MESSAGE(BAD_TYPE,
	"Unknown type; try u8-64, s8-64, x8-64, " TRACER_FLOAT_TYPES
	"char, string, string16, string32, bW@O/S")
MESSAGE(BAD_STRING,
	"Strings and arrays are fetched from memory; use +0(...) around a register")
MESSAGE(BAD_BITFIELD,
	"A bitfield is bWIDTH@OFFSET/SIZE, within a SIZE of 8, 16, 32 or 64 bits")
MESSAGE(NEED_STRING_TYPE,
	"$comm and immediate strings have the type string, and no array")
MESSAGE(EVENT_BUSY,
	"The event is enabled; disable it first")
MESSAGE(BAD_LENGTH,
	"A length is a whole number to fetch, of one string: string(%si), string(+8(%di):u32)")
MESSAGE(BAD_COMMAND,
	"A definition starts with p, r or -, followed by a space or ':'")
MESSAGE(BAD_CHAR,
	"The line holds a NUL byte")
MESSAGE(LINE_TOO_LONG,
	"The line is too long; it holds 16383 characters")
MESSAGE(NO_PATH,
	"There is no PATH:OFFSET; give the absolute path of a program or library")
MESSAGE(NO_OFFSET,
	"There is no offset; give PATH:OFFSET, the position in the file")
MESSAGE(OFFS_PAST_END,
	"The offset lies past the end of the file; is it an address?")
MESSAGE(REFCNT_ODD,
	"The reference counter offset is odd, but a counter lies at an even one")
MESSAGE(REFCNT_PAST_END,
	"The reference counter lies past the end of the file")
MESSAGE(NO_SUCH_EVENT,
	"There is no such event")
MESSAGE(TOO_MANY_EVENTS,
	"Too many events; remove some first")
MESSAGE(NO_MEMORY,
	"There is not enough memory for the definition")
MESSAGE(INSN_REFUSED,
	"The instruction, or the return, cannot be probed; the kernel log names the reason")
MESSAGE(INSN_BAD,
	"There is no valid instruction at this offset; the kernel log names the bytes")
MESSAGE(INSN_TAKEN,
	"Another breakpoint is at this place")
MESSAGE(PROCESS_GONE,
	"The process whose memory this is does not exist any more")
MESSAGE(PROBE_FAILED,
	"The probe could not be put in place; the kernel log names the reason")
MESSAGE(SESSION_LINE,
	"A session takes definitions and FILE VALUE; there is no such file, or value for it")
/* Errors of filters.  From here on, the order and the first words are the same as in tracefs. */
MESSAGE(FILTER_INVALID_OP,
	"Invalid operator; known are == != < <= > >= & ~, && and || between comparisons")
MESSAGE(FILTER_TOO_MANY_OPEN,
	"Too many '('; this one is not closed")
MESSAGE(FILTER_TOO_MANY_CLOSE,
	"Too few '('; this ')' closes none")
MESSAGE(FILTER_MISSING_QUOTE,
	"Missing matching quote")
MESSAGE(FILTER_OPERAND_TOO_LONG,
	"Operand too long; a string holds 255 characters, a filter 4095")
MESSAGE(FILTER_EXPECT_STRING,
	"Expecting string field; the field is a string, put the value in quotes")
MESSAGE(FILTER_EXPECT_DIGIT,
	"Expecting numeric field; the field is a number, leave the quotes out")
MESSAGE(FILTER_ILLEGAL_FIELD_OP,
	"Illegal operation for field type; strings know == != ~, numbers all but ~")
MESSAGE(FILTER_FIELD_NOT_FOUND,
	"Field not found; the event's format file lists them, comm and cpu are there, too")
MESSAGE(FILTER_ILLEGAL_INTVAL,
	"Illegal integer value; this is no number that the field can hold")
MESSAGE(FILTER_TOO_MANY_PREDS,
	"Too many terms in predicate expression; 128 may be open at a time")
MESSAGE(FILTER_INVALID_VALUE,
	"Invalid value (did you forget quotes)?")
MESSAGE(FILTER_NO_FILTER,
	"No filter found; a comparison is expected here")
MESSAGE(FILTER_NO_ELEMENT,
	"This is an array; name one of its elements, like a[0]")
