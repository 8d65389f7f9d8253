#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a client module outside of this tree builds and works as README.md and docs/install.md show
# full: other tests build and load the sample clients
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/qemu/lib.sh"
ktap_plan 6

kernel=$(awk '!/^ *(#|$)/ && $NF { print $1; exit }' "$UPROBES_TOP/qemu/kernels")
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"
check "uprobes.ko builds for $kernel" "$UPROBES_TOP/qemu/build" "$kernel"
built=$UPROBES_TOP/build/$kernel
load_kernel "$kernel"

# block FILE CHAPTER LANGUAGE: print the first block in LANGUAGE of CHAPTER of FILE.
block() {
	awk -v title="## $2" -v start="\`\`\`$3" '
		/^## / { chapter = $0 == title }
		/^```$/ { if (inside) exit }
		inside { print }
		chapter && $0 == start { inside = 1 }' "$UPROBES_TOP/$1"
}

libc=$(ldconfig -p | awk '/libc.so.6.*x86-64/ { print $NF; exit }')
block README.md "In a kernel module" c >"$tmp/shown.c"
function=$(sed -n 's/.*"uprobe offset libc \(.*\)" says.*/\1/p' "$tmp/shown.c")
offset=$(nm -D "$libc" | awk -v name="$function@" 'index($3, name) == 1 { print "0x" $1 }')
sed -e "s,/usr/lib/x86_64-linux-gnu/libc.so.6,$libc," -e "s/\.offset = 0x[0-9a-f]*/.offset = $offset/" \
	"$tmp/shown.c" >"$tmp/client.c"
block docs/install.md "Client modules outside the tree" make |
	sed -e "s,/path/to/uprobes/include,$UPROBES_TOP/include," -e "s,/path/to/uprobes,$built," >"$tmp/Kbuild"
is "$(wc -l <"$tmp/Kbuild")" 3 "docs/install.md shows a Kbuild file of three lines"
check "the client builds with this Kbuild file" make -C "$k_kdir" M="$tmp" CONFIG_DEBUG_INFO_BTF_MODULES= modules
# dmesg prints what the client logs. If dmesg called the function to do so, the log would never end.
output=$("$UPROBES_TOP/qemu/run" -k "$kernel" -f "$tmp/client.ko" sh -c '
	insmod /tmp/client.ko || exit
	dmesg -w >/tmp/seen &
	until perl -e "kill 0, \$\$" && grep "perl: first argument" /tmp/seen; do sleep 0.1; done
	rmmod client && ! grep "dmesg: first argument" /tmp/seen' </dev/null 2>&1)
is $? 0 "the client can be loaded and unloaded, and dmesg -w causes no lines"
like "$output" 'perl: first argument' "the handler of the client is called"
like "$(grep first "$tmp/shown.c")" pr_info_ratelimited "and it limits its lines"
