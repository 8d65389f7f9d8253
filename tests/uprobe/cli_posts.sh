#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the commands in the blog posts on USDT and on MySQL work unchanged
# full: it traces installed programs, or follows documents of others
# once: the helper is the same on all kernels
# timeout: 150
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 16

# Give the programs the names that the posts use.
mkdir "$tmp/opt"
cp "$UPROBES_TOP/build/progs/cli_posts" "$tmp/opt/node"
cp "$UPROBES_TOP/build/progs/cli_posts" "$tmp/opt/mysqld"
PATH=$tmp/opt:$PATH

# seen FILE: print the events without addresses.
seen() { fields "$1"; }

is "$(uprobe -l mysqld | sort)" "$(nm -C "$tmp/opt/mysqld" | awk '$2 ~ /^[tT]$/' | cut -d' ' -f3- | sort)" "-l mysqld lists its functions"
like "$(uprobe -l mysqld)" '^_Z16dispatch_command19enum_server_commandP3THDPcj$|^dispatch_command' \
	"-l mysqld lists the function of the post"
uprobe -c "$tmp/opt/mysqld" 'p:cmd mysqld: _Z16dispatch_command19enum_server_commandP3THDPcj +0(%dx):string' >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | sort | uniq -c | sed 's/^ *//')" '3 cmd: arg1="show tables"' "p:cmd mysqld: _Z16dispatch_command... +0(%dx):string"
uprobe -c "$tmp/opt/mysqld" 'p:cmd mysqld:dispatch_command +0(%dx):string' >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | sort | uniq -c | sed 's/^ *//')" '3 cmd: arg1="show tables"' \
	"the same function is traced by its C++ name"

# usdt -l node, usdt -L node
is "$(uprobe sdt node)" "node:gc__start arg1=%si:u32 arg2=%dx:u32 arg3=%di:x64
node:http__client__request (counter) arg1=%ax:x64 arg2=%dx:x64" "uprobe sdt node lists the probes with their arguments"

# Offsets, from readelf as in the posts: the address minus the program's base address.
address() {
	readelf -n "$tmp/opt/node" | awk -v name="$1" '$1 == "Name:" { n = $2 } $1 == "Location:" && n == name { sub(/,/, "", $2); print $2 }'
}
base=$(readelf -lW "$tmp/opt/node" | awk '$1 == "LOAD" && / R E / { print $3 " - " $2 }')
gc=$(printf '0x%x' $(($(address gc__start) - (base))))
request=$(printf '0x%x' $(($(address http__client__request) - (base))))

uprobe --long -c "$tmp/opt/node" "p:gc_start node:$gc" >"$tmp/out" 2>"$tmp/err"
is "$(grep -c "node-[0-9]* .* gc_start: ($(address gc__start | sed 's/0x0*/0x/'))$" "$tmp/out")" 3 "p:gc_start node:0xOFFSET"
uprobe -c "$tmp/opt/node" "p:client_request $tmp/opt/node:$gc gctype=%si:u32" >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | paste -sd' ')" "client_request: gctype=1 client_request: gctype=2 client_request: gctype=1" \
	"p:client_request /opt/node/node:0xOFFSET gctype=%si:u32"
uprobe -c "$tmp/opt/node" 'u:node:gc__start gctype=arg1' >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | paste -sd' ')" "gc__start: gctype=1 gc__start: gctype=2 gc__start: gctype=1" \
	"the same probe is traced by its name"

# A probe that the program skips while its counter is 0.
uprobe -c "$tmp/opt/node" "p:node:$request" >"$tmp/out" 2>"$tmp/err"
is "$(wc -l <"$tmp/out")" 0 "p:node:0xOFFSET: a probe with a counter is not hit"
like "$(cat "$tmp/err")" 'counts its tracers.*use: u:node:node:http__client__request' \
	"p:node:0xOFFSET: a message tells the reason and the remedy"
uprobe -c "$tmp/opt/node" 'u:node:http__client__request +0(+0(%ax)):string +0(+8(%ax)):string' >"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | sort | uniq -c | sed 's/^ *//')" '3 http__client__request: arg1="/" arg2="GET"' \
	"u: increments the counter: +0(+0(%ax)):string and +0(+8(%ax)):string"
uprobe -c "$tmp/opt/node" 'u:client_request node:http__client__request url=+0(+0(arg1)):string method=+0(+8(arg1)):string' \
	>"$tmp/out" 2>"$tmp/err"
is "$(seen "$tmp/out" | sort | uniq -c | sed 's/^ *//')" '3 client_request: url="/" method="GET"' \
	"arguments are found by their numbers"

# A running process. The posts write to its counter by hand; here this is not necessary.
mkfifo "$tmp/in"
"$tmp/opt/node" wait <"$tmp/in" >"$tmp/said" &
running=$!
exec 7>"$tmp/in"
# pass N: let the program pass all probes, and wait until it has said N lines.
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
is "$(paste -sd' ' <"$tmp/said")" "0 1 0" "the process's counter is 1 only while it is traced"
exec 7>&-
wait $running
is $? 0 "the process ends with status 0"

# ... | head -5
uprobe -c "$tmp/opt/node; $tmp/opt/node" "p:node:$gc" 2>"$tmp/err" | head -n 2 >"$tmp/out"
is "$(wc -l <"$tmp/out")" 2 "a pipe into head gets its lines"
