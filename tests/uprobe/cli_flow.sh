#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: flow shows calls as they nest, with recursion, longjmp(), threads and exec, as text, objects and sums
# once: the helper and the tracer do the same on all kernels
# cpus: 2 with FULL=1
# timeout: 240
# needs: python3 bash gron
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
ktap_plan $((FULL ? 33 : 26))

prog=$tmp/flow
cp "$UPROBES_TOP/build/progs/flow" "$prog"

# flow ARGUMENT...: run the helper; calls are in $tmp/out, messages in $tmp/err.
flow() {
	uprobe flow "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# tree: print the calls without times and threads.
tree() {
	grep -v '^#' "${1:-$tmp/out}" | sed -E 's/^.{11} \[ *G?[0-9]+\] //'
}

whole='fl_all() {
  fl_slow() {
    fl_leaf();
  } /* fl_slow */
  fl_down() {
    fl_down() {
      fl_down() {
        fl_down() {
          fl_leaf();
        } /* fl_down */
      } /* fl_down */
    } /* fl_down */
  } /* fl_down */
  fl_catch() {
    fl_jump() {
      fl_jump() {
        fl_jump(); /* left without a return */
      } /* fl_jump, left without a return */
    } /* fl_jump, left without a return */
    fl_leaf();
  } /* fl_catch */
  fl_leaf();
} /* fl_all */'
# The functions that are left by return instructions are seen there, the others by their return addresses.
for how in "without traps" "by traps"; do
	echo $([ "$how" = "by traps" ]; echo $?) >$dir/jump
	flow --apart -c "$prog" "$prog:fl_*"
	is "$status $(tree | head -n 23)" "0 $whole" "$how: calls are shown as they nest"
	is "$(tree | tail -n +24)" 'fl_thread() {
  fl_tail() {
    fl_leaf();
  } /* fl_tail */
} /* fl_thread */' "$how: those of another thread are apart"
	is "$(grep -c '^#.* is a thread of flow ' "$tmp/out")" 2 "$how: both threads are named"
	like "$(cat "$tmp/err")" '3 calls ended without a return' "$how: a message counts the calls that were left"
done
flow -c "$prog" "$prog:fl_*"
is "$(tree | sort)" "$( (echo "$whole"; printf 'fl_thread() {\n  fl_tail() {\n    fl_leaf();\n  } /* fl_tail */\n} /* fl_thread */\n') | sort)" \
	"without --apart, the same lines are there"
like "$(grep 'fl_slow \*/' "$tmp/out")" '^ +([1-9][0-9]{2}ms|[0-9.]+s) [@$] ' "a slow call has its time, and a mark"

flow --apart --depth 2 -c "$prog" "$prog:fl_*"
is "$(tree | head -n 6)" 'fl_all() {
  fl_slow();
  fl_down();
  fl_catch();
  fl_leaf();
} /* fl_all */' "--depth shows outer calls only"
# On a busy machine, any call may take some time.
flow --apart --min 600ms -c "SLEEP=1000 $prog" "$prog:fl_*"
like "$(tree)" '^  fl_slow\(\);$' "--min shows slow calls"
is "$(tree | head -n 1)" 'fl_all() {' "and those around them"
is "$(awk '!/^#/ && $1 ~ /[0-9]s$/ { time = $1; ms = time ~ /ms$/ ? time + 0 : time ~ /[un]s$/ ? 0 : 1000 * time
	if (ms < 600) short++ } END { print short + 0 }' "$tmp/out")" 0 "and no others"

ln "$prog" "$tmp/other"
flow --apart -c "$tmp/other; exec $prog" "$prog:fl_*"
is "$(grep -c ' is a thread of other ' "$tmp/out") $(grep -c ' is a thread of flow ' "$tmp/out")" "2 2" \
	"another program has another name"

# A name that is longer as the tracer writes it.
cp "$prog" "$tmp/"$'\001\002\003\004\005'
flow -c "$tmp/"$'\001\002\003\004\005' "$tmp/"$'\001\002\003\004\005:fl_*'
is "$(grep -c 'is a thread of' "$tmp/out")" 2 "a thread with an odd name is named once"

flow --summary -c "SLEEP=1000 $prog" "$prog:fl_*"
is "$(awk 'NR > 1 { print $NF, $1 }' "$tmp/out" | sort | xargs)" \
	"fl_all 1 fl_catch 1 fl_down 4 fl_jump 3 fl_leaf 5 fl_slow 1 fl_tail 1 fl_thread 1" \
	"--summary counts the calls of each function"
