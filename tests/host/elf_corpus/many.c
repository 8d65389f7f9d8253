// SPDX-License-Identifier: GPL-2.0
/*
 * Run many command lines of the helper in one process. If a test asks the helper hundreds of
 * times, starting processes takes most of the time.
 *
 * Each line of the input is a command line, with tabs between the words. The output has the lines
 * that it prints to stdout, then those that it prints to stderr, with "! " before each, then
 * "= STATUS". The helper's main() is uprobe_main() here.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64

int uprobe_main(int argc, char **argv);

static void run(char *line)
{
	char *words[WORDS_MAX + 1] = { "uprobe" }, *said = NULL;
	FILE *own = stderr;
	size_t size = 0;
	int status, n = 1;

	for (char *word = strtok(line, "\t\n"); word && n < WORDS_MAX; word = strtok(NULL, "\t\n"))
		words[n++] = word;
	/* Reset getopt_long(): it keeps the state of the last line. */
	optind = 0;
	stderr = open_memstream(&said, &size);
	if (!stderr)
		exit(99);
	status = uprobe_main(n, words);
	fclose(stderr);
	stderr = own;
	for (char *word = strtok(said, "\n"); word; word = strtok(NULL, "\n"))
		printf("! %s\n", word);
	printf("= %d\n", status);
	free(said);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0)
		run(line);
	free(line);
	return 0;
}
