#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# test: granted.awk names the options that a kernel's configuration lacks
. "$UPROBES_TOP/tests/lib.sh"

dir=$(mktemp -d)
at_exit "rm -rf $dir"

# denied FRAGMENT-LINE...: print the output of granted.awk for this fragment, and its exit status.
denied() {
	printf '%s\n' "$@" >"$dir/fragment"
	awk -f "$UPROBES_TOP/qemu/granted.awk" "$dir/config" "$dir/fragment"
	echo "status $?"
}

cat >"$dir/config" <<'END'
#
# Automatically generated file; DO NOT EDIT.
#
CONFIG_SMP=y
CONFIG_NR_CPUS=8
CONFIG_CMDLINE="panic_on_warn=1 a=b"
# CONFIG_UPROBES is not set
CONFIG_KASAN_INLINE=y
END

ktap_plan 8
is "$(denied CONFIG_SMP=y CONFIG_NR_CPUS=8 'CONFIG_CMDLINE="panic_on_warn=1 a=b"')" \
	"status 0" "options that the configuration grants are not named"
is "$(denied CONFIG_UPROBES=n '# CONFIG_NO_SUCH is not set' CONFIG_NOR_THIS=n)" \
	"status 0" "options that are off as wanted are not named"
is "$(denied CONFIG_KASAN=y)" "CONFIG_KASAN: wanted y, is n
status 1" "an option that the configuration does not have is named"
is "$(denied CONFIG_UPROBES=y)" "CONFIG_UPROBES: wanted y, is n
status 1" "an option that is off, but wanted, is named"
is "$(denied CONFIG_SMP=n)" "CONFIG_SMP: wanted n, is y
status 1" "an option that is on, but not wanted, is named"
is "$(denied CONFIG_NR_CPUS=16)" "CONFIG_NR_CPUS: wanted 16, is 8
status 1" "an option with another value is named"
is "$(denied CONFIG_UPROBES=y CONFIG_KASAN=y CONFIG_UPROBES=n)" "CONFIG_KASAN: wanted y, is n
status 1" "if a fragment has two lines for one option, the later line counts"
is "$(denied '# CONFIG_KASAN=y' 'CONFIG_KASAN_INLINE=y')" \
	"status 0" "a comment in a fragment is ignored"
