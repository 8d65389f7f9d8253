// SPDX-License-Identifier: GPL-2.0
/* Classes of many kinds. elf_classes knows the values in their objects. */
#define KEPT __attribute__((noinline, used))
#define UNKNOWN __asm__ volatile("" ::: "memory")

volatile long sink;

namespace shop {

enum kind { plain, fancy = 7 };

class counted {
public:
	static int alive;
	static const long limit = 64;
	virtual ~counted() { }
protected:
	int serial = 0;
};
int counted::alive = 31;

struct named {
	const char *name;
	unsigned char flags : 3, rest : 5;
};

template <typename T, int N> struct box {
	T held[N];
	box<T, N> *next;
	KEPT T sum(int from)
	{
		UNKNOWN;
		T all = held[from];
		sink += all;
		return all;
	}
};

/* In memory, the second base class is behind the first. */
class item : public counted, public named {
public:
	item(int serial, const char *name);
	KEPT long price(int times) const;
	KEPT static long of(const item &which, item *other);
	struct size { short w, h; };
	size area;
	kind what;
	double weight;
	union { int as_int; float as_float; };
	box<short, 3> *boxes;
private:
	item *self;
};

item::item(int s, const char *n) : area{ 3, -4 }, what(fancy), weight(2.5), as_int(17), boxes(nullptr), self(this)
{
	serial = s;
	name = n;
	flags = 5;
	rest = 9;
}

long item::price(int times) const
{
	UNKNOWN;
	sink += area.w * times;
	return sink + alive + self->serial + rest;
}

long item::of(const item &which, item *other)
{
	UNKNOWN;
	return which.area.h + other->what;
}
}

/* Virtual functions. main() calls two() through a pointer to the second base class. */
struct first { virtual long one(int a) = 0; long own = 71; virtual ~first() { } };
struct second { virtual long two(int b) = 0; int mine = 72; virtual ~second() { } };
struct both : first, second {
	int last = 73;
	KEPT long one(int a) override { UNKNOWN; return a + last; }
	KEPT long two(int b) override { UNKNOWN; return b + last + mine; }
};

KEPT long take(shop::item i, shop::item &r, both *b)
{
	UNKNOWN;
	return i.area.h + r.area.w + b->last;
}

int main(int argc, char **)
{
	shop::item one(argc + 41, "one"), two(argc + 42, "two");
	shop::box<short, 3> last{ { 1, 2, (short)-argc }, nullptr }, boxes{ { 4, 5, 6 }, &last };
	both b;
	second *behind = &b;

	two.boxes = &boxes;
	sink += one.price(argc) + shop::item::of(one, &two) + boxes.sum(argc) + b.one(argc) + behind->two(argc);
	return take(one, two, &b) == 1;
}
