# SPDX-License-Identifier: GPL-2.0
#
# Usage: awk -f unreached.awk -v missed=FILE UNREACHED HOST LINES
#
# LINES has lines "FILE:LINE FUNCTION EXECUTED BLOCKS". HOST has lines "FILE:LINE", which host tests
# execute. Writes the lines without an executed block to FILE, each with its text. Prints the lines
# for which UNREACHED has no reason, and which host tests do not execute; the exit status is 1 if
# there are any. Also prints the entries of UNREACHED that match no such line.
#
# UNREACHED has reasons, "= ...", and below each of them its lines "FILE FUNCTION: TEXT". Each entry
# stands for one line of this text in this function.

function text_of(file, line,  n, text)
{
	if (!(file in read)) {
		read[file] = 1
		while ((getline text <file) > 0)
			source[file, ++n] = text
		close(file)
	}
	text = source[file, line]
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	gsub(/[ \t]+/, " ", text)
	return text
}

FILENAME == ARGV[1] && /^(#|$)/ { next }

FILENAME == ARGV[1] && /^= / {
	reason = substr($0, 3)
	next
}

FILENAME == ARGV[1] {
	known[$0]++
	why[$0] = reason
	next
}

FILENAME == ARGV[2] {
	on_host[$1] = 1
	next
}

$3 == 0 {
	split($1, at, ":")
	key = at[1] " " $2 ": " text_of(at[1], at[2])
	lines++
	if ($1 in on_host) {
		by_host++
		print $1 " " $2 ": " text_of(at[1], at[2]) "\t# host tests execute it" >missed
		next
	}
	if (known[key] > 0) {
		known[key]--
		explained++
		print $1 " " $2 ": " text_of(at[1], at[2]) "\t# " why[key] >missed
		next
	}
	print $1 " " $2 ": " text_of(at[1], at[2]) >missed
	open[++opens] = $1 " " $2 ": " text_of(at[1], at[2])
}

END {
	printf "%d lines not executed in guests: host tests execute %d, UNREACHED has reasons for %d\n", lines, by_host,
		explained
	if (opens)
		print "not executed, without a reason:"
	for (i = 1; i <= opens; i++)
		print "  " open[i]
	for (key in known)
		if (known[key] > 0)
			print "executed, or gone: " key
	exit opens > 0
}
