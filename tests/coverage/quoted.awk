# SPDX-License-Identifier: GPL-2.0
#
# Usage: awk -f quoted.awk UNREACHED
#
# Prints each line of UNREACHED that the named function of the file does not contain, or not as
# often. If the file has no such function, since it is inlined from another file, the line may be
# anywhere in the file. The exit status is 1 if a line is printed.

# Count how often each line occurs in each function of FILE, and in the whole file.
function read_source(file,  text, name)
{
	if (file in read)
		return
	read[file] = 1
	while ((getline text <file) > 0) {
		if (text ~ /^[A-Za-z_]/ && match(text, /[A-Za-z_0-9]+\(/)) {
			name = substr(text, RSTART, RLENGTH - 1)
			has[file, name] = 1
		}
		gsub(/^[ \t]+|[ \t]+$/, "", text)
		gsub(/[ \t]+/, " ", text)
		there[file, name, text]++
		there[file, "", text]++
	}
	close(file)
}

/^(#|$|= )/ { next }

{
	file = $1
	name = $2
	sub(/:$/, "", name)
	text = $0
	sub(/^[^ ]+ [^ ]+ /, "", text)
	read_source(file)
	if (!((file, name) in has))
		name = ""
	if (there[file, name, text]-- <= 0) {
		print FILENAME ":" FNR ": gone: " $0
		gone = 1
	}
}

END { exit gone }