is "$(awk 'NR == 2 { print $NF }' "$tmp/out")" fl_slow "the function with the most time of its own comes first"
flow -o "$tmp/flow.json" -c "$prog" "$prog:fl_*"
is "$(python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
calls = [e for e in events if e["ph"] == "X"]
slow = [e for e in calls if e["name"] == "fl_slow"][0]
inner = [e for e in calls if e["tid"] == slow["tid"] and slow["ts"] < e["ts"] < slow["ts"] + slow["dur"]]
print(len(calls), slow["dur"] > 99000, [e["name"] for e in inner], len({e["tid"] for e in calls}),
      len([e for e in events if e["ph"] == "M"]), len([e for e in calls if "left" in e.get("args", {})]))' "$tmp/flow.json")" \
	"17 True ['fl_leaf'] 2 2 3" "-o FILE.json writes an object for each call, in the Trace Event Format"

if [ -n "${FULL:-}" ]; then
	# So many threads that the list of them grows.
	flow --apart -c "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do $prog; done" "$prog:fl_*"
	is "$(grep -c 'fl_all() {' "$tmp/out") $(grep -c 'fl_thread() {' "$tmp/out") $(wc -l <"$tmp/err")" "20 20 3" \
		"the calls of forty threads are shown"

	# A program from Debian: as many calls of each function as count says, and the same output.
	run='bash -c "for i in 1 2 3; do echo \$i; done; f() { return 3; }; f; echo \$?; echo x | cat"'
	plain=$(sh -c "$run")
	is "$(uprobe flow --summary --top 5000 -c "$run" -o "$tmp/lines" 'bash:*' 2>"$tmp/err")" "$plain" "bash has the same output"
	like "$(cat "$tmp/err")" 'Following 1[0-9]{3} functions' "all its functions are followed"
	like "$(cat "$tmp/err")" ' 0 missed, 0 lost' "all its calls are followed"
	uprobe count --top 5000 -c "$run" -o "$tmp/count" 'bash:*' >/dev/null 2>&1
	# Some functions depend on the process id, or on time.
	is "$(join <(awk 'NR > 1 { print $NF, $1 }' "$tmp/lines" | sort) <(awk 'NR > 1 { print $2, $1 }' "$tmp/count" | sort) |
		awk '{ n++; same += $2 == $3 } END { print (n > 200), (same / n > 0.95) }')" "1 1" \
		"as many calls of each function are followed as counted"
	run="python3 -c 'print(sum(len(str(i)) for i in range(200)))'"
	plain=$(sh -c "$run")
	is "$(uprobe flow --min 1ms -c "$run" -o "$tmp/lines" 'python3:Py*' 2>"$tmp/err")" "$plain" "python3 has the same output"
	like "$(cat "$tmp/lines")" '^ +[0-9.]+ms [#*] .*Py' "slow calls are shown"
fi
flow --summary -c "$prog" "$prog:fl_leaf" "$prog:fl_l*" "p:$prog:fl_leaf"
is "$(awk 'NR > 1 { print $NF, $1 }' "$tmp/out") $(grep -c 'without a return' "$tmp/err")" "fl_leaf 5 0" \
	"a function that several arguments name is followed once"
flow --force=align -c true "$prog:fl_*"
is "$status" 2 "an option without an effect is refused"
flow "r:$prog:fl_leaf"
is "$status" 2 "a return probe is refused"
flow -c "$prog" "$prog:none_*"
is "$status" 3 "a pattern without a function is an error"

# Go: calls are those of goroutines, which change their threads, and whose stacks move.
printf '{"a":[1,2,{"b":3}],"c":"text"}\n' >"$tmp/j"
plain=$(gron "$tmp/j")
is "$(uprobe flow --apart -c "gron $tmp/j" -o "$tmp/out" 'gron:main.*' 2>"$tmp/err")" "$plain" "gron has the same output"
is "$(tree | sed -n 's/^  main\.gron() {$/&/p; s/^    main.statementsFromJSON() {$/&/p' | xargs)" \
	"main.gron() { main.statementsFromJSON() {" "calls of Go functions nest"
is "$(grep -c '^#  *\[  *G1\] is goroutine 0xc0' "$tmp/out") $(grep -c 'left without' "$tmp/out")" "1 0" "all are of one goroutine, and return"
