// SPDX-License-Identifier: GPL-2.0
// cflags: -pthread
/*
 *	fused DIR [ID]
 *
 * Serves a file system in a thread of its own.  The only file, DIR/text, is a page with a function
 * that returns its argument plus 1.  With ID, the mount belongs to the user and the group of this
 * number, and the program becomes that user.  Maps the file as code.  Prints "ready", its process ID, the
 * address of the page, and the address of burst(), which is 1100 nops.  Executes the commands that
 * it reads, one a line, and prints "done" after each:
 *
 *	burst	call burst()
 *	serve	answer reads of the file; until then a reader waits, and the program prints
 *		"waits" once
 *	call	call the function in the file, and print its result
 *
 * At the end of the input, the program and its file system end.
 */
#include "puppet.h"
#include <linux/fuse.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define FILE_ID	2

ASM_FUNCTION(burst, "\t.rept 1100\n\tnop\n\t.endr\n\tret\n");
void burst(void);

/* lea 1(%rdi), %rax; ret */
static const unsigned char code[] = { 0x48, 0x8d, 0x47, 0x01, 0xc3 };

static int device;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fuse_in_header reading;
static int serving;

static void reply(const struct fuse_in_header *in, int error, const void *data, size_t size)
{
	struct fuse_out_header out = {
		.len = sizeof(out) + size, .error = error, .unique = in->unique,
	};
	struct iovec parts[] = { { &out, sizeof(out) }, { (void *)data, size } };

	if (writev(device, parts, size ? 2 : 1) < 0)
		warn("answering %u", in->opcode);
}

static void reply_page(const struct fuse_in_header *in)
{
	static char page[PAGE];

	memcpy(page, code, sizeof(code));
	reply(in, 0, page, sizeof(page));
}

static struct fuse_attr attributes(unsigned long id)
{
	return (struct fuse_attr) {
		.ino = id, .size = id == FILE_ID ? PAGE : 0, .blocks = 8, .nlink = 1,
		.mode = id == FILE_ID ? S_IFREG | 0755 : S_IFDIR | 0755, .blksize = PAGE,
	};
}

static void answer(const struct fuse_in_header *in, const char *argument)
{
	const struct fuse_init_in *init = (const void *)argument;
	struct fuse_init_out greeting = {
		.major = FUSE_KERNEL_VERSION, .minor = init->minor, .max_write = PAGE,
	};
	struct fuse_entry_out entry = {
		.nodeid = FILE_ID, .entry_valid = 1000, .attr_valid = 1000,
		.attr = attributes(FILE_ID),
	};
	struct fuse_attr_out attr = { .attr_valid = 1000, .attr = attributes(in->nodeid) };
	struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		reply(in, 0, &greeting, sizeof(greeting));
		break;
	case FUSE_LOOKUP:
		if (strcmp(argument, "text"))
			reply(in, -ENOENT, NULL, 0);
		else
			reply(in, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		reply(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		reply(in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		pthread_mutex_lock(&lock);
		if (serving)
			reply_page(in);
		else
			reading = *in;
		pthread_mutex_unlock(&lock);
		if (reading.unique == in->unique)
			puts("waits");
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		reply(in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in, -ENOSYS, NULL, 0);
	}
}

static void *answer_all(void *unused)
{
	static char request[FUSE_MIN_READ_BUFFER + PAGE];

	while (read(device, request, sizeof(request)) > 0)
		answer((void *)request, request + sizeof(struct fuse_in_header));
	return unused;
}

static void serve(void)
{
	pthread_mutex_lock(&lock);
	serving = 1;
	if (reading.unique)
		reply_page(&reading);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	struct command c;
	unsigned int id = argc > 2 ? atoi(argv[2]) : 0;
	char options[96], path[4096];
	pthread_t thread;
	void *text;
	int fd;

	if (argc < 2)
		return 2;
	setlinebuf(stdout);
	device = open("/dev/fuse", O_RDWR);
	if (device < 0)
		err(2, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device,
		 id, id);
	if (mount("fused", argv[1], "fuse", 0, options))
		err(2, "mounting at %s", argv[1]);
	if (pthread_create(&thread, NULL, answer_all, NULL))
		errx(2, "no thread");
	/* A change of the user hides the program from other programs of that user. */
	if (id && (setresgid(id, id, id) || setresuid(id, id, id) ||
		   prctl(PR_SET_DUMPABLE, 1)))
		err(2, "user %u", id);
	snprintf(path, sizeof(path), "%s/text", argv[1]);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(2, "%s", path);
	text = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		err(2, "mapping %s", path);
	/* Close the file now: at the end of the program, nobody would answer the request. */
	close(fd);
	printf("ready %d %p %p\n", getpid(), text, (void *)burst);
	while (next_command(&c)) {
		if (is(&c, "burst"))
			burst();
		else if (is(&c, "serve"))
			serve();
		else if (is(&c, "call"))
			printf("%ld\n", ((long (*)(long))text)(41));
		else
			break;
		puts("done");
	}
	umount2(argv[1], MNT_DETACH);
	_exit(0);
}
