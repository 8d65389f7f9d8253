# SPDX-License-Identifier: GPL-2.0
#
# Usage: awk -f quoted.awk UNREACHED
#
# Prints each line of UNREACHED that stands no more, or not as often, in the function of the file
# that it names. What is inlined from elsewhere (the file has no such function) is looked for in
# all of the file. Exit status 1 when there is one.

# Of each line of FILE: how often it is in each function, and in all.
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
