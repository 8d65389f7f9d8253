#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: a PostgreSQL server is traced as it is installed: queries and transactions
# once: the helper is the same on all kernels
# full: a server takes most of 16 s; cli_redis and cli_sdt have the like
# timeout: 400
# needs: psql setpriv
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/guest/cli.inc"

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
[ -x "$bin/postgres" ] || skip_all "there is no /usr/lib/postgresql/*/bin/postgres"
uprobe sdt "$bin/postgres" 2>/dev/null | grep -q '^postgresql:query__start ' ||
	skip_all "this PostgreSQL was built without probes"
id postgres >/dev/null 2>&1 || skip_all "there is no user postgres"

ktap_plan 9

# It does not run as root.
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
# Nor where a user must not be, as the checkout may lie in a home directory.
cd "$tmp" || exit
chmod 755 "$tmp" && mkdir "$tmp/db" && chown postgres "$tmp/db"
for d in "${TMPDIR:-/tmp}" "$(dirname "$tmp")"; do chmod a+x "$d"; done
as "$bin/initdb" -D "$tmp/db" -N -A trust --no-instructions -E SQL_ASCII --locale=C >"$tmp/log" 2>&1 ||
	diag "$(tail -n 5 "$tmp/log")"
setpriv --reuid postgres --regid postgres --clear-groups "$bin/postgres" -D "$tmp/db" -F -k "$tmp/db" -c listen_addresses= >>"$tmp/db/log" 2>&1 &
server=$!
wait_until "the server answers" as psql -h "$tmp/db" -c 'select 1' postgres

# A session that was there before: its process has its counters switched on, too.
mkfifo "$tmp/in" && chmod 666 "$tmp/in"
as psql -X -h "$tmp/db" -Atq postgres <"$tmp/in" >"$tmp/said" 2>&1 &
client=$!
exec 7>"$tmp/in"
# query TEXT N: until the client has printed N lines.
query() {
	echo "$1;" >&7
	wait_until "the client has printed $2 lines" lines_in "$tmp/said" "$2"
}
query "select 'backend ' || pg_backend_pid()" 1
backend=$(sed -n 's/.*backend //p' "$tmp/said")
at=$(uprobe sdt -v "$bin/postgres" query__start | sed -n 's/.*(counter at \(0x[0-9a-f]*\)).*/\1/p')
# counter: of tracers, in the memory of that session.
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
is "$(cat "$tmp/said" "$tmp/other" | paste -sd' ')" "backend $backend while|4711 42" "it works while it is traced"
is "$(sed -n 's/.* query__start: .* text="\(.*\)"$/\1/p' "$tmp/out" | paste -sd/)" "select 'while', 4711;/select 42" \
	"queries of a session that was there, and of a new one"
is "$(sed -n 's/.* query__done: .* text="\(.*\)"$/\1/p' "$tmp/out" | paste -sd/)" "select 'while', 4711;/select 42" "and their ends"
isnt "$(grep -c ' transaction__commit: ' "$tmp/out")" 0 "transactions"
like "$(tail -n 1 "$tmp/err")" ' 0 missed, 0 lost\.$' "nothing is missed"

# Its counter is what it was.
is "$(counter)" 0 "nobody traces"
start -p "$server" -f "u:$bin/postgres:query__start"
is "$(counter)" 1 "the counter of a session, while somebody does"
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
query "select 'after'" 3
is "$(tail -n 1 "$tmp/said") $(counter)" "after 0" "and when that one was killed"
exec 7>&-
wait $client
kill -INT $server
wait $server
is $? 0 "it ends well"
