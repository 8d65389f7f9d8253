#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a client module outside of this tree builds and works as README.md and docs/install.md show
# full: other tests build and load the sample clients
# timeout: 300
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/qemu/lib.sh"
ktap_plan 5

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
offset=$(nm -D "$libc" | awk '$3 ~ /^getppid@/ { print "0x" $1 }')
block README.md "In a kernel module" c | sed -e "s,/usr/lib/x86_64-linux-gnu/libc.so.6,$libc," \
	-e "s/\.offset = 0x[0-9a-f]*/.offset = $offset/" >"$tmp/client.c"
block docs/install.md "Client modules outside the tree" make |
	sed -e "s,/path/to/uprobes/include,$UPROBES_TOP/include," -e "s,/path/to/uprobes,$built," >"$tmp/Kbuild"
is "$(wc -l <"$tmp/Kbuild")" 3 "docs/install.md shows a Kbuild file of three lines"
check "the client builds with this Kbuild file" make -C "$k_kdir" M="$tmp" CONFIG_DEBUG_INFO_BTF_MODULES= modules
output=$("$UPROBES_TOP/qemu/run" -k "$kernel" -f "$tmp/client.ko" sh -c '
	insmod /tmp/client.ko && sh -c "kill -0 \$\$; true" && /usr/bin/env true &&
	perl -e "getppid()" && rmmod client && dmesg | grep "first argument"' </dev/null 2>&1)
is $? 0 "the client can be loaded and unloaded"
like "$output" 'perl: first argument' "the handler of the client is called"
