/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cell of each round in front of definitions.c: the objects of C++ that cells change, and show_objects(), which prints their part of
 * the line that show() prints.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define SHAPES 5

int32_t gone; /* objects that were destroyed */

struct shape {
	int32_t side;
	explicit shape(int32_t side) : side(side) {}
	virtual ~shape() { gone++; }
	virtual int32_t area() const { return side; }
};

struct square : shape {
	using shape::shape;
	int32_t area() const override { return side * side; }
};

/* Cells define this class anew, with another worth(); what uses it follows. */
struct token {
	int32_t n;
	int32_t worth() const { return n; }
};

token coin{ 1 };
inline int32_t worth_of(const token &t) { return t.worth() + 1; }
template <class T> int32_t twice_the_worth_of(const T &t) { return 2 * worth_of(t); }
int32_t priced;

std::string text;
std::vector<int32_t> numbers;
std::map<int32_t, std::string> names;
std::shared_ptr<shape> shapes[SHAPES];

static uint32_t mix(uint32_t h, uint32_t word)
{
	return (h ^ word) * 16777619u;
}

static uint32_t mix(uint32_t h, const std::string &s)
{
	for (char c : s)
		h = mix(h, (uint32_t)(unsigned char)c);
	return mix(h, (uint32_t)s.size());
}

extern "C" void show_objects(void)
{
	uint32_t of_numbers = 2166136261u, of_names = 2166136261u, of_shapes = 2166136261u;

	for (int32_t n : numbers)
		of_numbers = mix(of_numbers, (uint32_t)n);
	for (const auto &[key, name] : names)
		of_names = mix(mix(of_names, (uint32_t)key), name);
	for (const auto &s : shapes)
		of_shapes = mix(of_shapes, s ? (uint32_t)s->area() + 7u * (uint32_t)s.use_count() : 0u);
	printf("text=%zu:%08x@0 numbers=%zu:%08x@%p names=%zu:%08x@0 shapes=%08x@0 gone=%d@0 priced=%d@0 ", text.size(),
	       mix(2166136261u, text), numbers.size(), of_numbers, (void *)numbers.data(), names.size(), of_names, of_shapes, gone, priced);
}
