#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a program in OCaml, with its exceptions and its collector, is traced as it is installed
# once: the helper is the same on all kernels
# needs: unison-2.52
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 6

unison=$(readlink -f "$(command -v unison-2.52)")
export HOME=$tmp
mkdir "$tmp/from"
echo something >"$tmp/from/file"

# sync COMMAND...: have it copy a directory, traced.
sync() {
	rm -rf "$tmp/to" "$tmp/.unison"
	mkdir "$tmp/to"
	"$@" "$unison -batch -ui text $tmp/from $tmp/to >$tmp/said 2>&1; echo status \$?" \
		"r:$unison:$find" >"$tmp/out" 2>"$tmp/err"
}

# A look-up that raises an exception where there is nothing; what follows its name changes.
find=$(uprobe list "$unison" | grep -o 'camlStdlib__Hashtbl__find_[0-9]*' | head -n 1)
sync uprobe -c
like "$(cat "$tmp/out")" '^status 0$' "with returns probed it ends well"
is "$(cat "$tmp/to/file")" something "and has done its work"
isnt "$(grep -c " $find: " "$tmp/out")" 0 "returns are seen"
like "$(cat "$tmp/err")" 'is an OCaml program, .*: its return instructions are probed instead' "a note says how"
sync uprobe --return=trampoline -c
like "$(cat "$tmp/err")" 'is an OCaml program.*--return=sites' "replaced return addresses are refused"
uprobe lat "$unison:camlStdlib__Hashtbl__find_*" 2>"$tmp/err"
is "$?" 4 "and so is latency"
