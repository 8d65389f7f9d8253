# SPDX-License-Identifier: GPL-2.0
#
# Prints what a kernel log (as on a serial console) holds of complaints: each
# first line and what belongs to it, up to 150 lines of each. Exit status 0 when
# there are none, 1 when there are.
#
# A complaint is what the kernel itself says about the kernel. A user program
# that gets a signal ("traps: ...", "segfault at") is none, and neither are the
# WARNINGs about the CPU's weaknesses, which do not begin a line.
#
# With -v marker=REGEX, matching lines end a complaint (a test runner's marks).

function text(line)
{
	sub(/\r$/, "", line)
	# [   12.345678][  T123] at the front, <4> where somebody put it there
	sub(/^(<[0-9]+>)?\[ *[0-9]+\.[0-9]+\](\[ *[TC][0-9]+\])? ?/, "", line)
	return line
}

# What the first word says, and what is only said further on in the line.
function complains(t)
{
	return t ~ /^(-+\[ cut here \]-+|\[ BUG: .* \])$/ ||
	       t ~ /^(WARNING|UBSAN|Oops|refcount_t|watchdog: BUG|rcu: INFO|kernel BUG at.*|Kernel panic - .*): / ||
	       t ~ /^BUG[: ]/ ||
	       t ~ /^(general protection fault|invalid opcode|divide error|double fault|int3|stack segment)[:, ]/ ||
	       t ~ /^INFO: (task|lockdep|rcu|suspicious|trying to register)/ ||
	       t ~ /^(Kernel panic|kernel BUG at|kmemleak: [0-9]+ new|list_(add|del) corruption|DEBUG_LOCKS_WARN|bad: scheduling|Bad page|NMI watchdog: (BUG|Watchdog detected))/ ||
	       t ~ /(detected stalls? on CPUs|self-detected stall|blocked for more than [0-9]+ seconds|sleeping function called from|scheduling while atomic|soft lockup|hard LOCKUP|Objects remaining in|Kernel stack is corrupted|kernel tried to execute)/
}

{
	t = text($0)
	if (marker != "" && t ~ marker) {
		left = 0
		next
	}
	if (complains(t)) {
		found = 1
		left = 150
	}
	# The end of the guest belongs to no report.
	if (t ~ /^(ACPI: PM: Preparing|reboot: )/)
		left = 0
	if (left > 0) {
		print t
		left--
	}
	if (t ~ /^---\[ end /)
		left = 0
}

END {
	exit found
}
