#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace an installed OCaml program, without harm to its exceptions and its collector
# full: it traces installed programs, or follows documents of others
# once: the helper is the same on all kernels
# needs: unison
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 6

unison=$(readlink -f "$(command -v unison)")
export HOME=$tmp
mkdir "$tmp/from"
echo something >"$tmp/from/file"

# sync COMMAND...: let the program copy a directory, while COMMAND traces it.
sync() {
	rm -rf "$tmp/to" "$tmp/.unison"
	mkdir "$tmp/to"
	"$@" "$unison -batch -ui text $tmp/from $tmp/to >$tmp/said 2>&1; echo status \$?" \
		"r:$unison:$find" >"$tmp/out" 2>"$tmp/err"
}

# A look-up function, which raises an exception if it finds nothing. The suffix of its name varies.
find=$(uprobe list "$unison" | grep -o 'camlStdlib__Hashtbl__find_[0-9]*' | head -n 1)
sync uprobe -c
like "$(cat "$tmp/out")" '^status 0$' "with returns probed, the program ends with status 0"
is "$(cat "$tmp/to/file")" something "with returns probed, the program has copied the file"
isnt "$(grep -c " $find:" "$tmp/out")" 0 "returns are shown"
like "$(cat "$tmp/err")" 'is an OCaml program, .*: its return instructions are probed instead' \
	"a note tells that return instructions are probed instead"
sync uprobe --return=trampoline -c
like "$(cat "$tmp/err")" 'is an OCaml program.*--return=sites' "replaced return addresses are refused"
uprobe lat --return=trampoline "$unison:camlStdlib__Hashtbl__find_*" 2>"$tmp/err"
is "$?" 4 "lat by replaced return addresses is refused"
