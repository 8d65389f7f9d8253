// SPDX-License-Identifier: GPL-2.0
// cflags: -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-T,tests/trace/documented.lds
/*
 * Stands in for the zsh, bash and node of the documents that show how to use tracefs.  The
 * functions are at the same addresses as there.  The program calls them with the values that the
 * output in the documents shows.
 */
asm(".text\n"
	".globl _start\n"
	"_start:\n"
	"	call call_zfree\n"
	"	mov $1, %esi\n"
	"	call dtrace_gc_start\n"
	"	mov $2, %esi\n"
	"	call dtrace_gc_start\n"
	"	lea request(%rip), %rax\n"
	"	call http_client_request\n"
	"	mov $60, %eax\n"
	"	xor %edi, %edi\n"
	"	syscall\n"
	"request: .quad url, method\n"
	"url: .asciz \"/\"\n"
	"method: .asciz \"GET\"\n"

	".section .zfree, \"ax\"\n"
	"zfree:\n"
	"	push %rbp\n"
	"	xor %eax, %eax\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.org 0x11b - 5\n"
	"call_zfree:\n"
	"	mov $0x79, %eax\n"
	"	call zfree\n"			/* returns to 0x446540 */
	"	ret\n"

	".section .node, \"ax\"\n"
	"dtrace_gc_start:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	nop\n"				/* 0xbf44b4 */
	"	pop %rbp\n"
	"	ret\n"
	"	.org 0x7f48ff - 0x7f44b0\n"
	"http_client_request:\n"
	"	nop\n"				/* 0xbf48ff */
	"	ret\n");
