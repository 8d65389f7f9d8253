# SPDX-License-Identifier: GPL-2.0
#
# Usage: awk -f unreached.awk -v missed=FILE UNREACHED HOST LINES
#
# LINES: "FILE:LINE FUNCTION EXECUTED BLOCKS"; HOST: "FILE:LINE", what host tests execute.
# Writes the lines with nothing executed to FILE, each with its text, and prints those
# that neither UNREACHED has a reason for nor the host tests execute, and what UNREACHED has
# too many. Exit status 1 when there are any of the former.
#
# UNREACHED: reasons, "= ...", and below each the lines that it is good for:
# "FILE FUNCTION: TEXT". What stands there once is good for one line of that text in
# that function.

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
	printf "%d lines not executed, %d of them by host tests, %d with a reason not to be\n", lines, by_host,
		explained
	if (opens)
		print "without one:"
	for (i = 1; i <= opens; i++)
		print "  " open[i]
	for (key in known)
		if (known[key] > 0)
			print "executed, or gone: " key
	exit opens > 0
}
