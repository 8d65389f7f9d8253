# SPDX-License-Identifier: GPL-2.0
#
# Generates opcodes.inc from opcodes.tbl. Works with any awk, mawk included.
#
# For each mode and map the output has a root of 256 nodes. A node is a leaf or
# a selector. A leaf has the attributes of an instruction, or 0 for none. A
# selector names the property of the encoding to look at, and the place of its
# alternatives in the array of nodes. Equal selectors are stored once. If two lines of
# the table match the same encoding, or a word is unknown, that is an error.

function fail(line, text)
{
	printf "%s:%d: %s\n", FILENAME, line, text > "/dev/stderr"
	failed = 1
}

function hex(s,    i, v, d)
{
	v = 0
	for (i = 1; i <= length(s); i++) {
		d = index("0123456789abcdef", substr(s, i, 1))
		if (!d)
			return -1
		v = v * 16 + d - 1
	}
	return length(s) == 2 ? v : -1
}

BEGIN {
	lines = nroots = nnodes = nkeys = failed = 0
	nmaps = split("1 0f 0f38 0f3a now v1 v2 v3 v5 v7 e1 e2 e3 e4 e5 e6 e7 x8 x9 xa", maps, " ")
	for (i = 1; i <= nmaps; i++)
		map_index[maps[i]] = i

	# Selectors, in the order in which the decoder looks at them: name, number
	# of alternatives, words of the table. The mode comes first of all, and
	# has roots of its own.
	ndims = split("PP REG MOD RM W L", dims, " ")
	split("4 8 2 8 2 4", ways, " ")
	alternatives("mode", "m32 m64")
	alternatives("PP", "np 66 f3 f2")
	alternatives("REG", "/0 /1 /2 /3 /4 /5 /6 /7")
	alternatives("MOD", "mem reg")
	alternatives("RM", "rm0 rm1 rm2 rm3 rm4 rm5 rm6 rm7")
	alternatives("W", "w0 w1")
	alternatives("L", "l0 l1 l2 l3")

	# Operand words that add to the length.
	split("ib iw iz iv moffs far enter rb rz ib2 i64", list, " ")
	for (i in list)
		imm_word[list[i]] = toupper(list[i])
}

function alternatives(dim, words,    n, a, i)
{
	n = split(words, a, " ")
	for (i = 1; i <= n; i++) {
		dim_of[a[i]] = dim
		way_of[a[i]] = i - 1
	}
}

