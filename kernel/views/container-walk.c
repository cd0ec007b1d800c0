/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts of libstdc++: a tree has its nodes in the order of their keys, each with parent, left and
 * right; the nodes of a hash table are one list; a deque has a table of pieces of 512 bytes. The
 * value of a node lies behind what links it.
 */
#include "kernel/views/container-walk.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 512 /* of a deque */
#define CLIMB_MAX 128   /* twice the logarithm of how many nodes a tree can have */

/* Offsets in objects. */
#define TREE_ROOT 16
#define TREE_LEFTMOST 24
#define TREE_COUNT 40
#define HASH_FIRST 16
#define HASH_COUNT 24
#define LIST_COUNT 16
#define DEQUE_START 16
#define DEQUE_FINISH 48

/* Offsets in nodes. */
#define NODE_PARENT 8
#define NODE_LEFT 16
#define NODE_RIGHT 24
#define TREE_VALUE 32
#define LIST_VALUE 16
#define HASH_VALUE 8

static uint64_t word(const char *bytes, size_t offset)
{
	uint64_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

static uint64_t read_word(const struct container_walk *w, uint64_t address)
{
	uint64_t v;

	return w->read && !w->read(w->data, address, &v, sizeof(v)) ? v : 0;
}

static bool begin_range(struct container_walk *w, uint64_t begin, uint64_t end)
{
	if (end < begin || (end - begin) % w->size)
		return false;
	w->address = begin;
	w->n = (end - begin) / w->size;
	return true;
}

/* cur, first, last and the entry of the piece in the table: an iterator. */
static bool begin_deque(struct container_walk *w, const char *bytes)
{
	const char *start = bytes + DEQUE_START, *finish = bytes + DEQUE_FINISH;
	uint64_t per = w->size < PIECE_BYTES ? PIECE_BYTES / w->size : 1;
	uint64_t before = (word(start, 0) - word(start, 8)) / w->size,
		 behind = (word(finish, 0) - word(finish, 8)) / w->size,
		 pieces = (word(finish, 24) - word(start, 24)) / 8;

	if (before > per || behind > per || pieces > UINT32_MAX || pieces * per + behind < before)
		return false;
	w->per_piece = per;
	w->pieces = word(start, 24);
	w->address = before; /* the number of the first element in its piece */
	w->n = pieces * per + behind - before;
	return true;
}

static bool begin(struct container_walk *w, const char *bytes, uint64_t object)
{
	switch (w->of.shape) {
	case 'V':
		return begin_range(w, word(bytes, 0), word(bytes, 8));
	case 'S':
		w->address = word(bytes, 0);
		w->n = word(bytes, 8);
		return true;
	case 'W':
		w->address = word(bytes, 8);
		w->n = word(bytes, 0);
		return true;
	case 'T':
		w->address = word(bytes, TREE_LEFTMOST);
		w->n = word(bytes, TREE_COUNT);
		w->header = read_word(w, word(bytes, TREE_ROOT) + NODE_PARENT);
		return true;
	case 'H':
		w->address = word(bytes, HASH_FIRST);
		w->n = word(bytes, HASH_COUNT);
		return true;
	case 'L':
		w->address = word(bytes, 0);
		w->n = word(bytes, LIST_COUNT);
		return true;
	case 'F':
		w->address = word(bytes, 0);
		w->n = w->address ? UINT64_MAX : 0;
		return true;
	case 'D':
		return begin_deque(w, bytes);
	default: /* 'O': the flag is behind the value */
		w->address = object;
		w->n = bytes[w->size] != 0;
		return true;
	}
}

bool container_walk_init(struct container_walk *w, const char *code, const char *bytes,
			 uint64_t address, container_read *read, void *data)
{
	*w = (struct container_walk){ .read = read, .data = data };
	if (!type_code_container(code, &w->of))
		return false;
	w->size = type_code_size(w->of.element);
	return w->size && begin(w, bytes, address);
}

/* Returns the node behind this one, as std::_Rb_tree_increment() finds it; 0: there is none. */
static uint64_t next_in_tree(const struct container_walk *w, uint64_t node)
{
	uint64_t right = read_word(w, node + NODE_RIGHT), parent;

	if (right) {
		for (int i = 0; i < CLIMB_MAX; i++) {
			uint64_t left = read_word(w, right + NODE_LEFT);

			if (!left)
				return right;
			right = left;
		}
		return 0;
	}
	for (int i = 0; i < CLIMB_MAX; i++) {
		parent = read_word(w, node + NODE_PARENT);
		if (!parent || parent == w->header)
			return 0;
		if (read_word(w, parent + NODE_RIGHT) != node)
			return parent;
		node = parent;
	}
	return 0;
}

/* Returns the element of a node, and moves to the next node. */
static uint64_t take_node(struct container_walk *w)
{
	uint64_t node = w->address;

	if (!node)
		return 0;
	if (w->of.shape == 'T') {
		w->address = w->at < w->n ? next_in_tree(w, node) : 0;
		return node + TREE_VALUE;
	}
	w->address = read_word(w, node);
	return node + (w->of.shape == 'L' ? LIST_VALUE : HASH_VALUE);
}

uint64_t container_walk_next(struct container_walk *w)
{
	uint64_t i = w->at, piece;

	if (i >= w->n)
		return 0;
	w->at++;
	switch (w->of.shape) {
	case 'V':
	case 'S':
	case 'W':
		return w->address + i * w->size;
	case 'O':
		return w->address;
	case 'D':
		i += w->address;
		piece = read_word(w, w->pieces + i / w->per_piece * 8);
		return piece ? piece + i % w->per_piece * w->size : 0;
	default:
		piece = take_node(w);
		/* Of a forward list that is how its end is found. */
		w->at -= !piece;
		return piece;
	}
}

void container_walk_skip(struct container_walk *w, uint64_t n)
{
	if (!strchr("THLF", w->of.shape)) {
		w->at += n < w->n - w->at ? n : w->n - w->at;
		return;
	}
	while (n-- && container_walk_next(w))
		;
}

bool container_walk_is_array(const struct container_walk *w)
{
	return w->of.shape == 'V' || w->of.shape == 'S' || w->of.shape == 'W';
}

/* Takes "NAME@OFFSET:"; NULL: something else stands there. */
static const char *take_member(const char *p, const char *name, uint64_t *ret_offset)
{
	size_t len = strlen(name);
	char *end;

	if (!p || strncmp(p, name, len) || p[len] != '@')
		return NULL;
	*ret_offset = strtoull(p + len + 1, &end, 10);
	return *end == ':' ? end + 1 : NULL;
}

bool container_pair_of(const struct type_code_container *of, struct container_pair *ret)
{
	static const char pair[] = "(pair){";
	const char *p = of->element;
	uint64_t first;

	if ((of->shape != 'T' && of->shape != 'H') || *p != 's')
		return false;
	p += 1 + strspn(p + 1, "0123456789");
	if (strncmp(p, pair, strlen(pair)) != 0)
		return false;
	ret->key = take_member(p + strlen(pair), "first", &first);
	p = ret->key && !first ? type_code_skip(ret->key) : NULL;
	ret->value = p && *p == ',' ? take_member(p + 1, "second", &ret->offset) : NULL;
	return ret->value;
}
