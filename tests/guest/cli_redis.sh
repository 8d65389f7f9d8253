#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: redis-server is traced as it is installed: the words of its commands
# once: the helper is the same on all kernels
# timeout: 120
# needs: redis-cli /usr/bin/redis-check-rdb
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 6

# It is one program, that goes by the name that it is called by; the package
# redis-server, which starts a server, has nothing but the name.
cp /usr/bin/redis-check-rdb "$tmp/redis-server"
PATH=$tmp:$PATH

redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" >"$tmp/log" 2>&1 &
server=$!
wait_until "the server listens" test -S "$tmp/redis"
start 'p:redis-server:createStringObject ptr=+0(%di):string len=%si'
is "$(redis-cli -s "$tmp/redis" set some-key a-value)" OK "it works while it is traced"
stop
# The words lie one behind the other in what the client has sent, none ends in a NUL.
is "$(awk '/ptr="(set|some-key|a-value)/ { print $NF }' "$tmp/out" | tr '\n' ' ')" "len=0x3 len=0x8 len=0x7 " \
	"words of a command, with their lengths"
start -p $server 'r:redis-server:createStringObject $retval' 'p:redis-server:processCommand'
is "$(redis-cli -s "$tmp/redis" get some-key)" a-value "a running server, entries and returns"
stop
isnt "$(grep -c ' processCommand: ' "$tmp/out")" 0 "commands"
is "$(grep ' createStringObject: ' "$tmp/out" | grep -vc 'arg1=0x[0-9a-f]\{6,\}$')" 0 "and objects that are made"
redis-cli -s "$tmp/redis" shutdown nosave
wait $server
is $? 0 "it ends well"
