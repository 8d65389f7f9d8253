// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "decode.h"
#include "retaddr.h"

#define NOINLINE static __attribute__((noinline, noclone))

NOINLINE void *asks_directly(void)
{
	return __builtin_return_address(0);
}

NOINLINE __attribute__((optimize("no-omit-frame-pointer"))) void *asks_with_frame(char *s)
{
	snprintf(s, 10, "%d", 3);
	return __builtin_return_address(0);
}

NOINLINE void *asks_late(char *s)
{
	char local[100];

	snprintf(local, sizeof(local), "%s", s);
	strcpy(s, local);
	return __builtin_return_address(0);
}

NOINLINE long takes_many(long a, long b, long c, long d, long e, long f, long on_stack, long more)
{
	return a + b * c + d * e + f * on_stack + more;
}

NOINLINE long has_locals(const char *s)
{
	char local[64];

	return snprintf(local, sizeof(local), "%s.", s) + local[0];
}

static int number, failures;

static void is(bool got, bool want, const char *what)
{
	failures += got != want;
	printf("%sok %d - %s\n", got == want ? "" : "not ", ++number, what);
}

static bool used(const u8 *text, size_t len, enum uinsn_mode mode)
{
	int jumps, ret = 0;
	long jump = 0;

	for (jumps = 0; !ret && (!jumps || jump) && jumps < 4; jumps++)
		ret = retaddr_used(text += jump, len, mode, &jump);
	return ret;
}

static void is_function(const void *function, bool want, const char *what)
{
	char line[128];

	snprintf(line, sizeof(line), "%s %s its return address", what,
		 want ? "looks at" : "does not look at");
	is(used(function, 150, UINSN_MODE_64), want, line);
}

static void in_libc(const char *name, bool want)
{
	is_function(dlsym(RTLD_DEFAULT, name), want, name);
}

/* Whether a call, or a jump, may end behind the last of these bytes. */
static void ends(const char *what, bool call, bool jump, unsigned int n, const u8 *bytes)
{
	u8 text[16] = { 0 };

	memcpy(text + 8 - n, bytes, n);
	is(retaddr_behind_call(text + 8, UINSN_MODE_64) == call &&
	   retaddr_behind_jump(text + 8) == jump, true, what);
}

#define ENDS(what, call, jump, ...)						\
	ends(what, call, jump, sizeof((u8[]){ __VA_ARGS__ }), (const u8[]){ __VA_ARGS__ })

static void comes_to(const char *what, bool want, const u8 *bytes, size_t n)
{
	u8 text[RETADDR_AFTER] = { 0 };

	memcpy(text, bytes, n);
	is(retaddr_of_frame(text, UINSN_MODE_64), want, what);
}

#define COMES(what, want, ...)							\
	comes_to(what, want, (const u8[]){ __VA_ARGS__ }, sizeof((u8[]){ __VA_ARGS__ }))

static void words(void)
{
	ENDS("call", true, false, 0xe8, 1, 2, 3, 4);
	ENDS("call *%rax", true, false, 0xff, 0xd0);
	ENDS("call *(%rsp)", true, false, 0xff, 0x14, 0x24);
	ENDS("call *table(,%rcx,8)", true, false, 0xff, 0x14, 0xcd, 1, 2, 3, 4);
	ENDS("call *8(%rsp)", true, false, 0xff, 0x54, 0x24, 8);
	ENDS("call *name(%rip)", true, false, 0xff, 0x15, 1, 2, 3, 4);
	ENDS("call *256(%rbx)", true, false, 0xff, 0x93, 0, 1, 0, 0);
	ENDS("jmp", false, true, 0xe9, 1, 2, 3, 4);
	ENDS("jmp, short", false, true, 0xeb, 3);
	ENDS("jmp *%rdx", false, true, 0xff, 0xe2);
	ENDS("push (%rax)", false, false, 0xff, 0x30);
	ENDS("inc (%rax,%rax)", false, false, 0xff, 0x04, 0x00);
	ENDS("a call, and a byte more", false, false, 0xff, 0xd0, 0x90);
	COMES("makecontext()'s: mov %rbx,%rsp", true, 0x48, 0x89, 0xdc);
	COMES("the same behind endbr64", true, 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x89, 0xdc);
	COMES("pop %rbp", true, 0x5d);
	COMES("rt_sigreturn", true, 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05);
	COMES("another system call", false, 0x48, 0xc7, 0xc0, 16, 0, 0, 0, 0x0f, 0x05);
	COMES("a function: push %rbp", false, 0x55, 0x48, 0x89, 0xe5);
	COMES("a function: sub $24,%rsp", false, 0x48, 0x83, 0xec, 0x18);
	COMES("a function: and $-16,%rsp", false, 0x48, 0x83, 0xe4, 0xf0);
}

int main(void)
{
	/* mov (%esp),%ebx; ret  -  push %ebx; mov 8(%esp),%eax; ret */
	static const u8 thunk[] = { 0x8b, 0x1c, 0x24, 0xc3 };
	static const u8 argument[] = { 0x53, 0x8b, 0x44, 0x24, 0x08, 0xc3 };
	/* push %rbp; mov %rsp,%rbp; and $-16,%rsp; mov 8(%rsp),%rax; ret */
	static const u8 aligned[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, 0xf0,
				      0x48, 0x8b, 0x44, 0x24, 0x08, 0xc3 };
	/* ret; mov (%rsp),%rax: another function's */
	static const u8 behind[] = { 0xc3, 0x48, 0x8b, 0x04, 0x24, 0xc3 };

	printf("KTAP version 1\n1..44\n");
	is_function(asks_directly, true, "a function that asks for it");
	is_function(asks_with_frame, true, "one with a frame pointer");
	is_function(asks_late, true, "one that asks for it at its end");
	is_function(takes_many, false, "one with arguments on the stack");
	is_function(has_locals, false, "one with an array");
	is(used(thunk, sizeof(thunk), UINSN_MODE_32), true, "32-bit: where am I");
	is(used(argument, sizeof(argument), UINSN_MODE_32), false, "32-bit: an argument");
	is(used(aligned, sizeof(aligned), UINSN_MODE_64), false,
	   "an aligned stack pointer is not taken for the old one");
	is(used(behind, sizeof(behind), UINSN_MODE_64), false,
	   "what follows a return is not looked at");
	is(used(thunk, 2, UINSN_MODE_32), false, "text that is cut off");
	is(used(NULL, 0, UINSN_MODE_64), false, "no text");
	in_libc("_setjmp", true);
	in_libc("__sigsetjmp", true);
	in_libc("getcontext", true);
	in_libc("vfork", true);
	in_libc("fopen", false);
	in_libc("malloc", false);
	in_libc("printf", false);
	in_libc("qsort", false);
	in_libc("getaddrinfo", false);
	in_libc("sleep", false);
	in_libc("usleep", false);
	in_libc("regcomp", false);
	words();
	return failures ? 1 : 0;
}
