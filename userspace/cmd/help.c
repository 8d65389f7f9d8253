// SPDX-License-Identifier: GPL-2.0
#include "help.h"

#include <string.h>

#include "command.h"
#include "meant.h"
#include "option_table.h"
#include "util/error.h"
#include "util/util.h"

/** help_short() - print the most used forms */
void help_short(FILE *out)
{
	fputs("usage: uprobe COMMAND ...\n"
	      "  uprobe 'p:bash:readline'                      show calls; r: returns, with values\n"
	      "  uprobe count -c 'ls /' 'p:libc:mem*'          count calls of many functions\n"
	      "  uprobe lat -i 5 libc:read                     how long calls take\n"
	      "  uprobe flow -c './prog' './prog:*'            calls as they nest\n"
	      "  uprobe stacks -d 5 -o x.svg libc:malloc       who calls it: a flame graph\n"
	      "\n"
	      "uprobe doctor says whether this machine can trace; uprobe help has all the rest,\n"
	      "and uprobe COMMAND --help that command's options.\n", out);
}

static void print_indented(FILE *out, const char *text, int column)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		fprintf(out, "%.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
		if (*text)
			fprintf(out, "%*s", column, "");
	}
}

/* The length of the part of a text that completion shows. */
static int brief(const char *text)
{
	int len = strcspn(text, ";(\n");

	return len && text[len - 1] == ' ' ? len - 1 : len;
}

/* @wanted: the bits of commands; 0 for the whole help */
static void print_options(FILE *out, unsigned int wanted)
{
	for (size_t i = 0; i < nr_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		if (wanted ? !(row->commands & wanted) : !row->member)
			continue;
		if (strlen(row->spelling) > 18)
			fprintf(out, "  %s\n%21s", row->spelling, "");
		else
			fprintf(out, "  %-19s", row->spelling);
		print_indented(out, row->what, 21);
	}
}

static void print_words(FILE *out)
{
	fputs("\n"
	      "TARGET is a path, a program in PATH, or a library (libc, c, libc.so.6).\n"
	      "FUNCTION is NAME[@FILE|@VERSION][+OFFSET], FILE:LINE, 0xOFFSET in the file, or\n"
	      "@0xADDRESS as objdump shows it. ARGS and FILTER are those of uprobe_events and\n"
	      "filter files: %di, +0(%si):string, $retval, name=%dx:u32; 'name > 5'. With debug\n"
	      "information, variables by name: size, path:string, p->next->x, v[2], $params.\n"
	      "$arg1 to $arg6 are the arguments in registers, by the System V calling convention.\n"
	      "In Go programs $go1, $go2, ... are the first integer and pointer arguments.\n"
	      "\n", out);
}

/** help_whole() - print all commands and options */
void help_whole(FILE *out)
{
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		fprintf(out, "%s uprobe %s\n%14s", i ? "      " : "usage:", commands[i].usage, "");
		print_indented(out, commands[i].what, 14);
	}
	print_words(out);
	print_options(out, 0);
	fputs("\n"
	      "Exit status: 0 done, 1 failed, 2 usage, 3 not found or ambiguous, 4 refused for\n"
	      "safety, 5 no permission or module not loaded.\n", out);
}

/**
 * help_command() - print what a command does, its options and two examples
 * @out: where to
 * @name: the command
 *
 * Return: false if there is no such command.
 */
bool help_command(FILE *out, const char *name)
{
	const struct command *command = command_find(name);

	if (!command)
		return false;
	fprintf(out, "usage: uprobe %s\n%7s", command->usage, "");
	print_indented(out, command->what, 7);
	putc('\n', out);
	print_options(out, command->bit);
	fprintf(out, "\nExamples:\n  %s\n  %s\n", command->examples[0], command->examples[1]);
	return true;
}

int cmd_help(const struct options *options, int argc, char **argv)
{
	(void)options;
	if (!argc)
		help_whole(stdout);
	else if (!help_command(stdout, argv[0]))
		return error_report(unknown_word(argv[0]));
	return STATUS_OK;
}

/**
 * help_completion() - print commands and options for the completion of shells
 * @out: where to
 *
 * The fields of a line are separated by "|". There are lines "command|NAME|ARGUMENTS|TEXT", and
 * "option|-LETTER|--WORD|VALUE|WORDS|TEXT", where --WORD ends in = if that is typed before a value.
 */
void help_completion(FILE *out)
{
	for (const struct command *c = commands; c < commands + NR_COMMANDS; c++)
		fprintf(out, "command|%s|%s|%.*s\n", c->name, c->arguments, brief(c->what),
			c->what);
	for (size_t i = 0; i < nr_option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		const char *word = strstr(row->spelling, "--"), *value = option_value(row);

		if (!row->member)
			continue;
		fprintf(out, "option|%.*s|", option_letter(row) ? 2 : 0, row->spelling);
		if (word)
			fprintf(out, "%.*s", (int)strcspn(word, " =") + !!strchr(word, '='), word);
		fprintf(out, "|%s|%s|%.*s\n", value, *value && row->words ? row->words : "",
			brief(row->what), row->what);
	}
}
