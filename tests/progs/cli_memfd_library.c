// SPDX-License-Identifier: GPL-2.0
// cflags: -shared -fPIC
/* A library with one probe, to be loaded from memory. */
void fire(long n, const char *text);

__attribute__((noipa)) void fire(long n, const char *text)
{
	asm volatile("990:	nop\n"
		     ".pushsection .note.stapsdt, \"?\", \"note\"\n"
		     ".balign 4\n"
		     ".4byte 992f - 991f, 994f - 993f, 3\n"
		     "991:	.asciz \"stapsdt\"\n"
		     "992:	.balign 4\n"
		     "993:	.8byte 990b, _.stapsdt.base, 0\n"
		     ".asciz \"memory\"\n"
		     ".asciz \"fired\"\n"
		     ".asciz \"-8@%%rdi 8@%%rsi\"\n"
		     "994:	.balign 4\n"
		     ".popsection\n"
		     ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
		     ".weak _.stapsdt.base\n"
		     ".hidden _.stapsdt.base\n"
		     "_.stapsdt.base: .space 1\n"
		     ".size _.stapsdt.base, 1\n"
		     ".popsection\n"
		     : : "D" (n), "S" (text));
}