/^[ \t]*(#|$)/ { next }

{
	sub(/[ \t]#.*$/, "")
	if (NF < 6) {
		fail(NR, "six columns wanted: map, opcodes, selectors, operands, class, mnemonics")
		next
	}
	if (!($1 in map_index)) {
		fail(NR, "unknown map \"" $1 "\"")
		next
	}
	n = ++lines
	where[n] = NR

	# Selectors: alternatives of one dimension are or-ed.
	nsel = $3 == "-" ? 0 : split($3, sel, ",")
	for (i = 1; i <= nsel; i++) {
		if (!(sel[i] in dim_of)) {
			fail(NR, "unknown selector \"" sel[i] "\"")
			continue
		}
		d = dim_of[sel[i]]
		wants[n, d] = 1
		allows[n, d, way_of[sel[i]]] = 1
	}

	# Operands.
	modrm = regonly = apx = 0
	imm = "NONE"
	nops = $4 == "-" ? 0 : split($4, ops, "+")
	for (i = 1; i <= nops; i++) {
		if (ops[i] == "M")
			modrm = 1
		else if (ops[i] == "R")
			modrm = regonly = 1
		else if (ops[i] == "apx")
			apx = 1
		else if ((ops[i] in imm_word) && imm == "NONE")
			imm = imm_word[ops[i]]
		else
			fail(NR, "operand \"" ops[i] "\" is unknown or one immediate too many")
	}
	if (!modrm && $5 !~ /^(vex2|vex3|evex|xop)$/ &&
	    ((n, "REG") in wants || (n, "MOD") in wants || (n, "RM") in wants))
		fail(NR, "selects by ModRM but has none")
	if ($5 !~ /^[a-z0-9_]+$/)
		fail(NR, "class \"" $5 "\" is not a word")
	if (apx) {
		wants[n, "mode"] = 1
		allows[n, "mode", 1] = 1
	}
	leaf[n] = "LEAF(" toupper($5) ", " imm ", " modrm ", " regonly ", " apx ")"

	# Opcodes: a list of bytes and ranges.
	nitems = split($2, items, ",")
	for (i = 1; i <= nitems; i++) {
		nb = split(items[i], b, "-")
		lo = hex(b[1])
		hi = nb == 2 ? hex(b[2]) : lo
		if (nb > 2 || lo < 0 || hi < lo) {
			fail(NR, "bad opcode \"" items[i] "\"")
			continue
		}
		for (op = lo; op <= hi; op++)
			at[$1, op] = at[$1, op] " " n
	}
}

# Returns the lines of set that allow alternative way of dimension d.
function narrow(set, d, way,    n, a, i, out)
{
	out = ""
	n = split(set, a, " ")
	for (i = 1; i <= n; i++)
		if (!((a[i], d) in wants) || (a[i], d, way) in allows)
			out = out " " a[i]
	return out
}

# Returns the node that distinguishes the lines of set, by dimension d and those after it.
function build(set, d,    n, a, i, way, any, key, same, first, child)
{
	n = split(set, a, " ")
	if (n == 0)
		return "0"
	if (d > ndims) {
		if (n > 1)
			fail(where[a[2]], "matches the same encodings as line " where[a[1]] \
			     (opcode_now))
		return leaf[a[1]]
	}
	any = 0
	for (i = 1; i <= n; i++)
		if ((a[i], dims[d]) in wants)
			any = 1
	if (!any)
		return build(set, d + 1)

	key = ""
	same = 1
	for (way = 0; way < ways[d]; way++) {
		child = build(narrow(set, dims[d], way), d + 1)
		if (way == 0)
			first = child
		else if (child != first)
			same = 0
		key = key child "; "
	}
	if (same)
		return first
	if (!(key in node_at)) {
		node_at[key] = nnodes
		node_key[++nkeys] = key
		nnodes += ways[d]
	}
	return "SELECT(" dims[d] ", " node_at[key] ")"
}

END {
	if (!failed && !lines)
		fail(NR, "no instructions")
	for (m = 1; m <= nmaps; m++) {
		for (mode = 0; mode < 2; mode++) {
			text = ""
			for (op = 0; op < 256; op++) {
				opcode_now = sprintf(" (map %s, opcode %02x)", maps[m], op)
				text = text "\t" build(narrow(at[maps[m], op], "mode", mode), 1) ",\n"
			}
			if (!(text in root_at)) {
				root_text[nroots] = text
				root_at[text] = nroots++
			}
			root[mode, m] = root_at[text]
		}
	}
	if (failed)
		exit 1

	print "/* SPDX-License-Identifier: GPL-2.0 */"
	print "/* Made from opcodes.tbl by gen-opcodes.awk; change those. */\n"
	printf "#define NROOTS %d\n#define NNODES %d\n\n", nroots, nnodes
	print "static const u16 roots[NROOTS][256] = {"
	for (i = 0; i < nroots; i++)
		printf "\t{\n%s\t},\n", root_text[i]
	print "};\n"
	print "static const u8 root_of[2][UINSN_MAPS] = {"
	for (mode = 0; mode < 2; mode++) {
		printf "\t{"
		for (m = 1; m <= nmaps; m++)
			printf " %d,", root[mode, m]
		print " },"
	}
	print "};\n"
	print "static const u16 nodes[NNODES] = {"
	for (i = 1; i <= nkeys; i++) {
		n = split(node_key[i], a, "; ")
		printf "\t"
		for (j = 1; j < n; j++)
			printf "%s,%s", a[j], j == n - 1 ? "\n" : " "
	}
	print "};"
}
