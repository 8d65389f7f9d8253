# SPDX-License-Identifier: GPL-2.0
#
# Prints what a kernel log (as on a serial console) holds of complaints: each
# first line and what belongs to it, up to 60 lines of each. Exit status 0 when
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

function complains(t)
{
	return t ~ /^(BUG|WARNING|INFO: (task|lockdep|rcu|suspicious|trying to register)|KASAN|KCSAN|KFENCE|UBSAN|Oops|Kernel panic|kernel BUG|general protection fault|invalid opcode|divide error|double fault|int3|stack segment|traps: PANIC|page fault|unable to handle)[: ,-]/ ||
	       t ~ /^(watchdog: BUG|rcu: INFO|NMI watchdog: (BUG|Watchdog)|kmemleak: [0-9]+ new|refcount_t: |list_(add|del) corruption|Bad page|page:.* bad|Unbalanced|bad: scheduling|softirq: huh|hrtimer: interrupt took .* [0-9]{12} ns|possible (recursive|circular)|inconsistent lock|DEBUG_LOCKS_WARN)/ ||
	       t ~ /^(------------\[ cut here \]|=+$)/ && 0 ||
	       t ~ /(detected stalls? on CPUs|self-detected stall|blocked for more than [0-9]+ seconds|sleeping function called from|scheduling while atomic|soft lockup|hard LOCKUP|Objects remaining in|still has allocated|Kernel stack is corrupted|kernel tried to execute|uninitialised? lock)/
}

{
	t = text($0)
	if (marker != "" && t ~ marker) {
		left = 0
		next
	}
	if (complains(t)) {
		found = 1
		left = 60
	}
	if (left > 0) {
		print t
		left--
	}
	# What ends a report.
	if (t ~ /^---\[ end (trace|Kernel panic)/)
		left = 0
}

END {
	exit found
}
