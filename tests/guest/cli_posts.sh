#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the lines of the posts on USDT and on MySQL work as they are written
# once: the helper is the same on all kernels
# timeout: 150
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 16

# The programs are called what they are called there.
mkdir "$tmp/opt"
cp "$UPROBES_TOP/build/progs/cli_posts" "$tmp/opt/node"
cp "$UPROBES_TOP/build/progs/cli_posts" "$tmp/opt/mysqld"
PATH=$tmp/opt:$PATH

# seen FILE: events without addresses.
seen() { fields "$1" | sed 's/ (0x[0-9a-f]*)//'; }

is "$(uprobe -l mysqld | sort)" "$(nm -C "$tmp/opt/mysqld" | awk '$2 ~ /^[tT]$/' | cut -d' ' -f3- | sort)" "-l mysqld lists its functions"
like "$(uprobe -l mysqld)" '^_Z16dispatch_command19enum_server_commandP3THDPcj$|^dispatch_command' "the one of the post among them"
uprobe -c "$tmp/opt/mysqld" 'p:cmd mysqld: _Z16dispatch_command19enum_server_commandP3THDPcj +0(%dx):string' >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | sort | uniq -c | sed 's/^ *//')" '3 cmd: arg1="show tables"' "p:cmd mysqld: _Z16dispatch_command... +0(%dx):string"
uprobe -c "$tmp/opt/mysqld" 'p:cmd mysqld:dispatch_command +0(%dx):string' >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | sort | uniq -c | sed 's/^ *//')" '3 cmd: arg1="show tables"' "the same by its C++ name"

# usdt -l node, usdt -L node
is "$(uprobe sdt node)" "node:gc__start arg1=%si:u32 arg2=%dx:u32 arg3=%di:x64
node:http__client__request (counter) arg1=%ax:x64 arg2=%dx:x64" "probes, with their arguments"

# Addresses, taken from readelf as there: minus what the program is linked to.
address() {
	readelf -n "$tmp/opt/node" | awk -v name="$1" '$1 == "Name:" { n = $2 } $1 == "Location:" && n == name { sub(/,/, "", $2); print $2 }'
}
base=$(readelf -lW "$tmp/opt/node" | awk '$1 == "LOAD" && / R E / { print $3 " - " $2 }')
gc=$(printf '0x%x' $(($(address gc__start) - (base))))
request=$(printf '0x%x' $(($(address http__client__request) - (base))))

uprobe -c "$tmp/opt/node" "p:gc_start node:$gc" >"$tmp/out" 2>"$tmp/err"
is "$(grep -c "node-[0-9]* .* gc_start: ($(address gc__start | sed 's/0x0*/0x/'))$" "$tmp/out")" 3 "p:gc_start node:0xOFFSET"
uprobe -c "$tmp/opt/node" "p:client_request $tmp/opt/node:$gc gctype=%si:u32" >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | paste -sd' ')" "client_request: gctype=1 client_request: gctype=2 client_request: gctype=1" \
	"p:client_request /opt/node/node:0xOFFSET gctype=%si:u32"
uprobe -c "$tmp/opt/node" 'u:node:gc__start gctype=arg1' >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | paste -sd' ')" "gc__start: gctype=1 gc__start: gctype=2 gc__start: gctype=1" "the same by its name"

# The probe that is not there while nobody traces.
uprobe -c "$tmp/opt/node" "p:node:$request" >"$tmp/out" 2>"$tmp/err"
is "$(wc -l <"$tmp/out")" 0 "p:node:0xOFFSET: nothing"
like "$(cat "$tmp/err")" 'counts its tracers.*use: u:node:node:http__client__request' "but the reason and the remedy"
uprobe -c "$tmp/opt/node" 'u:node:http__client__request +0(+0(%ax)):string +0(+8(%ax)):string' >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | sort | uniq -c | sed 's/^ *//')" '3 http__client__request: arg1="/" arg2="GET"' \
	"with its counter: +0(+0(%ax)):string and +0(+8(%ax)):string"
uprobe -c "$tmp/opt/node" 'u:client_request node:http__client__request url=+0(+0(arg1)):string method=+0(+8(arg1)):string' \
	>"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | sort | uniq -c | sed 's/^ *//')" '3 client_request: url="/" method="GET"' "arguments by their numbers"

# A process that runs: its memory is not touched by hand.
mkfifo "$tmp/in"
"$tmp/opt/node" wait <"$tmp/in" >"$tmp/said" &
running=$!
exec 7>"$tmp/in"
# pass N: through all probes, until it has said N lines.
pass() {
	echo >&7
	wait_until "the program has said $1 lines" lines_in "$tmp/said" "$1"
}
pass 1
start -p $running 'u:node:http__client__request +0(+0(%ax)):string'
pass 2
stop
pass 3
is "$(seen "$tmp/out")" 'http__client__request: arg1="/"' "-p PID u:node:http__client__request"
is "$(paste -sd' ' <"$tmp/said")" "0 1 0" "its counter is on while it is traced, and off again"
exec 7>&-
wait $running
is $? 0 "it ends well"

# ... | head -5
uprobe -c "$tmp/opt/node; $tmp/opt/node" "p:node:$gc" 2>"$tmp/err" | head -n 2 >"$tmp/out"
is "$(wc -l <"$tmp/out")" 2 "into head"
