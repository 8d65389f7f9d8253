// SPDX-License-Identifier: GPL-2.0
/*
 * Count hits by a value, in buckets, and perhaps by a key.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/ptrace.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <uprobes/uprobes.h>

#include "buckets.h"
#include "values.h"
#include "trace/event/site_args.h"
#include "trace/fetch/fetch.h"
#include "trace/lib/words.h"
#include "trace/parse/parse.h"
#include "trace/parse/record.h"

/* The number of words that uprobe::ring_words has bits for. */
#define RING_WORDS	(8 * sizeof_field(struct uprobe, ring_words))

/* The sign of a number. */
#define SIGN		BIT_ULL(63)

/**
 * struct cell - the values of one CPU, for one key
 * @lost: number of hits whose value could not be read
 * @sum: sum of the values, modulo 2^64
 * @above: the maximum of all rank_of(value)
 * @below: the maximum of all ~rank_of(value), which belongs to the least value
 * @buckets: numbers of values: those that are not negative; behind them, negative ones, by their
 *	magnitudes
 */
struct cell {
	u64 lost;
	u64 sum;
	u64 above;
	u64 below;
	u64 buckets[];
};

/**
 * struct aggregate_values - the values of a probe
 * @def: its definition, with the argument that fetches the value, and perhaps one for a key
 * @sign: SIGN if values have one, or 0
 * @nr: number of buckets of a cell
 * @groups: 1, or UPROBE_KEYS + 1
 * @probe: the probe whose hits may be added in programs; or NULL
 * @histogram: if so, the value
 * @loads: the numbers in memory, if hits can come from a ring
 * @added: what was added there, when it was read last; under aggregate.lock
 * @cell_size: bytes of a cell
 * @keys: the keys that were met; NULL if there are none
 * @cells: for each key, then for all other keys, a cell for each CPU; and one for the sums, which
 *	aggregate.lock protects
 */
struct aggregate_values {
	struct tracer_def *def;
	u64 sign;
	unsigned int nr;
	unsigned int groups;
	size_t cell_size;
	const struct uprobe *probe;
	struct uprobe_histogram histogram;
	struct uprobe_load loads[UPROBE_LOADS];
	struct uprobe_values added;
	struct uprobe_keys *keys;
	u8 cells[] ____cacheline_aligned;
};

static struct cell *cell_of(struct aggregate_values *values, unsigned int group, unsigned int cpu)
{
	return (struct cell *)(values->cells + (group * nr_cpu_ids + cpu) * values->cell_size);
}

/* Map a value to a number that keeps the order.  The same call converts it back. */
static u64 rank_of(const struct aggregate_values *values, u64 value)
{
	return value ^ values->sign;
}

static bool is_number(const struct tracer_arg *arg)
{
	return !arg->count && !arg->length && !arg->type->unit &&
	       arg->type->print != TRACER_PRINT_FLOAT &&
	       (arg->store == TRACER_STORE_MEM || arg->store == TRACER_STORE_VALUE);
}

/**
 * aggregate_values_takes() - check whether the arguments of a definition are a value to count by
 * @def: the definition
 *
 * It is one number, or a number and a key.  A constant of a return probe is the place of a return
 * instruction.
 */
bool aggregate_values_takes(const struct tracer_def *def)
{
	const struct tracer_arg *arg = def->args;

	if (def->nargs < 1 || def->nargs > 2 || def->stack || !is_number(arg) ||
	    (def->nargs == 2 && !is_number(arg + 1)))
		return false;
	return arg->store == TRACER_STORE_MEM || def->kind != TRACER_RETURN || arg->ninsns != 1 ||
	       arg->insns->op != TRACER_OP_IMM;
}

/**
 * aggregate_values_create() - make room for the values of a probe
 * @def: its definition, see aggregate_values_takes(); the values take it over
 *
 * Return: the room, charged to the current task; NULL if there is no memory.
 */
struct aggregate_values *aggregate_values_create(struct tracer_def *def)
{
	unsigned int nr = def->args->type->is_signed ? 2 * UPROBE_BUCKETS : UPROBE_BUCKETS;
	size_t size = ALIGN(sizeof(struct cell) + nr * sizeof(u64), SMP_CACHE_BYTES), all;
	unsigned int groups = def->nargs == 2 ? UPROBE_KEYS + 1 : 1;
	struct aggregate_values *values;

	all = sizeof(*values) + (groups * nr_cpu_ids + 1) * size;
	/* With thousands of processors, keys take more than kvzalloc() has. */
	values = all <= INT_MAX ? kvzalloc(all, GFP_KERNEL_ACCOUNT) : NULL;
	if (!values)
		return NULL;
	if (groups > 1)
		values->keys = kvzalloc(sizeof(*values->keys), GFP_KERNEL_ACCOUNT);
	if (groups > 1 && !values->keys) {
		kvfree(values);
		return NULL;
	}
	values->def = def;
	values->sign = def->args->type->is_signed ? SIGN : 0;
	values->nr = nr;
	values->groups = groups;
	values->cell_size = size;
	tracer_args_find_registers(def);
	tracer_args_find_values(def);
	return values;
}

