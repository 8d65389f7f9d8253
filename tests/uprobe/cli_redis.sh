#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace the words of commands to an installed redis-server
# full: it traces installed programs, or follows documents of others
# once: the helper is the same on all kernels
# timeout: 120
# needs: redis-cli /usr/bin/redis-check-rdb
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 6

# Redis is one program, which acts according to the name that it is started by. Its package
# redis-server adds only a name, and would start a server.
cp /usr/bin/redis-check-rdb "$tmp/redis-server"
PATH=$tmp:$PATH

redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" >"$tmp/log" 2>&1 &
server=$!
wait_until "the server listens" test -S "$tmp/redis"
start 'p:redis-server:createStringObject ptr=+0(%di):string len=%si'
is "$(redis-cli -s "$tmp/redis" set some-key a-value)" OK "while it is traced, the server's answer is right"
stop
# The words follow each other in the client's message, without a NUL.
is "$(awk '/ptr="(set|some-key|a-value)/ { print $NF }' "$tmp/out" | tr '\n' ' ')" "len=0x3 len=0x8 len=0x7 " \
	"events show the words of a command with their lengths"
start -p $server 'r:redis-server:createStringObject $retval' 'p:redis-server:processCommand'
is "$(redis-cli -s "$tmp/redis" get some-key)" a-value \
	"while entries and returns are traced, the server's answer is right"
stop
isnt "$(grep -c ' processCommand:' "$tmp/out")" 0 "events show commands"
is "$(grep ' createStringObject: ' "$tmp/out" | grep -vc 'arg1=0x[0-9a-f]\{6,\}$')" 0 \
	"events show the objects that are returned"
redis-cli -s "$tmp/redis" shutdown nosave
wait $server
is $? 0 "the server ends with status 0"
