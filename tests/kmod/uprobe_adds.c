// SPDX-License-Identifier: GPL-2.0
/*
 * A client whose probe has a histogram:
 *
 *	insmod uprobe_adds.ko path=FILE offset=N [size=N] [is_signed=1] [word=N] [key_size=N]
 *
 * The value is in the register di, or in a word of the stack; the key in the lower bytes of di, if
 * @key_size is not 0.  Parameters: "registered" can be written; "values" has the counted hits, the
 * calls of handlers, the sum of the values that handlers have seen, and the number, the sum, the
 * least and the largest of those that were added in programs; "buckets" has the buckets that are
 * not empty; "keys" has, for each key, the number of all its hits and the sum of all its values.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include <uprobes/uprobes.h>

static char *path;
module_param(path, charp, 0400);

static ulong offset;
module_param(offset, ulong, 0400);

static int size = 8;
module_param(size, int, 0400);

static bool is_signed;
module_param(is_signed, bool, 0400);

static int word = -1;
module_param(word, int, 0400);

static int key_size;
module_param(key_size, int, 0400);

static atomic64_t calls;
static atomic64_t sum;
static atomic64_t key_calls[UPROBE_KEYS + 1];
static atomic64_t key_sums[UPROBE_KEYS + 1];
static struct uprobe_histogram histogram;

static u64 cut(u64 value, unsigned int bytes, bool extend)
{
	unsigned int unused = 64 - 8 * bytes;

	value <<= unused;
	return extend ? (s64)value >> unused : value >> unused;
}

static void saw(u64 value, u64 key)
{
	unsigned int place = 0;

	if (key_size)
		place = uprobe_key_place(histogram.keys, cut(key, key_size, false));
	value = cut(value, size, is_signed);
	atomic64_inc(&calls);
	atomic64_add(value, &sum);
	atomic64_inc(&key_calls[place]);
	atomic64_add(value, &key_sums[place]);
}

static void on_hit(struct uprobe *u, struct pt_regs *regs)
{
	u64 value = regs->di;

	if (word < 0 || !copy_from_user_nofault(&value, (void __user *)(regs->sp + 8 * word),
						sizeof(value)))
		saw(value, regs->di);
}

static void on_ring(struct uprobe *u, struct pt_regs *regs)
{
	saw(word < 0 ? regs->di : uprobe_ring_word(word), regs->di);
}

static struct uprobe probe = {
	.handler = on_hit,
	.ring_handler = on_ring,
	.histogram = &histogram,
	.flags = UPROBE_ATOMIC,
};

static int registered_set(const char *text, const struct kernel_param *kp)
{
	bool on;
	int ret = kstrtobool(text, &on);

	if (ret)
		return ret;
	if (on)
		return register_uprobe(&probe);
	unregister_uprobe(&probe);
	return 0;
}

static const struct kernel_param_ops registered_ops = { .set = registered_set };

module_param_cb(registered, &registered_ops, NULL, 0200);

static int print(char *buf, bool buckets)
{
	struct uprobe_values *values = kmalloc(sizeof(*values), GFP_KERNEL);
	u64 n = 0;
	int i, len = 0;

	if (!values)
		return -ENOMEM;
	uprobe_histogram(&probe, values);
	for (i = 0; i < UPROBE_BUCKETS; i++) {
		n += values->buckets[i];
		if (buckets && values->buckets[i])
			len += scnprintf(buf + len, PAGE_SIZE - len, "%d:%llu ", i,
					 values->buckets[i]);
	}
	if (!buckets)
		len = scnprintf(buf, PAGE_SIZE, "%llu %llu %lld %llu %lld %llu %llu",
				uprobe_counts(&probe).hits, (u64)atomic64_read(&calls),
				(s64)atomic64_read(&sum), n, (s64)values->sum, values->least,
				values->largest);
	kfree(values);
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static int values_get(char *buf, const struct kernel_param *kp)
{
	return print(buf, false);
}

static const struct kernel_param_ops values_ops = { .get = values_get };

module_param_cb(values, &values_ops, NULL, 0400);

static int buckets_get(char *buf, const struct kernel_param *kp)
{
	return print(buf, true);
}

static const struct kernel_param_ops buckets_ops = { .get = buckets_get };

module_param_cb(buckets, &buckets_ops, NULL, 0400);

static int keys_get(char *buf, const struct kernel_param *kp)
{
	struct uprobe_values *values = kmalloc(sizeof(*values), GFP_KERNEL);
	int place, i, len = 0;

	if (!values)
		return -ENOMEM;
	for (place = 0; key_size && place <= UPROBE_KEYS; place++) {
		u64 n = atomic64_read(&key_calls[place]), key;

		uprobe_histogram_of(&probe, place, values);
		for (i = 0; i < UPROBE_BUCKETS; i++)
			n += values->buckets[i];
		if (!n)
			continue;
		if (uprobe_key_at(histogram.keys, place, &key))
			len += scnprintf(buf + len, PAGE_SIZE - len, "%llu", key);
		else
			len += scnprintf(buf + len, PAGE_SIZE - len, "others");
		len += scnprintf(buf + len, PAGE_SIZE - len, ":%llu:%lld ", n,
				 (s64)(values->sum + atomic64_read(&key_sums[place])));
	}
	kfree(values);
	return len + scnprintf(buf + len, PAGE_SIZE - len, "\n");
}

static const struct kernel_param_ops keys_ops = { .get = keys_get };

module_param_cb(keys, &keys_ops, NULL, 0400);

static int __init adds_init(void)
{
	int ret;

	if (key_size) {
		histogram.keys = kvzalloc(sizeof(*histogram.keys), GFP_KERNEL);
		if (!histogram.keys)
			return -ENOMEM;
		histogram.keys->number.reg = UPROBE_REG(di);
		histogram.keys->number.size = key_size;
	}
	histogram.value.reg = word < 0 ? UPROBE_REG(di) : word;
	histogram.value.word = word >= 0;
	histogram.value.size = size;
	histogram.value.is_signed = is_signed;
	probe.path = path;
	probe.offset = offset;
	probe.ring_reads = word < 0 || key_size ? UPROBE_READS(di) : 0;
	probe.ring_words = word < 0 ? 0 : 1 << word;
	ret = register_uprobe(&probe);
	if (ret)
		kvfree(histogram.keys);
	return ret;
}

static void __exit adds_exit(void)
{
	unregister_uprobe(&probe);
	kvfree(histogram.keys);
}

module_init(adds_init);
module_exit(adds_exit);
MODULE_DESCRIPTION("Add up values in programs, for tests");
MODULE_LICENSE("GPL");
