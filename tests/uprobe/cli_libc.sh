#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace the static probes of a C library: setjmp, memory, threads
# once: the helper is the same on all kernels
# timeout: 120
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

# Use the system's C library, or one that root has fetched together with a kernel.
lib=
for dir in /usr/lib/x86_64-linux-gnu {"${XDG_CACHE_HOME:-$HOME/.cache}",/root/.cache}/uprobes/kernels/*/root/usr/lib/x86_64-linux-gnu; do
	uprobe sdt "$dir/libc.so.6" 2>/dev/null | grep -q '^libc:setjmp ' && lib=$dir && break
done
[ -n "$lib" ] || skip_all "no C library with probes is here"

ktap_plan 7

prog=$UPROBES_TOP/build/progs/cli_libc
run="$lib/ld-linux-x86-64.so.2 --library-path $lib $prog"
libc=$lib/libc.so.6
plain=$($run | sed 's/0x[0-9a-f]*//g')

uprobe -c "$run >$tmp/said" "u:$libc:setjmp env=arg1 mask=arg2" "u:$libc:longjmp env=arg1 value=arg2" \
	"u:$libc:longjmp_target env=arg1 value=arg2" "u:$libc:memory_sbrk_more size=arg2:u64" \
	"u:$libc:memory_mallopt param=arg1 value=arg2" "u:$libc:pthread_create start=arg3 arg=arg4" \
	"u:$libc:pthread_start start=arg2 arg=arg3" >"$tmp/out" 2>"$tmp/err"
diag "$(tail -n 1 "$tmp/err")"
fields "$tmp/out" >"$tmp/values"
is "$(sed 's/0x[0-9a-f]*//g' "$tmp/said")" "$plain" "the program has the same result as without probes"
env=$(sed -n 's/.*env=\(0x[0-9a-f]*\).*/\1/p' "$tmp/said")
thread=$(sed -n 's/.*thread=\(0x[0-9a-f]*\).*/\1/p' "$tmp/said")
is "$(grep -c "^setjmp: env=$env mask=0$" "$tmp/values")" 1 "setjmp is shown with its argument"
is "$(grep '^longjmp: ' "$tmp/values" | paste -sd' ')" \
	"longjmp: env=$env value=1 longjmp: env=$env value=2 longjmp: env=$env value=3" \
	"each longjmp is shown with its arguments"
is "$(grep -c '^longjmp_target: ' "$tmp/values")" 3 "the target of each longjmp is shown"
is "$(awk -F= '/^memory_sbrk_more: / && $2 >= 4000000 { n++ } END { print n }' "$tmp/values")" 1 \
	"the growth of the heap is shown"
is "$(grep -c '^memory_mallopt: param=-3 value=16777216$' "$tmp/values")" 1 "mallopt is shown with its arguments"
is "$(grep -c "^pthread_create: start=$thread arg=0x1234$" "$tmp/values") $(grep -c "^pthread_start: start=$thread arg=0x1234$" "$tmp/values")" "1 1" \
	"the creation and the start of a thread are shown"
