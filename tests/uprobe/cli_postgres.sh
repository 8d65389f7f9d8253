#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace queries and transactions of an installed PostgreSQL server
# once: the helper is the same on all kernels
# full: the server takes most of 16 s; cli_redis and cli_sdt test the same features
# timeout: 400
# needs: psql setpriv
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
[ -x "$bin/postgres" ] || skip_all "there is no /usr/lib/postgresql/*/bin/postgres"
uprobe sdt "$bin/postgres" 2>/dev/null | grep -q '^postgresql:query__start ' ||
	skip_all "this PostgreSQL was built without probes"
id postgres >/dev/null 2>&1 || skip_all "there is no user postgres"

ktap_plan 9

# The server refuses to run as root.
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
# The user postgres may not be able to enter the checkout, which may be in a home directory.
cd "$tmp" || exit
chmod 755 "$tmp" && mkdir "$tmp/db" && chown postgres "$tmp/db"
for d in "${TMPDIR:-/tmp}" "$(dirname "$tmp")"; do chmod a+x "$d"; done
as "$bin/initdb" -D "$tmp/db" -N -A trust --no-instructions -E SQL_ASCII --locale=C >"$tmp/log" 2>&1 ||
	diag "$(tail -n 5 "$tmp/log")"
setpriv --reuid postgres --regid postgres --clear-groups "$bin/postgres" -D "$tmp/db" -F -k "$tmp/db" -c listen_addresses= >>"$tmp/db/log" 2>&1 &
server=$!
wait_until "the server answers" as psql -h "$tmp/db" -c 'select 1' postgres

# A session that exists before the probes: the module must increment the counters of its process, too.
mkfifo "$tmp/in" && chmod 666 "$tmp/in"
as psql -X -h "$tmp/db" -Atq postgres <"$tmp/in" >"$tmp/said" 2>&1 &
client=$!
exec 7>"$tmp/in"
# query TEXT N: send a query, and wait until the client has printed N lines.
query() {
	echo "$1;" >&7
	wait_until "the client has printed $2 lines" lines_in "$tmp/said" "$2"
}
query "select 'backend ' || pg_backend_pid()" 1
backend=$(sed -n 's/.*backend //p' "$tmp/said")
at=$(uprobe sdt -v "$bin/postgres" query__start | sed -n 's/.*(counter at \(0x[0-9a-f]*\)).*/\1/p')
# counter: print the reference counter in the memory of that session.
counter() {
	local start end offset rest
	while read -r start end offset rest; do
		[ $((at)) -ge $((0x$offset)) ] && [ $((at)) -lt $((0x$offset + 0x$end - 0x$start)) ] || continue
		dd if="/proc/$backend/mem" bs=1 skip=$((0x$start + at - 0x$offset)) count=2 2>/dev/null | od -An -tu2 | tr -d ' '
	done < <(awk -v f="$(readlink -f "$bin/postgres")" '$6 == f && $2 ~ /w/ { sub(/-/, " ", $1); print $1, $3 }' "/proc/$backend/maps")
}
start "u:$bin/postgres:query__start text=arg1:string" \
	"u:$bin/postgres:transaction__commit" "u:$bin/postgres:query__done text=arg1:string"
diag "$(cat "$tmp/err")"
query "select 'while', 4711" 2
as psql -h "$tmp/db" -Atqc 'select 42' postgres >>"$tmp/other" 2>&1
stop
is "$(cat "$tmp/said" "$tmp/other" | paste -sd' ')" "backend $backend while|4711 42" \
	"while it is traced, the server's answers are right"
is "$(sed -n 's/.* query__start: .*text="\(.*\)"$/\1/p' "$tmp/out" | paste -sd/)" "select 'while', 4711;/select 42" \
	"events show the queries of an existing session and of a new one"
is "$(sed -n 's/.* query__done: .*text="\(.*\)"$/\1/p' "$tmp/out" | paste -sd/)" "select 'while', 4711;/select 42" \
	"events show the ends of both queries"
isnt "$(grep -c ' transaction__commit:' "$tmp/out")" 0 "events show transactions"
like "$(tail -n 1 "$tmp/err")" ' 0 missed, 0 lost\.$' "no hit is missed or lost"

# The counter is restored.
is "$(counter)" 0 "after tracing, the session's counter is 0"
start -p "$server" -f "u:$bin/postgres:query__start"
is "$(counter)" 1 "while it is traced, the session's counter is 1"
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
query "select 'after'" 3
is "$(tail -n 1 "$tmp/said") $(counter)" "after 0" "when the tracer was killed, the session's counter is 0"
exec 7>&-
wait $client
kill -INT $server
wait $server
is $? 0 "the server ends with status 0"
