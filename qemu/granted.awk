# SPDX-License-Identifier: GPL-2.0
#
# Usage: awk -f granted.awk CONFIG FRAGMENT...
#
# Prints each option that the FRAGMENTs ask for, and that CONFIG, a kernel's final .config, does not
# have with that value. Kconfig drops a line without a message if a dependency is missing or the name
# does not exist. If two lines set one option, the later line counts. The exit status is 0 if nothing
# is printed, otherwise 1.

FNR == 1 {
	file++
}

# "CONFIG_A=y", and "# CONFIG_A is not set", which is the same as "CONFIG_A=n".
/^CONFIG_[A-Za-z0-9_]+=/ || /^# CONFIG_[A-Za-z0-9_]+ is not set$/ {
	name = $0
	if (sub(/^# /, "", name)) {
		sub(/ .*/, "", name)
		value = "n"
	} else {
		sub(/=.*/, "", name)
		value = substr($0, length(name) + 2)
	}
	if (file == 1) {
		have[name] = value
		next
	}
	if (!(name in want))
		order[++n] = name
	want[name] = value
}

END {
	for (i = 1; i <= n; i++) {
		name = order[i]
		is = name in have ? have[name] : "n"
		if (is != want[name]) {
			printf "%s: wanted %s, is %s\n", name, want[name], is
			bad = 1
		}
	}
	exit bad
}
