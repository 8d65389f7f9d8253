# SPDX-License-Identifier: GPL-2.0
#
# Reads the complaints of a kernel, as complaints.awk prints them. The exit status is 0 if the first
# complaint is about a stale breakpoint: one in the kernel's text that is no longer in memory, at an
# address where vmlinux patches itself. A real processor executes the bytes in memory. QEMU with
# several threads does not always do so, though the fault is rare and needs a busy machine: while one
# thread stores to the text, another one translates the old bytes, and executes them after the store.
#
# RIP must name a function of vmlinux; for a function of a module, [MODULE] follows. uprobes.ko is a
# module, so a breakpoint in its text never counts as a fault of the emulator. The bytes at RIP must
# be one of those that the kernel's text_poke_bp() writes over its breakpoint
# (arch/x86/kernel/alternative.c, jump_label.c, ftrace.c, static_call.c): a nop of five or two
# bytes, a jump, a call, or a return. That excludes kprobes, which put their breakpoints at any
# instruction: the original instruction there is rarely one of these.

NR == 1 && !/int3: 0000 / { exit }
/RIP: 0010:/ {
	vmlinux = $0 ~ /RIP: 0010:[A-Za-z_.0-9]+\+0x[0-9a-f]+\/0x[0-9a-f]+ *\r?$/
}
/Code: / {
	# The byte at ip stands in <>. The byte before it is the one that the breakpoint had replaced.
	at = index($0, "<")
	text = substr($0, at - 3, 2) " " substr($0, at + 1)
	gsub(/[<>\r]/, "", text)
	stale = vmlinux && at > 4 &&
		text ~ /^(0f 1f 44 00 00|66 90|e9( [0-9a-f][0-9a-f])+|eb [0-9a-f][0-9a-f]|e8( [0-9a-f][0-9a-f])+|c3 cc cc cc cc)( |$)/
	exit
}
END { exit !stale }
