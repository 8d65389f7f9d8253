#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# test: jumps, breakpoints and the kernel's uprobes count the same calls of functions of installed programs
# once: the programs use what all kernels offer
# timeout: 600
# needs: redis-cli /usr/bin/redis-check-rdb /usr/bin/python3 setarch
. "$UPROBES_TOP/tests/lib.sh"
. "$UPROBES_TOP/tests/shared/cli.inc"
. "$UPROBES_TOP/tests/shared/jump.inc"

theirs=/sys/kernel/tracing
[ -e $theirs/uprobe_events ] || skip_all "this kernel has no uprobe_events"
# With FULL=1, of three programs, all functions that can be compared; otherwise a fifth of bash's.
ktap_plan $((FULL ? 12 : 4))
most=500 one_in=5
[ -z "${FULL:-}" ] || one_in=1
at_exit 'echo 0 >$theirs/events/counted/enable; echo >$theirs/uprobe_events' 2>/dev/null

# ours ON: count the calls while "work" runs, with jumps or without; print "OFFSET CALLS".
ours() {
	jump "$1"
	# shellcheck disable=SC2046
	count_begin "$file" $(cat "$tmp/offsets")
	work
	grep -c ' no trap$' /proc/$$/fdinfo/8 >"$tmp/without"
	counts >"$tmp/counted"
	let_go
	count_end
	awk '{ print substr($1, 4), $2 + $3 }' "$tmp/counted" | sort
}

# kernels: the same with the kernel's uprobes.
kernels() {
	sed -u "s,.*,p:counted/at_& $file:&," "$tmp/offsets" >>$theirs/uprobe_events
	echo 1 >$theirs/events/counted/enable
	work
	awk '$3 > 0 { print substr($2, 4), $3 }' $theirs/uprobe_profile | sort
	let_go
	echo 0 >$theirs/events/counted/enable
	echo >$theirs/uprobe_events
	echo >$theirs/trace
}

# compare NAME LEAST: choose functions that two runs call equally often, LEAST of them or more, and
# compare. Four results.
compare() {
	# Redis draws the seed of its hash tables, so it hashes and compares more or fewer keys each time. The
	# same holds for what it sorts in the order of such a table: the commands below sort a list.
	uprobe list -v "$file" '*' | awk '/^0x/ && !/[cC]ompare|[eE]qual|[hH]ash/ { print $1 }' |
		sort -u | awk -v one_in=$one_in 'NR % one_in == 0' >"$tmp/offsets"
	ours 0 >"$tmp/first"
	cut -d' ' -f1 "$tmp/first" >"$tmp/offsets"
	ours 0 >"$tmp/second"
	comm -12 "$tmp/first" "$tmp/second" >"$tmp/stable"
	choose | head -n $most >"$tmp/chosen"
	cut -d' ' -f1 "$tmp/chosen" >"$tmp/offsets"
	diag "$1: $(wc -l <"$tmp/offsets") functions, $(awk '{ n += $2 } END { print n }' "$tmp/chosen") calls"
	check "$1: at least $2 functions can be compared" [ "$(wc -l <"$tmp/offsets")" -ge "$2" ]
	ours 1 >"$tmp/jumps"
	is "$(diff "$tmp/jumps" "$tmp/chosen")" "" "$1: jumps count what breakpoints count"
	diag "$1: $(cat "$tmp/without") places without a trap at the end"
	isnt "$(cat "$tmp/without")" 0 "$1: there were jumps"
	kernels >"$tmp/kernels"
	is "$(diff "$tmp/kernels" "$tmp/chosen")" "" "$1: and what the kernel's uprobes count"
}

# choose: pass on those lines "OFFSET CALLS" that only depend on what the program is told to do.
choose() {
	cat "$tmp/stable"
}

# held COMMAND...: run COMMAND, at the same addresses each time, until it waits for its input.
held() {
	rm -f "$tmp/hold"
	mkfifo "$tmp/hold"
	setarch -R "$@" <"$tmp/hold" >"$tmp/said" 2>&1 &
	pid=$!
	exec 7>"$tmp/hold"
	wait_until "the program is done" in_syscall 0
}

# in_syscall NUMBER...: check that the program waits in one of these system calls; if it reads (0), from its
# standard input, and not from a file.
in_syscall() {
	local nr first rest

	read -r nr first rest <"/proc/$pid/syscall"
	[[ " $* " == *" $nr "* ]] && { [ "$nr" != 0 ] || [ "$first" = 0x0 ]; } && [ "$(readlink "/proc/$pid/exe")" = "$file" ]
}

# let_go: end the program.
let_go() {
	exec 7>&-
	wait "$pid"
}

