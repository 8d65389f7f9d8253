#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: the helper can trace an installed, stripped Go program that speaks HTTP
# full: it traces installed programs, or follows documents of others
# once: the helper is the same on all kernels
# timeout: 180
# needs: gron perl
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"

ktap_plan 11

gron=$(readlink -f "$(command -v gron)")

# A server on the loopback interface. The guest has not enabled the interface: use SIOCSIFFLAGS.
perl -MSocket -e 'socket my $s, AF_INET, SOCK_DGRAM, 0; ioctl $s, 0x8914, pack "a16 s x22", "lo", 0x49' ||
	diag "$!"
perl -MIO::Socket::INET -e '
	$SIG{PIPE} = "IGNORE";
	my $l = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die $!;
	open my $f, ">", "$ARGV[0].new"; print $f $l->sockport, "\n"; close $f;
	rename "$ARGV[0].new", $ARGV[0];
	while (my $c = $l->accept) {
		while (<$c>) { last if /^\r?$/ }
		print $c "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"answer\": 42}\n";
		close $c;
	}' "$tmp/port" 2>"$tmp/server" &
server=$!
at_exit "kill $server 2>/dev/null"
wait_until "the server listens" test -s "$tmp/port"
url=http://127.0.0.1:$(cat "$tmp/port")/a/path
fetch="$gron -m $url"
plain=$($fetch 2>"$tmp/err")
like "$plain" 'answer = 42' "without probes, the program prints the answer"
diag "$(cat "$tmp/err")"

# A Go string is a pointer and a length in registers, without a NUL at its end.
uprobe -c "$fetch >$tmp/said" 'p:gron:net/http.NewRequestWithContext method=+0($go3):string methods=$go4:u64 url=+0($go5):string length=$go6:u64' \
	>"$tmp/out" 2>"$tmp/err"
diag "$(cat "$tmp/err")"
is "$(cat "$tmp/said")" "$plain" "while it is traced, the program has the same output"
is "$(perl -ne '/ method="(.*?)" methods=(\d+) url="(.*)"(?:\.\.\.)? length=(\d+)$/ and
	print substr($1, 0, $2), " ", substr($3, 0, $4), "\n"' "$tmp/out")" "GET $url" \
	"events show the method and the URL of its request"

uprobe count -c "$fetch >$tmp/said" "p:$gron:net/http.(*Client).do" "p:$gron:main.main" >"$tmp/out" 2>"$tmp/err"
is "$(awk '$2 == "main.main" { print $1 }' "$tmp/out") $(awk '/Client/ { print $1 }' "$tmp/out")" "1 1" \
	"calls are counted"

# Go moves its stacks: a return probe must not replace return addresses.
uprobe lat --return=trampoline "$gron:net/http.(*Client).do" 2>"$tmp/err"
is "$?" 4 "to replace return addresses is refused"
like "$(cat "$tmp/err")" 'Go program.*--return=sites|Go program.*uprobe count' "the error tells an alternative"
uprobe lat -c "$fetch >$tmp/said" "$gron:net/http.(*Client).do" "$gron:strconv.*" >"$tmp/out" 2>"$tmp/err"
diag "$(grep -v '^ ' "$tmp/err" "$tmp/out" | head -n 20)"
is "$(cat "$tmp/said")" "$plain" "while calls are timed at their return instructions, the program has the same output"
like "$(cat "$tmp/out")" '^ +1 .* net/http\.\(\*Client\)\.do$' "the call is timed"
uprobe -c "$fetch >$tmp/said" 'r:gron:net/http.(*Client).do' 'r:gron:net/http.NewRequestWithContext $retval' \
	>"$tmp/out" 2>"$tmp/err"
diag "$(cat "$tmp/err")"
is "$(cat "$tmp/said")" "$plain" "with probes at the return instructions, the program has the same output"
is "$(grep -c ' Client_do:\| net_http_Client_do:' "$tmp/out") $(grep -c 'NewRequestWithContext: .*arg1=0xc[0-9a-f]*$' "$tmp/out")" "1 1" \
	"each return is shown, with its value"
uprobe count -c "$fetch >$tmp/said" "p:$gron:runtime.*" >"$tmp/out" 2>"$tmp/err"
is "$(cat "$tmp/said")" "$plain" "with all functions of the Go runtime counted, the program has the same output"
diag "$(tail -n 1 "$tmp/err")"
