# SPDX-License-Identifier: GPL-2.0
#
# Prints the complaints in a kernel log (as on a serial console): for each complaint the first line
# and the lines that belong to it, at most 150. The exit status is 0 if there are no complaints,
# otherwise 1.
#
# A complaint is a report of the kernel about itself. A signal to a user program ("traps: ...",
# "segfault at") is no complaint. Neither are the WARNINGs about vulnerabilities of the CPU, which do
# not stand at the beginning of a line.
#
# With -v marker=REGEX, a matching line (a mark of a test runner) ends a complaint.

function text(line)
{
	sub(/\r$/, "", line)
	# Remove "[   12.345678][  T123] " at the beginning, and a level like <4> before it.
	sub(/^(<[0-9]+>)?\[ *[0-9]+\.[0-9]+\](\[ *[TC][0-9]+\])? ?/, "", line)
	return line
}

# Check whether a line begins a complaint: by its first words, or by words anywhere in the line.
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
	# These lines are from the power-off of the guest, and belong to no complaint.
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
