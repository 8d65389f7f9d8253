#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: make try finds the tests of what has changed; each name that it has is that of a test
. "$UPROBES_TOP/tests/lib.sh"
cd "$UPROBES_TOP" || exit
ktap_plan 11
tmp=$(mktemp -d)
at_exit "rm -rf $tmp"

# touched FILE...: print the tests, on one line.
touched() {
	printf '%s\n' "$@" | tests/touched | paste -sd ' '
}

like "$(touched tests/probe/api/api_order.sh)" '^api_order$' "a test is touched by its own change"
is "$(touched tests/host/histogram.c tests/static/layers tests/harness/stale.sh)" \
	"checkpatch histogram layers rules stale static_*" "so are tests on the host, checks, and tests of the harness"
like "$(touched tests/shared/task.inc)" "$(grep -l 'task\.inc' tests/probe/*/*.sh | sed 's,.*/,,; s,\.sh,,; q')" \
	"functions of tests touch the tests that use them"
like "$(touched tests/shared/maps.c)" '(^| )mappings( |$)' "a program touches the tests that run it"
like "$(touched module/probe/uret/trampoline.c)" '(^| )coroutines_random ' "a source touches tests of its folder"
like "$(touched module/probe/events/fork.c)" '(^| )fork_met ' "a source touches tests that have its name in theirs"
mkdir -p build/tests/host
like "$(touched userspace/util/svg.c)" '(^| )(flame|cli_help) ' "a source touches host tests"

# What of_others() names.
ls tests/{probe/*,trace,uprobe,insn,torture,host,harness,static} | sed -n 's/\.\(sh\|c\)$//; /^[a-z0-9_]*$/p' >"$tmp/names"
missing=
set -f
for glob in $(sed -n "/^of_others()/,/^}/s/.* echo \(.*\) ;;/\1/p" tests/touched | tr -d "'"); do
	grep -qE "^${glob//\*/.*}\$" "$tmp/names" || missing+=" $glob"
done
set +f
is "$missing" "" "each name in tests/touched is that of a test"

# A checkout with a change.
git() {
	command git -C "$tmp" -c user.name=a -c user.email=a@b "$@"
}
mkdir "$tmp/tests"
rm "$tmp/names"
cp tests/changed "$tmp/tests"
date=1700000000
commit() {
	git add -A
	date=$((date + $1))
	GIT_COMMITTER_DATE="$date +0000" GIT_AUTHOR_DATE="$date +0000" git commit -qm "$2"
}
git init -q
for n in 1 2 3 4; do
	echo $n >"$tmp/file$n"
	commit 18000 $n
done
echo 4 >"$tmp/file1"
echo 5 >"$tmp/new"
is "$("$tmp/tests/changed" HEAD | paste -sd ' ')" "file1 new" "what differs from the last commit has changed"
is "$("$tmp/tests/changed" | paste -sd ' ')" "file1 file3 file4 new" "lately: what differs from six hours before"
is "$("$tmp/tests/changed" HEAD~3 | paste -sd ' ')" "file1 file2 file3 file4 new" "or from a commit"