/** aggregate_values_free() - free the values of a probe, which may be NULL */
void aggregate_values_free(struct aggregate_values *values)
{
	if (!values)
		return;
	tracer_def_free(values->def);
	kvfree(values->keys);
	kvfree(values);
}

/**
 * aggregate_values_place() - find the addresses that the argument names
 * @values: the values
 * @file: the file of the probe, or NULL if it is in a process
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int aggregate_values_place(struct aggregate_values *values, struct file *file)
{
	struct tracer_diag diag;

	return tracer_args_place(values->def, file, &diag);
}

/** aggregate_values_in_ring() - tracer_args_in_ring() for the value */
bool aggregate_values_in_ring(struct aggregate_values *values, struct uprobe *u)
{
	return tracer_args_in_ring(values->def, u, values->loads);
}

/*
 * Convert an argument, if it is a register, a word of the stack, or in memory, after
 * aggregate_values_in_ring().
 */
static bool number_of(const struct tracer_arg *arg, struct uprobe_number *number)
{
	const struct tracer_insn *insn = arg->insns;
	bool word = insn->op == TRACER_OP_STACK;

	*number = (struct uprobe_number) {
		.load = arg->load + 1,
		.size = arg->type->size,
		.is_signed = arg->type->is_signed,
	};
	if (tracer_arg_in_memory(arg))
		return !arg->rshift;
	if (arg->store != TRACER_STORE_VALUE || arg->ninsns != 1 || arg->rshift ||
	    !(word ? (u64)insn->value < RING_WORDS : arg->in_register))
		return false;
	*number = (struct uprobe_number) {
		.reg = word ? insn->value : insn->offset,
		.word = word,
		.size = arg->type->size,
		.is_signed = arg->type->is_signed,
	};
	return true;
}

/**
 * aggregate_values_in_pad() - let the hits of a probe be added in the program, if that is possible
 * @values: the values, and perhaps their keys, after aggregate_values_in_ring()
 * @u: the probe, with a ring handler; @u->histogram is set if it is possible.  All its hits count
 */
void aggregate_values_in_pad(struct aggregate_values *values, struct uprobe *u)
{
	const struct tracer_arg *args = values->def->args;

	if (!number_of(args, &values->histogram.value) ||
	    (values->keys && !number_of(args + 1, &values->keys->number)))
		return;
	values->histogram.keys = values->keys;
	values->probe = u;
	u->histogram = &values->histogram;
}

/* Count a value.  Interrupts are off, so no other hit on this CPU interferes. */
static void add(struct aggregate_values *values, unsigned int group, u64 value)
{
	struct cell *cell = cell_of(values, group, smp_processor_id());
	u64 rank = rank_of(values, value);
	bool negative = value & values->sign;

	cell->sum += value;
	WRITE_ONCE(cell->above, max(cell->above, rank));
	WRITE_ONCE(cell->below, max(cell->below, ~rank));
	/* Pairs with sum_up(). */
	smp_wmb();
	cell->buckets[negative ? UPROBE_BUCKETS + aggregate_bucket_of(-value) :
				 aggregate_bucket_of(value)]++;
}

/* Load an argument that was fetched. */
static u64 load(const struct tracer_def *def, const struct tracer_arg *arg, const u8 *entry)
{
	const struct tracer_type *type = arg->type;
	u64 value = tracer_load(entry + tracer_args_offset(def) + arg->offset, type->size);
	unsigned int unused = 64 - 8 * type->size;

	return type->is_signed ? (s64)(value << unused) >> unused : value;
}

/**
 * aggregate_values_count() - count a hit of the current task by its value
 * @values: the values
 * @regs: the registers
 * @ip: the probed address
 * @from: where the hit comes from
 *
 * If the value cannot be read, the hit counts as missed.
 *
 * Context: a handler; interrupts are off unless @from is %AGGREGATE_TASK.
 * Return: false if the value can only be read in task context.
 */
bool aggregate_values_count(struct aggregate_values *values, const struct pt_regs *regs,
			    unsigned long ip, enum aggregate_from from)
{
	const struct tracer_def *def = values->def;
	/* The common fields, the address of a return, value and key, and the bits of faults. */
	u8 entry[sizeof(struct tracer_entry) + 4 * sizeof(u64)] __aligned(8) = {};
	struct tracer_fetch fetch = {
		.regs = regs,
		.ip = ip,
		.entry = entry,
		.size = sizeof(entry),
		.trap = from != AGGREGATE_TASK,
		.ring = from == AGGREGATE_RING,
	};
	unsigned int group = 0;
	unsigned long flags;
	bool fault;

	if (!tracer_fetch_args(&fetch, def))
		return false;
	fault = entry[tracer_faults_offset(def)];
	/* A key that could not be read takes no place. */
	if (def->nargs == 2 && !fault)
		group = uprobe_key_place(values->keys, load(def, def->args + 1, entry));
	local_irq_save(flags);
	if (fault)
		cell_of(values, 0, smp_processor_id())->lost++;
	else
		add(values, group, load(def, def->args, entry));
	local_irq_restore(flags);
	return true;
}

