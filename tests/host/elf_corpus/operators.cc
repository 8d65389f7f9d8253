// SPDX-License-Identifier: GPL-2.0
/* Functions whose names have spaces, commas, brackets and the characters of patterns. */
#include <cstddef>
#include <map>
#include <new>

#define KEEP __attribute__((noinline, used))

volatile int sink;

namespace op {

template <typename K, typename V> struct Pair { K key; V value; };

struct Value {
	int n;
	KEEP Value operator*(const Value &v) const { sink = 1; return { n * v.n }; }
	KEEP int operator*() const { sink = 2; return n; }
	KEEP Value &operator*=(int k) { sink = 3; n *= k; return *this; }
	KEEP int operator[](const char *key) { sink = 4; return key[0]; }
	KEEP int operator()(int a, unsigned long b) { sink = 5; return a + (int)b; }
	KEEP Value *operator->() { sink = 6; return this; }
	KEEP int operator->*(int Value::*m) { sink = 7; return this->*m; }
	KEEP bool operator<(const Value &v) const { sink = 8; return n < v.n; }
	KEEP Value operator<<(int k) const { sink = 9; return { n << k }; }
	KEEP bool operator>=(const Value &v) const { sink = 10; return n >= v.n; }
	KEEP Value operator+(const Value &v) const { sink = 11; return { n + v.n }; }
	KEEP Value &operator++() { sink = 12; n++; return *this; }
	KEEP Value operator,(int k) { sink = 13; return { k }; }
	KEEP bool operator!() const { sink = 14; return !n; }
	KEEP operator bool() const { sink = 15; return n; }
	KEEP operator unsigned long() const { sink = 16; return n; }
	KEEP operator const char *() const { sink = 17; return "x"; }
	KEEP operator Pair<int, char>() const { sink = 18; return { n, 'x' }; }
	KEEP static void *operator new(size_t n) { sink = 19; return ::operator new(n); }
	KEEP static void *operator new[](size_t n) { sink = 20; return ::operator new[](n); }
	KEEP static void operator delete[](void *p) { sink = 21; ::operator delete[](p); }
	template <typename T> KEEP T operator%(T k) const { sink = 22; return n % k; }
};

KEEP int operator""_units(unsigned long long n) { sink = 23; return n; }

template <typename K, typename V>
KEEP int measure(std::map<K, Pair<K, V>> *map, void (*each)(K, V *), const K &last)
{
	sink = 24;
	each(last, nullptr);
	return map->size();
}

template <typename T> struct Box {
	KEEP int put(T value, T const *const *where) { sink = 25; return !where + !!value; }
};

KEEP int apply(int (*f)(int, char), char const *text, ...) { sink = 26; return f(1, text[0]); }
KEEP int apply(int a) { sink = 27; return a; }

} // namespace op

static int helper(int a, char b) { return a + b; }
static void nothing(int, char *) { }

int main()
{
	std::map<int, op::Pair<int, char>> map;
	op::Value v = { 1 };
	op::Box<const char *> box;

	return (v % 3) + (v % 4L) + box.put("x", nullptr) + op::apply(helper, "x") + op::apply(2) +
	       op::measure<int, char>(&map, nothing, 5);
}
