# SPDX-License-Identifier: GPL-2.0
#
# Exit status 0 when what a kernel complains of first (what complaints.awk prints) is a breakpoint
# in its own text that is not in memory: "int3", and another byte before the one that ip is at. A
# processor does not execute that. QEMU with several threads does, rarely, on a busy machine: what
# one of them translates while another stores there stays, and is executed when the store is done.

NR == 1 && !/int3: 0000 / { exit }
/RIP: 0010:/ { kernel = 1 }
/Code: / {
	at = index($0, "<")
	stale = kernel && at > 4 && substr($0, at - 3, 2) != "cc"
	exit
}
END { exit !stale }