/* Add what was added in programs to the sum of a key. */
static void sum_added(struct aggregate_values *values, unsigned int group, struct cell *sum)
{
	struct uprobe_values *added = &values->added;
	unsigned int i;

	uprobe_histogram_of(values->probe, group, added);
	sum->sum += added->sum;
	/* There is no value if the least one is above the largest one. */
	if (added->least > added->largest)
		return;
	sum->above = max(sum->above, rank_of(values, added->largest));
	sum->below = max(sum->below, ~rank_of(values, added->least));
	for (i = 0; i < UPROBE_BUCKETS; i++)
		sum->buckets[i] += added->buckets[i];
}

/* Sum up the cells of a key.  A hit that happens meanwhile may be missing in a part of it. */
static struct cell *sum_up(struct aggregate_values *values, unsigned int group, u64 *hits)
{
	struct cell *sum = cell_of(values, values->groups, 0);
	unsigned int cpu, i;

	*hits = 0;
	memset(sum, 0, values->cell_size);
	for_each_possible_cpu(cpu) {
		const struct cell *cell = cell_of(values, group, cpu);

		sum->lost += READ_ONCE(cell->lost);
		sum->sum += READ_ONCE(cell->sum);
		for (i = 0; i < values->nr; i++)
			sum->buckets[i] += READ_ONCE(cell->buckets[i]);
		/* Pairs with add(): the values in the buckets are between these. */
		smp_rmb();
		sum->above = max(sum->above, READ_ONCE(cell->above));
		sum->below = max(sum->below, READ_ONCE(cell->below));
	}
	if (values->probe)
		sum_added(values, group, sum);
	cond_resched();
	for (i = 0; i < values->nr; i++)
		*hits += sum->buckets[i];
	return sum;
}

static void show_number(struct seq_file *m, bool is_signed, char before, u64 value)
{
	if (is_signed)
		seq_printf(m, "%c%lld", before, (s64)value);
	else
		seq_printf(m, "%c%llu", before, value);
}

/* Print " SUM LEAST LARGEST FROM:N...", and end the line. */
static void show_sum(struct seq_file *m, const struct aggregate_values *values,
		     const struct cell *sum)
{
	unsigned int i;

	show_number(m, values->sign, ' ', sum->sum);
	show_number(m, values->sign, ' ', rank_of(values, ~sum->below));
	show_number(m, values->sign, ' ', rank_of(values, sum->above));
	for (i = values->nr - 1; values->sign && i > UPROBE_BUCKETS; i--) {
		if (!sum->buckets[i])
			continue;
		show_number(m, true, ' ', -aggregate_bucket_begin(i - UPROBE_BUCKETS));
		seq_printf(m, ":%llu", sum->buckets[i]);
	}
	aggregate_buckets_show(m, sum->buckets);
	seq_putc(m, '\n');
}

static void show_keys(struct seq_file *m, struct aggregate_values *values, const char *name)
{
	bool is_signed = values->def->args[1].type->is_signed;
	unsigned int i;
	u64 hits, key;

	/* seq_file calls again with more room. */
	for (i = 0; i < values->groups && !seq_has_overflowed(m); i++) {
		const struct cell *sum = sum_up(values, i, &hits);

		if (!hits)
			continue;
		seq_printf(m, "by %s", name);
		if (uprobe_key_at(values->keys, i, &key))
			show_number(m, is_signed, ' ', key);
		else
			seq_puts(m, " others");
		seq_printf(m, " %llu", hits);
		show_sum(m, values, sum);
	}
}

/**
 * aggregate_values_show() - print "NAME HITS MISSED SUM LEAST LARGEST FROM:N..."
 * @values: the values
 * @name: the name of the probe
 * @missed: number of hits that did not come as far as this
 * @m: the output
 *
 * With keys, print "NAME HITS MISSED", and for each "by NAME KEY HITS SUM LEAST LARGEST FROM:N...".
 *
 * Context: under aggregate.lock.
 */
void aggregate_values_show(struct aggregate_values *values, const char *name, u64 missed,
			   struct seq_file *m)
{
	const struct cell *sum;
	u64 hits, all = 0;
	unsigned int i;

	for (i = 1; i < values->groups; i++) {
		sum_up(values, i, &hits);
		all += hits;
	}
	/* Lost values of all keys are counted in the first one. */
	sum = sum_up(values, 0, &hits);
	all += hits;
	missed += sum->lost;
	if (!all && !missed)
		return;
	seq_printf(m, "%s %llu %llu", name, all, missed);
	if (values->groups == 1 && all) {
		show_sum(m, values, sum);
		return;
	}
	seq_putc(m, '\n');
	if (values->groups > 1)
		show_keys(m, values, name);
}