file=$tmp/bash
cp "$(readlink -f /bin/bash)" "$file"
cat >"$tmp/script" <<END
rounds=$((120 / one_in))
END
cat >>"$tmp/script" <<'END'
f() { local a=("$@"); x=$((x + ${#a[@]} * $1 % 7)); }
declare -A map
for ((i = 1; i <= rounds; i++)); do
	f $i $((i * i)) "${y:0:5}"
	y=${y#?}$i z=${y//1/one} map[$((i % 23))]=$z
	[[ $z =~ ^([0-9]+)one ]] && w=${BASH_REMATCH[1]}
	case $i in *7) printf -v v '%05d %s' $i "${w^^}" ;; [0-3]*) set -- $y $i; shift ;; *) v=${v%% *} ;; esac
	while read -r a b; do v=$a$b; done <<<"$i $v"
	eval "g$((i % 5))() { :; }; g$((i % 5))"
	trap ": $i" USR1
	test -n "$v" -a $i -gt 7 || unset 'map[3]'
done
# Each of these once, for the functions behind them. Without "bind": the terminfo library behind it calls
# bash's getenv() again for each second that passes while it searches.
alias ll='ls -l'; alias; unalias ll; shopt -s extglob; shopt; set -o; umask -S; ulimit -a; type cd f; hash -r; jobs
pushd /usr; dirs -v; popd; declare -p map x; declare -f f; declare -i n=5+3; declare -r c=1; export E=2; readonly; enable
printf '%q %b %x %c %e %(%Y)T\n' 'a b' 'c\n' 255 z 1.5 0; mapfile -t lines <<<"$y"; IFS=: read -ra parts <<<"a:b:c"
while getopts ab: o -a -b 3; do :; done; complete -W 'one two' g; compgen -W 'one two' o; complete; trap; let n++; ((n **= 2))
v=abcabc; echo ${v//b/X} ${v%c} ${v##*a} ${v:1:2} ${v^} ${v@Q} ${v/#a/Z} {1..3}{a,b} $((7 / 2 ^ 3 << 1)) ~ /usr/l*b
[[ abc == a*c && ! -e /none || 1 -lt 2 ]]; case x.tar in +(x).*) : ;; esac; local 2>/dev/null; command -v cd; builtin echo; caller
exec 9</dev/null; exec 9<&-; { echo a; } >/dev/null 2>&1; select w in a b; do break; done <<<1; for ((i = 0; i < 3; i++)); do continue; done
until true; do :; done; unset -f f; shift 0; history -c; fc -l 2>/dev/null; disown 2>/dev/null
printf -v z '%s' "${parts[@]}"; z+=end; parts+=(d); a=([3]=x [1]=y); echo "${!a[@]}" "${a[@]:1}"; return 2>/dev/null
echo $x ${#y} "${!map[@]}" ${map[5]}
read -r end
END
work() {
	held "$file" --norc "$tmp/script"
}
compare bash $((400 / one_in))
[ -n "${FULL:-}" ] || exit 0

file=$tmp/python3
cp "$(readlink -f /usr/bin/python3)" "$file"
cat >"$tmp/script" <<'END'
import sys
class Counter:
    def __init__(self): self.n = {}
    def add(self, key): self.n[key] = self.n.get(key, 0) + 1
c = Counter()
for i in range(150):
    c.add(str(i % 17)); c.add((i % 5, 'x')); c.add(frozenset([i % 3]))
    text = '%d %s %.3f' % (i, 'a' * (i % 9), i / 7); parts = text.split(); text = '-'.join(reversed(parts)).upper()
    try:
        [j ** 2 for j in range(i % 11)][i % 12]
    except IndexError as e:
        c.add(repr(e)[:9])
    data = bytes(text, 'ascii'); c.add(sum(data) % 13); c.add(int.from_bytes(data[:8], 'big') % 11)
    x = {j: j * 1j for j in range(i % 4)}; y = set(x) | {i} ; z = sorted(y, key=lambda v: -v); c.add(z[0] % 2)
    def gen(n):
        for k in range(n): yield k << 70
    c.add(sum(gen(i % 6)) % 5)
# Each of these once, for the functions behind them.
import re, json, math, itertools, collections, functools, io, struct, time, string, textwrap, operator, os, types, weakref, copy, ast
print(re.sub(r'(a+)|b', lambda m: m.group(0) * 2, 'aabab'), json.loads(json.dumps({'a': [1, 2.5, None, True, 'x\u1234']})))
b = bytearray(b'abc'); b += b'd'; b.reverse(); m = memoryview(b)[1:3]; print(bytes(m), m.tolist(), b.hex(), b'x,y'.split(b','))
print(math.gcd(12, 18), divmod(-7, 2), 7 // 2, -7 % 3, 2 ** 100, 10 ** 20 // 3, round(2.567, 2), abs(-3 + 4j), float('1e10').hex(), int('ff', 16))
print(list(itertools.permutations([1, 2, 3]))[:2], collections.Counter('hello').most_common(1), collections.deque([1, 2], 3), sorted({3: 1, 2: 2}))
print(struct.pack('<IhQ', 1, -2, 3), struct.unpack('>H', b'ab'), '%x %o %e %r' % (255, 8, 1.5, 'q'), f'{3.14159:>10.3f}|{"a":^5}|{1000000:,}')
s = 'Hello W\u00f6rld \U0001f600'; print(s.encode(), s.casefold(), s.find('W'), s.partition(' '), s.zfill(20), s.title(), s.isalpha(), s.translate({72: 'J'}))
print(s.encode('utf-16'), b'\xff'.decode('latin-1'), 'a\tb'.expandtabs(), ' x '.strip(), 'abc'[::-1], 'x' in 'xyz', 'a' < 'b', ','.join('abc'))
class P(tuple): __slots__ = (); x = property(lambda self: self[0])
class Q(P):
    def __eq__(self, o): return NotImplemented
    def __hash__(self): return 3
    def __enter__(self): return self
    def __exit__(self, *a): return True
with Q((1, 2)) as q: raise KeyError('k')
print(q.x, isinstance(q, P), issubclass(Q, tuple), type('T', (), {'a': 1})().a, getattr(q, 'none', 5), vars(types.SimpleNamespace(z=1)), q in {q})
print(eval('1 + 2'), compile('a = 1', 'f', 'exec').co_names, ast.dump(ast.parse('x + 1'))[:20], copy.deepcopy([{1: (2, [3])}]), operator.itemgetter(1)('ab'))
print(functools.reduce(operator.add, range(5)), list(zip('ab', range(2))), list(map(str, filter(None, [0, 1]))), any([0]), all([]), max('abc'), min(3, 2), sum([.1] * 3))
print({1, 2} & {2, 3}, {1} | {2}, {1, 2} - {1}, {1} ^ {2}, frozenset([1]) <= {1}, {**{'a': 1}, 'b': 2}, [*range(3), 9], list(enumerate('ab')), slice(1, 5, 2).indices(4))
try:
    try: int('x')
    except ValueError as e: raise RuntimeError('r') from e
except RuntimeError as e: print(repr(e.__cause__))
def co():
    while True:
        got = yield 1
        if got is None: return 2
g = co(); next(g); g.send(5)
try: g.send(None)
except StopIteration as e: print(e.value)
w = weakref.ref(c); print(w() is c, io.StringIO('a\nb').readlines(), os.path.join('a', 'b'), textwrap.wrap('a b c d', 3), string.Template('$a').substitute(a=1))
print(len(c.n), sorted(map(str, c.n))[:4])
sys.stdin.readline()
END
work() {
	held env PYTHONHOME=/usr PYTHONHASHSEED=0 "$file" -S "$tmp/script"
}
compare python3 500

# Commands to a server. It does some things at certain times, whatever it is told.
file=$tmp/redis-server
cp /usr/bin/redis-check-rdb "$file"
for i in {1..30}; do
	printf '%s\n' "set k v$i" 'get k' 'incr n' 'append t x' 'getrange t 0 5' 'setbit b 7 1' 'bitcount b' \
		"lpush l $i" 'lrange l 0 3' "sadd s m$i" "sismember s m$i" 'scard s' "hset h f$i $i" "hget h f$i" \
		"zadd z $i m$i" 'zrange z 0 5' 'zscore z m1' "pfadd p e$i" 'pfcount p' "xadd x $i-1 f v" 'xlen x' \
		'type k' 'strlen t' 'mget k n t' 'getset k w' 'rpoplpush l r' 'linsert r before 1 0' 'hgetall h' \
		'zrank z m1' 'sort l alpha limit 0 2' 'dump k' 'object encoding h' 'exists k' 'echo hi' 'del r'
done >"$tmp/commands"
in_load=commands
work() {
	setarch -R "$file" --port 0 --unixsocket "$tmp/socket" --save '' --dir "$tmp" --activerehashing no \
		--slowlog-log-slower-than -1 --hz 1 --dynamic-hz no >"$tmp/log" 2>&1 &
	pid=$!
	wait_until "the server listens" test -S "$tmp/socket"
	wait_until "the server waits" in_syscall 232 281
	# shellcheck disable=SC2012
	fds=$(ls "/proc/$pid/fd" | wc -l)
	if [ $in_load = commands ]; then
		redis-cli -s "$tmp/socket" <"$tmp/commands" >"$tmp/answers"
	else
		{ echo ping; sleep "$in_load"; } | redis-cli -s "$tmp/socket" >"$tmp/answers"
	fi
	wait_until "the client is gone" client_is_gone
}
client_is_gone() {
	# shellcheck disable=SC2012
	[ "$(ls "/proc/$pid/fd" | wc -l)" = "$fds" ] && in_syscall 232 281
}
let_go() {
	kill "$pid"
	wait "$pid"
	rm -f "$tmp/socket"
}
choose() {
	cut -d' ' -f1 "$tmp/stable" >"$tmp/offsets"
	for in_load in 1 7; do
		ours 0 >"$tmp/idle.$in_load"
	done
	in_load=commands
	comm -3 "$tmp/idle.1" "$tmp/idle.7" | awk '{ print $1 }' | sort -u >"$tmp/timed"
	# What is called less often than a command may depend on the time that the commands take.
	join -v 1 "$tmp/stable" "$tmp/timed" | awk '$2 >= 30'
}
compare redis 200
