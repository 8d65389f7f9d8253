// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "decode.h"
#include "ktap.h"
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
	ktap_ok(used(function, 150, UINSN_MODE_64) == want, "%s %s its return address", what,
		want ? "looks at" : "does not look at");
}

static void in_libc(const char *name, bool want)
{
	is_function(dlsym(RTLD_DEFAULT, name), want, name);
}

/* Check whether a call, or a jump, may end behind the last of these bytes. */
static void ends(const char *what, bool call, bool jump, unsigned int n, const u8 *bytes)
{
	u8 text[16] = { 0 };

	memcpy(text + 8 - n, bytes, n);
	ktap_ok(retaddr_behind_call(text + 8, UINSN_MODE_64) == call &&
		retaddr_behind_jump(text + 8) == jump, "%s", what);
}

#define ENDS(what, call, jump, ...)						\
	ends(what, call, jump, sizeof((u8[]){ __VA_ARGS__ }), (const u8[]){ __VA_ARGS__ })

static void comes_to(const char *what, bool want, const u8 *bytes, size_t n)
{
	u8 text[RETADDR_AFTER] = { 0 };

	memcpy(text, bytes, n);
	ktap_ok(retaddr_of_frame(text, UINSN_MODE_64) == want, "%s", what);
}

#define COMES(what, want, ...)							\
	comes_to(what, want, (const u8[]){ __VA_ARGS__ }, sizeof((u8[]){ __VA_ARGS__ }))

static void words(void)
{
	ENDS("call is a call", true, false, 0xe8, 1, 2, 3, 4);
	ENDS("call *%rax is a call", true, false, 0xff, 0xd0);
	ENDS("call *(%rsp) is a call", true, false, 0xff, 0x14, 0x24);
	ENDS("call *table(,%rcx,8) is a call", true, false, 0xff, 0x14, 0xcd, 1, 2, 3, 4);
	ENDS("call *8(%rsp) is a call", true, false, 0xff, 0x54, 0x24, 8);
	ENDS("call *name(%rip) is a call", true, false, 0xff, 0x15, 1, 2, 3, 4);
	ENDS("call *256(%rbx) is a call", true, false, 0xff, 0x93, 0, 1, 0, 0);
	ENDS("jmp is a jump", false, true, 0xe9, 1, 2, 3, 4);
	ENDS("short jmp is a jump", false, true, 0xeb, 3);
	ENDS("jmp *%rdx is a jump", false, true, 0xff, 0xe2);
	ENDS("push (%rax) is neither call nor jump", false, false, 0xff, 0x30);
	ENDS("inc (%rax,%rax) is neither call nor jump", false, false, 0xff, 0x04, 0x00);
	ENDS("a call with one more byte behind is neither", false, false, 0xff, 0xd0, 0x90);
	COMES("makecontext()'s mov %rbx,%rsp is code for returns", true, 0x48, 0x89, 0xdc);
	COMES("mov %rbx,%rsp behind endbr64 is code for returns", true, 0xf3, 0x0f, 0x1e, 0xfa,
	      0x48, 0x89, 0xdc);
	COMES("pop %rbp is code for returns", true, 0x5d);
	COMES("rt_sigreturn is code for returns", true, 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05);
	COMES("another system call is not code for returns", false, 0x48, 0xc7, 0xc0, 16, 0, 0, 0,
	      0x0f, 0x05);
	COMES("push %rbp is not code for returns", false, 0x55, 0x48, 0x89, 0xe5);
	COMES("sub $24,%rsp is not code for returns", false, 0x48, 0x83, 0xec, 0x18);
	COMES("and $-16,%rsp is not code for returns", false, 0x48, 0x83, 0xe4, 0xf0);
}

int main(void)
{
	/* mov (%esp),%ebx; ret  -  push %ebx; mov 8(%esp),%eax; ret */
	static const u8 thunk[] = { 0x8b, 0x1c, 0x24, 0xc3 };
	static const u8 argument[] = { 0x53, 0x8b, 0x44, 0x24, 0x08, 0xc3 };
	/* push %rbp; mov %rsp,%rbp; and $-16,%rsp; mov 8(%rsp),%rax; ret */
	static const u8 aligned[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, 0xf0,
				      0x48, 0x8b, 0x44, 0x24, 0x08, 0xc3 };
	/* ret; mov (%rsp),%rax, which belongs to another function */
	static const u8 behind[] = { 0xc3, 0x48, 0x8b, 0x04, 0x24, 0xc3 };

	ktap_plan(44);
	is_function(asks_directly, true, "a short function");
	is_function(asks_with_frame, true, "a function with a frame pointer");
	is_function(asks_late, true, "after calls, a function");
	is_function(takes_many, false, "a function with arguments on the stack");
	is_function(has_locals, false, "a function with an array");
	ktap_ok(used(thunk, sizeof(thunk), UINSN_MODE_32),
		"32-bit: a thunk looks at its return address");
	ktap_ok(!used(argument, sizeof(argument), UINSN_MODE_32),
		"32-bit: an argument is not taken for the return address");
	ktap_ok(!used(aligned, sizeof(aligned), UINSN_MODE_64),
		"an aligned stack pointer is not taken for the old one");
	ktap_ok(!used(behind, sizeof(behind), UINSN_MODE_64),
		"code behind a return does not count");
	ktap_ok(!used(thunk, 2, UINSN_MODE_32), "text that is cut off does not look at it");
	ktap_ok(!used(NULL, 0, UINSN_MODE_64), "empty text does not look at it");
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
	return ktap_finish();
}
