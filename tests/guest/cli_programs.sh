#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: programs of all kinds are traced as they are installed: Python, Redis, Java, Go
# timeout: 240
# boot: -m 1536
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

ktap_plan 10

# have PROGRAM COUNT: are the COUNT results about it possible?
have() {
	local i
	command -v "$1" >/dev/null && return
	for i in $(seq "$2"); do
		skip "$1 ($i)" "$1 is not installed"
	done
	return 1
}

# The text that Python is to run is an argument of a function that it exports.
if have /usr/bin/python3 1; then
	uprobe -c "/usr/bin/python3 -Sc 'print(4711)' >$tmp/said" \
		'p:/usr/bin/python3:PyRun_SimpleStringFlags text=+0(%di):string' >"$tmp/out" 2>"$tmp/err"
	diag "$(cat "$tmp/err")"
	like "$(cat "$tmp/out") $(cat "$tmp/said")" 'python3-.* text="print\(4711\).* 4711' "python3: the program that it runs"
fi

# Redis makes an object of each word of a command.
if have redis-server 2 && have redis-cli 0; then
	redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" >"$tmp/log" 2>&1 &
	for _ in $(seq 200); do
		[ -S "$tmp/redis" ] && break
		sleep 0.1
	done
	start 'p:redis-server:createStringObject ptr=+0(%di):string len=%si'
	is "$(redis-cli -s "$tmp/redis" set some-key a-value)" OK "redis-server: works while it is traced"
	stop
	is "$(awk '/ptr="(set|some-key|a-value)/ { print $NF }' "$tmp/out" | tr '\n' ' ')" "len=0x3 len=0x8 len=0x7 " \
		"redis-server: words of a command, with their lengths"
fi

# The Java VM has statically defined probes; strings with their lengths.
java=$(readlink -f "$(command -v java || echo /usr/bin/java)")
jvm=${java%/bin/java}/lib/server/libjvm.so
if [ -f "$jvm" ] && have java 4; then
	start "u:$jvm:class__loaded name=arg1:string length=arg2:u32" "u:$jvm:gc__begin"
	java -Xint -Xshare:auto -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -version >"$tmp/said" 2>&1
	status_of_java=$?
	stop
	diag "$(tail -n 3 "$tmp/err")"
	is "$status_of_java" 0 "java: runs as before"
	like "$(cat "$tmp/said")" 'version' "and says its version"
	isnt "$(grep -ac ' class__loaded: .* name="java/lang/' "$tmp/out")" 0 "java: classes as they are loaded"
	# Each name is as long as is said.
	is "$(grep -a ' class__loaded: ' "$tmp/out" | grep -ac 'name="java/lang/Object[^"]* length=16 ')$(
		grep -ao 'name="java/lang/Object.* length=[0-9]*' "$tmp/out" | head -n 1 | sed 's/.*length=/ /')" "0 16" \
		"java: and how long their names are"
else
	[ -f "$jvm" ] || for i in 1 2 3 4; do skip "java ($i)" "java is not installed"; done
fi

# Go: the tool that fetches modules is an HTTP client.
go=$(readlink -f "$(command -v go || echo /usr/bin/go)")
if have go 3; then
	fetch="cd $tmp && echo module m >go.mod && GOFLAGS=-mod=mod GONOSUMDB=* GONOSUMCHECK=1 GOPATH=$tmp/gopath HOME=$tmp GOCACHE=$tmp/cache GOPROXY=http://127.0.0.1:1 $go mod download example.com/m@v1.0.0 >$tmp/said 2>&1"
	uprobe count -c "$fetch" "p:$go:net/http.(*Client).do" "p:$go:main.main" >"$tmp/out" 2>"$tmp/err"
	diag "$(cat "$tmp/err")" "$(tail -n 2 "$tmp/said")"
	is "$(awk '$2 == "main.main" { print $1 }' "$tmp/out")" 1 "go: its main function"
	isnt "$(awk '/Client/ { print $1 }' "$tmp/out")" 0 "go: HTTP requests that it makes"
	uprobe lat "$go:net/http.(*Client).do" 2>"$tmp/err"
	is "$?" 4 "go: no return address is replaced"
fi
