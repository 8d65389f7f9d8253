#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: with --control, the same command uses the kernel's tracer and shows the same events
# once: the helper is the same on all kernels
# needs: setarch
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

tracefs=/sys/kernel/tracing
[ -e $tracefs/uprobe_events ] || skip_all "this kernel has no uprobe_events"

ktap_plan 6

t=$tmp/traced
run() {
	uprobe --long "$@" -c "setarch $(uname -m) -R $t all" \
		"p:$t:ints %di %si:s32" "r:$t:give \$retval" \
		"p:where $t:text +0(%di):string" 2>"$tmp/err" >"$tmp/lines"
	fields "$tmp/lines" | sort
}

ours=$(run)
like "$ours" '^where: ' "the module's tracer shows events"
theirs=$(run --control $tracefs)
diag "$(cat "$tmp/err")"
is "$theirs" "$ours" "the kernel's tracer shows the same lines"
is "$(wc -l <$tracefs/uprobe_events)" 0 "no event is left in the kernel's tracer"

uprobe --control $tracefs -c "$t all" "p:$t:ints +0(%di):string16" >"$tmp/out" 2>"$tmp/err"
is "$? $(grep -c 'leave --control out' "$tmp/err")" "4 1" "a type that the kernel's tracer does not know is refused"

# The tracer, not the helper, applies this filter.
uprobe --control $tracefs -c "$t all" "p:$t:ints a=%si:s32" 'a < 0' 2>"$tmp/err" >"$tmp/out"
is "$?" 0 "the kernel's tracer accepts the filter"
is "$(grep -vc 'a=-' "$tmp/out")" 0 "the kernel's tracer applies the filter"
