/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What can be wrong with a definition, in one place: a list that is included
 * wherever X() makes something of it.
 *
 * X(NAME, TEXT): TRACER_ERR_NAME is the code that the parser and the registry
 * hand out, TEXT the sentence that error_log shows, cause first and remedy
 * where there is one.  The names are those of tracefs, so that whoever knows
 * one knows the other; the rows from EVENT_BUSY on have no counterpart there,
 * where such a line gets a bare errno or is taken without a word.
 */
X(FILE_NOT_FOUND,
  "The file cannot be looked up; give the path of a program or library")
X(NO_REGULAR_FILE,
  "This is not a regular file; give a program or library")
X(BAD_REFCNT,
  "The reference counter offset is not a number")
X(REFCNT_OPEN_BRACE,
  "The reference counter lacks its ')'")
X(BAD_REFCNT_SUFFIX,
  "Nothing may follow the reference counter's ')'")
X(BAD_UPROBE_OFFS,
  "The offset is not a number; use the position in the file, like 0x4245c0")
X(BAD_ADDR_SUFFIX,
  "Only %return may follow the offset")
X(TOO_MANY_ARGS,
  "Too many arguments; an event holds 128")
X(NO_GROUP_NAME,
  "There is no group name before the '/'")
X(GROUP_TOO_LONG,
  "The group name is too long; it holds 63 characters")
X(BAD_GROUP_NAME,
  "A group name is made of letters, digits, '_', '-', and starts with a letter or '_'")
X(NO_EVENT_NAME,
  "There is no event name after the ':'")
X(EVENT_TOO_LONG,
  "The event name is too long; it holds 63 characters")
X(BAD_EVENT_NAME,
  "An event name is made of letters, digits and '_', and starts with no digit")
X(EVENT_EXIST,
  "The name is taken by a file of events/; choose another one")
X(DIFF_PROBE_TYPE,
  "The event of this name is of the other kind (p or r); choose another name")
X(DIFF_ARG_TYPE,
  "The event of this name has other arguments or types; choose another name")
X(SAME_PROBE,
  "The event of this name has this very probe already")
X(ARG_NAME_TOO_LONG,
  "The argument name is too long; it holds 32 characters")
X(NO_ARG_NAME,
  "There is no argument name before the '='")
X(BAD_ARG_NAME,
  "An argument name is made of letters, digits and '_', and starts with no digit")
X(USED_ARG_NAME,
  "This argument name is in use or reserved; choose another one")
X(ARG_TOO_LONG,
  "The argument is too long; it holds 255 characters")
X(NO_ARG_BODY,
  "The argument is empty; say what to fetch")
X(EVENT_TOO_BIG,
  "The arguments take too much room; use fewer or smaller arrays")
X(RETVAL_ON_PROBE,
  "$retval is there for return probes only; define the event with r")
X(BAD_VAR,
  "Unknown variable; known are $retval, $stack, $stackN and $comm")
X(BAD_REG_NAME,
  "Unknown register; use names like %di, %ax, %r8, %sp or %ip")
X(BAD_MEM_ADDR,
  "The memory address is not a number")
X(BAD_FILE_OFFS,
  "The file offset is not a number, or not in a part of the file that gets mapped")
X(BAD_IMM,
  "The immediate value is not a number")
X(IMMSTR_NO_CLOSE,
  "The immediate string lacks its closing '\"'")
X(DEREF_NEED_BRACE,
  "A dereference needs '(' after its offset")
X(BAD_DEREF_OFFS,
  "The dereference offset is not a number")
X(DEREF_OPEN_BRACE,
  "A dereference lacks its ')', or something follows it")
X(COMM_CANT_DEREF,
  "$comm and immediate strings have no address to dereference")
X(TOO_MANY_OPS,
  "The argument is nested too deeply; 15 dereferences are possible")
X(BAD_FETCH_ARG,
  "This is no fetch argument; it starts with %, $, @, +, - or \\")
X(ARRAY_NO_CLOSE,
  "The array lacks its ']'")
X(BAD_ARRAY_SUFFIX,
  "Nothing may follow the array's ']'")
X(BAD_ARRAY_NUM,
  "The array size is not a number above 0")
X(ARRAY_TOO_BIG,
  "The array is too big; it holds 64 elements")
X(BAD_TYPE,
  "Unknown type; known are u8-u64, s8-s64, x8-x64, char, string, ustring, bW@O/S")
X(BAD_STRING,
  "Strings and arrays are fetched from memory; use +0(...) around a register")
X(BAD_BITFIELD,
  "A bitfield is bWIDTH@OFFSET/SIZE, within a SIZE of 8, 16, 32 or 64 bits")
X(NEED_STRING_TYPE,
  "$comm and immediate strings have the type string, and no array")
X(EVENT_BUSY,
  "The event is enabled; disable it first")
X(BAD_COMMAND,
  "A definition starts with p, r or -, followed by a space or ':'")
X(BAD_CHAR,
  "The line holds a NUL byte")
X(LINE_TOO_LONG,
  "The line is too long; it holds 16383 characters")
X(NO_PATH,
  "There is no PATH:OFFSET; give the absolute path of a program or library")
X(NO_OFFSET,
  "There is no offset; give PATH:OFFSET, the position in the file")
X(OFFS_PAST_END,
  "The offset lies past the end of the file; is it an address?")
X(REFCNT_ODD,
  "The reference counter offset is odd, but a counter lies at an even one")
X(REFCNT_PAST_END,
  "The reference counter lies past the end of the file")
X(REFCNT_UNSUPPORTED,
  "Reference counters are not supported yet; define the event without one")
X(NO_SUCH_EVENT,
  "There is no such event")
X(TOO_MANY_EVENTS,
  "Too many events; remove some first")
X(NO_MEMORY,
  "There is not enough memory for the definition")
X(INSN_REFUSED,
  "The instruction at this offset cannot be probed; the kernel log names the reason")
X(INSN_BAD,
  "There is no valid instruction at this offset; the kernel log names the bytes")
X(INSN_TAKEN,
  "Another breakpoint is at this place")
X(PROBE_FAILED,
  "The probe could not be put in place; the kernel log names the reason")
