// SPDX-License-Identifier: GPL-2.0
/* Names of all kinds: overloads, templates, methods, operators, namespaces. */
#include <string>

volatile int sink;

namespace store {

class Cache {
public:
	__attribute__((noinline)) explicit Cache(int n) { sink = n; }
	__attribute__((noinline)) ~Cache() { sink = 0; }
	__attribute__((noinline)) int find(const char *key) const;
	__attribute__((noinline)) int find(int key, unsigned long hash);
	__attribute__((noinline)) int operator+(int n) { return sink + n; }
	__attribute__((noinline)) int size() { return sink; }
};

int Cache::find(const char *key) const
{
	return sink + key[0];
}

int Cache::find(int key, unsigned long hash)
{
	return sink + key + (int)hash;
}

template <typename T>
__attribute__((noinline)) T largest(T a, T b)
{
	sink = 1;
	return a > b ? a : b;
}

} // namespace store

namespace {
__attribute__((noinline)) int hidden(int a)
{
	sink = a;
	return sink + 1;
}
} // namespace

__attribute__((noinline)) int measure(const std::string &s)
{
	sink = 2;
	return s.size();
}

/* Symbols of rustc, in the old and in the new mangling. */
extern "C" __attribute__((noinline)) int rust_old(int a)
	__asm__("_ZN7mycrate6module3run17h0123456789abcdefE");
extern "C" __attribute__((noinline)) int rust_old(int a)
{
	return sink + a;
}

extern "C" __attribute__((noinline)) int rust_new(int a)
	__asm__("_RNvNtCs1234_7mycrate6module4walk");
extern "C" __attribute__((noinline)) int rust_new(int a)
{
	return sink - a;
}

/* A C function with the name of a method. */
extern "C" __attribute__((noinline)) int size(int a)
{
	return sink * a;
}

int main(int argc, char **argv)
{
	store::Cache cache(argc);

	return cache.find(argv[0]) + cache.find(1, 2) + (cache + 1) +
	       cache.size() + store::largest(argc, 3) +
	       (int)store::largest(2.0, 3.0) + hidden(1) + measure(argv[0]) +
	       rust_old(1) + rust_new(1) + size(1);
}
