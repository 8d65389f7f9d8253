// SPDX-License-Identifier: GPL-2.0
/*
 * Common parts of the files of the control directory: directories with the files of a table.
 *
 * A directory's inode has a pointer to the object that its files are about, and the inode of a file
 * one to the row of the table.
 */
#include <linux/debugfs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "files.h"

#define WRITE_MAX	65536	/* bytes that one write takes at most */

struct tracer *tracer_ready;

static void *one_start(struct seq_file *m, loff_t *pos)
{
	return *pos ? NULL : m->private;
}

static void *one_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return NULL;
}

static void one_stop(struct seq_file *m, void *v)
{
}

static int one_show(struct seq_file *m, void *v)
{
	const struct tracer_opened *f = v;

	return f->row->show(m, f);
}

static const struct seq_operations one_seq_ops = {
	.start = one_start,
	.next = one_next,
	.stop = one_stop,
	.show = one_show,
};

static int file_open(struct inode *inode, struct file *file)
{
	const struct tracer_file *row = inode->i_private;
	int ret = tracer_files_allowed(inode);
	struct tracer_opened *f;

	if (ret)
		return ret;
	f = __seq_open_private(file, row->list ?: &one_seq_ops, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->row = row;
	f->of = d_inode(file->f_path.dentry->d_parent)->i_private;
	/* seq_file does not allow pwrite(). */
	if (file->f_mode & FMODE_WRITE)
		file->f_mode |= FMODE_PWRITE;
	if (row->truncate && tracer_truncates(file))
		ret = row->truncate(f);
	if (ret)
		seq_release_private(inode, file);
	return ret;
}

static ssize_t file_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	const struct tracer_opened *f = ((struct seq_file *)file->private_data)->private;
	const struct tracer_file *row = f->row;
	ssize_t ret;
	char *text;

	if (row->write) {
		ret = row->write(f, ubuf, count);
	} else {
		if (!row->store)
			return -EINVAL;
		if (count > WRITE_MAX)
			return -E2BIG;
		text = memdup_user_nul(ubuf, count);
		if (IS_ERR(text))
			return PTR_ERR(text);
		ret = row->store(f, text);
		if (!ret)
			ret = count;
		kfree(text);
	}
	if (ret > 0)
		*ppos += ret;
	return ret;
}

static const struct file_operations file_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.read = seq_read,
	.write = file_write,
	.llseek = default_llseek,
	.release = seq_release_private,
};

/**
 * tracer_files_create() - create more files in a directory
 * @dir: a directory of tracer_dir_create()
 * @files: the table of the files
 *
 * Return: 0 or -errno.
 */
int tracer_files_create(struct dentry *dir, const struct tracer_file *files)
{
	struct dentry *file;

	for (; files->name; files++) {
		file = debugfs_create_file(files->name, files->mode, dir, (void *)files,
					   &file_fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	return 0;
}

/**
 * tracer_dir_create() - create a directory with files
 * @name: its name
 * @parent: the directory that it is in, or NULL
 * @of: the object that its files are about
 * @files: the table of the files
 * @dir: set to the directory
 *
 * Return: 0 or -errno; after an error there is no such directory, and *@dir is NULL.
 */
int tracer_dir_create(const char *name, struct dentry *parent, void *of,
		      const struct tracer_file *files, struct dentry **dir)
{
	struct dentry *made = debugfs_create_dir(name, parent);
	int ret;

	*dir = NULL;
	if (IS_ERR(made))
		return PTR_ERR(made);
	d_inode(made)->i_private = of;
	ret = tracer_files_create(made, files);
	if (ret)
		debugfs_remove(made);
	else
		*dir = made;
	return ret;
}

/**
 * tracer_file_of_session() - find a file that a session may write
 * @files: the table to search
 * @name: name of the file
 *
 * Return: its row, or NULL.
 */
const struct tracer_file *tracer_file_of_session(const struct tracer_file *files, const char *name)
{
	for (; files->name; files++) {
		if (files->session && !strcmp(files->name, name))
			return files;
	}
	return NULL;
}

/**
 * tracer_switch_parse() - parse 0 or 1
 * @text: the text; a newline may follow
 * @on: set to the value
 *
 * Return: 0, or -errno for any other text.
 */
int tracer_switch_parse(const char *text, bool *on)
{
	unsigned int value;
	int ret = kstrtouint(text, 10, &value);

	if (ret)
		return ret;
	if (value > 1)
		return -EINVAL;
	*on = value;
	return 0;
}
