# SPDX-License-Identifier: GPL-2.0
#
# Exit status 0 when what a kernel complains of first (what complaints.awk prints) is a
# breakpoint in its own text that is no longer in memory, at an address where vmlinux patches
# itself. A real processor executes what memory holds. QEMU with several threads rarely, on a
# busy machine, does not: while one thread stores there, another translates the old bytes, and
# executes them when the store is done.
#
# The address: RIP names a function of vmlinux, without the [MODULE] that follows one of a
# module. Ours is a module, so text that it has patched is never taken for the emulator's fault.
# The bytes there are one of what the kernel's text_poke_bp() writes over its breakpoint
# (arch/x86/kernel/alternative.c, jump_label.c, ftrace.c, static_call.c): a nop of five or two
# bytes, a jump, a call, a return. Kprobes put their breakpoints at any instruction, and are
# told by that: the byte under theirs is rarely one of these.

NR == 1 && !/int3: 0000 / { exit }
/RIP: 0010:/ {
	vmlinux = $0 ~ /RIP: 0010:[A-Za-z_.0-9]+\+0x[0-9a-f]+\/0x[0-9a-f]+ *\r?$/
}
/Code: / {
	# The byte that ip is at stands in <>: it follows the one that the breakpoint was at.
	at = index($0, "<")
	text = substr($0, at - 3, 2) " " substr($0, at + 1)
	gsub(/[<>\r]/, "", text)
	stale = vmlinux && at > 4 &&
		text ~ /^(0f 1f 44 00 00|66 90|e9( [0-9a-f][0-9a-f])+|eb [0-9a-f][0-9a-f]|e8( [0-9a-f][0-9a-f])+|c3 cc cc cc cc)( |$)/
	exit
}
END { exit !stale }
