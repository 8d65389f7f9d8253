// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "util.h"

/* Milliseconds before a line is shown, and between two changes of it. */
#define PATIENCE	1000
#define INTERVAL	100

/* When the first work of this run began: what follows another work has waited long enough. */
static u64 first;

/**
 * progress_begin() - begin work that may take long
 * @progress: set up
 * @what: see struct progress
 */
void progress_begin(struct progress *progress, const char *what)
{
	*progress = (struct progress) { .what = what, .since = now_ms() };
	if (!first)
		first = progress->since;
}

/* Write how long the rest takes if it goes on as so far; "" if that is not known yet. */
static void write_left(char *text, size_t size, u64 took, size_t done, size_t all)
{
	unsigned long long seconds = done ? (took * (all - done) / done + 999) / 1000 : 0;

	*text = '\0';
	/* A moment says little. */
	if (!done || took < INTERVAL)
		return;
	if (seconds < 120)
		snprintf(text, size, ", %llu s left", seconds);
	else
		snprintf(text, size, ", %llu min left", (seconds + 59) / 60);
}

/**
 * progress_chunk() - show how far the work has come, and the time left, if it takes long
 * @progress: the work
 * @done: what is done
 * @all: the whole amount
 *
 * If standard error is no terminal, nothing is shown.
 */
void progress_chunk(struct progress *progress, size_t done, size_t all)
{
	u64 at = now_ms();
	char left[40];

	if (at - first < PATIENCE || at - progress->shown < INTERVAL ||
	    !isatty(STDERR_FILENO))
		return;
	progress->shown = at;
	write_left(left, sizeof(left), at - progress->since, done, all);
	fprintf(stderr, "\r\033[K%zu of %zu %s%s", done, all, progress->what, left);
}

/**
 * progress_step() - progress_chunk() for work of many small steps, of which few look at the clock
 * @progress: the work
 * @done: what is done
 * @all: the whole amount
 */
void progress_step(struct progress *progress, size_t done, size_t all)
{
	if (done % 64 == 0)
		progress_chunk(progress, done, all);
}

/** progress_end() - take the line away */
void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = 0;
}
