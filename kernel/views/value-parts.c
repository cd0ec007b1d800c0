/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A code is validated once, where a part comes in; the walk over it trusts it. Behind a pointer a
 * code says no more of a struct than its name: its members are those of the struct that the walk
 * has come through, or what debugging information tells.
 */
#include "kernel/views/value-parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/code/type-code.h"
#include "common/memory/address-map.h"
#include "kernel/views/character-format.h"
#include "kernel/views/container-walk.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/type-text.h"
#include "kernel/views/value-format.h"

#define TEXT_MAX 100        /* characters of a value */
#define TYPE_MAX 200        /* bytes of its type */
#define BYTES_MAX 4096      /* the largest object that is read for its text */
#define ELEMENTS_SHOWN 8    /* of an array that is larger */
#define CODE_MAX 65536      /* longer codes are not handed back */
#define LIST_MAX (4u << 20) /* bytes of a list; further codes are not handed back */

struct lister {
	const struct presenter_part *whole;
	const struct parts_reader *reader;
	struct buffer *out;
	size_t begin;    /* where the list begins in out */
	uint64_t skip;   /* parts before the first that is listed */
	uint64_t wanted; /* how many are still to be listed */
	uint64_t at;     /* number of the next part */
};

/* ---- memory ---- */

static bool read_part(const struct parts_reader *r, const struct presenter_part *whole,
		      uint64_t address, void *out, size_t len)
{
	uint64_t offset = address - whole->address;

	if (whole->is_elsewhere && offset <= whole->len && len <= whole->len - offset) {
		memcpy(out, (const char *)whole->bytes + offset, len);
		return true;
	}
	return !whole->is_elsewhere && r->read && !r->read(r->data, address, out, len);
}

/* Says where an address is that cannot be read: the device can be asked between cells only. */
static const char *no_memory(uint64_t address)
{
	return address_in_device(address) ? "<on the device>" : "<not in session memory>";
}

/* ---- values ---- */

static bool is_good(const char *code)
{
	const char *end = type_code_skip(code);

	return end && !*end;
}

static void format(const struct parts_reader *r, const char *type, const char *code,
		   const void *bytes, size_t len, struct buffer *out)
{
	const struct value_reader targets = { .read = r->read, .data = r->data };
	const struct presenter_value v = {
		.type = type,
		.code = code,
		.bytes = bytes,
		.len = len,
		.max = TEXT_MAX,
		.pointers = PRESENTER_POINTERS_TARGETS,
	};

	value_format(&v, &targets, out);
}

/* Writes the first elements of an array of which not all is read. */
static void put_elements(const struct parts_reader *r, const struct presenter_part *p,
			 const char *element, uint64_t first, uint64_t n, struct buffer *out)
{
	size_t size = type_code_size(element), before = out->len;
	char bytes[BYTES_MAX];
	uint64_t i;

	buffer_putc(out, '{');
	for (i = 0; size && size <= sizeof(bytes) && i < n && i < ELEMENTS_SHOWN &&
		    out->len - before < TEXT_MAX;
	     i++) {
		if (!read_part(r, p, p->address + (first + i) * size, bytes, size))
			break;
		if (i)
			buffer_puts(out, ", ");
		format(r, "", element, bytes, size, out);
	}
	if (i < n)
		buffer_printf(out, "%s... %" PRIu64 " items", i ? ", " : "", n);
	buffer_putc(out, '}');
}

static const char *element_of(const char *code, uint64_t *ret_n)
{
	char *element;

	*ret_n = strtoull(code + 1, &element, 10);
	return element;
}

static bool is_array(const char *code)
{
	return *code == 'a' || *code == 'x';
}

static bool is_record(const char *code)
{
	return *code == 's' || *code == 'n';
}

/* Returns the text of the members, behind the brace; NULL when the code does not have them. */
static const char *members_of(const char *code)
{
	const char *end = is_record(code) ? strchr(code, ')') : NULL;

	return end && end[1] == '{' ? end + 2 : NULL;
}

static void put_value(const struct parts_reader *r, const struct presenter_part *p,
		      struct buffer *out)
{
	size_t size = type_code_size(p->code);
	char bytes[BYTES_MAX];
	uint64_t n;

	if (is_array(p->code) && (p->count || size > sizeof(bytes))) {
		const char *element = element_of(p->code, &n);

		if (!p->count && character_format_is(element) &&
		    read_part(r, p, p->address, bytes, sizeof(bytes)))
			character_format_string(element, bytes,
						sizeof(bytes) / character_format_size(element),
						out);
		else
			put_elements(r, p, element, p->first, p->count ? p->count : n, out);
	} else if (!size || (*p->code == '?' && *p->name)) {
		/* A class of C++, whose members are told when it is looked into. */
		buffer_puts(out, *p->code == '?' ? "{...}" : "{}");
	} else if (size > sizeof(bytes)) {
		buffer_puts(out, "{...}");
	} else if (!read_part(r, p, p->address, bytes, size)) {
		buffer_puts(out, no_memory(p->is_elsewhere ? DEVICE_BASE : p->address));
	} else {
		format(r, p->type, p->code, bytes, size, out);
	}
}

/* ---- what a part has ---- */

static uint64_t count_members(const char *code)
{
	const char *p = members_of(code);
	uint64_t n = 0;

	while (p && *p != '}') {
		p = strchr(strchr(p, '@'), ':') + 1;
		if (*p == 'm')
			p = strchr(strchr(p, ':') + 1, ':') + 1;
		p = type_code_skip(p);
		p += *p == ',';
		n++;
	}
	return n;
}

/* Tells whether the pointer leads somewhere; what is text is shown as its value. */
static bool leads_on(const struct parts_reader *r, const struct presenter_part *p)
{
	uint64_t address;

	return !character_format_is(p->code + 1) && p->code[1] != 'F' &&
	       read_part(r, p, p->address, &address, sizeof(address)) && address;
}

/* False: it is none, or cannot be read. */
static bool open_container(const struct parts_reader *r, const struct presenter_part *p,
			   struct container_walk *ret)
{
	size_t size = type_code_size(p->code);
	char bytes[BYTES_MAX];

	return *p->code == 'k' && size <= sizeof(bytes) &&
	       read_part(r, p, p->address, bytes, size) &&
	       container_walk_init(ret, p->code, bytes, p->address, r->read, r->data);
}

static void count_elements(const struct parts_reader *r, struct presenter_part *p)
{
	struct container_walk w;

	p->has_parts = open_container(r, p, &w) && w.n && !strchr("SW", w.of.shape);
	p->indexed = p->has_parts && w.n != UINT64_MAX ? w.n : 0;
}

static void count_parts(const struct parts_reader *r, struct presenter_part *p)
{
	const char *element;
	uint64_t n;

	if (*p->code == 'k') {
		count_elements(r, p);
	} else if (is_array(p->code)) {
		element = element_of(p->code, &n);
		p->indexed = p->count ? p->count : n;
		p->has_parts = p->indexed && !character_format_is(element);
	} else if (is_record(p->code)) {
		p->named = count_members(p->code);
		p->has_parts = p->named;
	} else {
		/* What a class of C++ has is looked for when it is asked for: that takes longer. */
		p->has_parts = *p->code == 'p' ? leads_on(r, p) : *p->code == '?' && *p->name;
	}
	if (!p->has_parts)
		p->indexed = p->named = 0;
}

/* Writes the part, whose code is good, with its value. The bytes stay with who has them, and the
 * code of a whole variable does, too. */
static void put_part(const struct parts_reader *r, const struct presenter_part *p, bool with_code,
		     struct buffer *out)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct presenter_part told = *p;

	put_value(r, p, &text);
	count_parts(r, &told);
	told.text = buffer_text(&text);
	told.bytes = NULL;
	told.len = 0;
	if (!told.has_parts || !with_code)
		told.code = "";
	presenter_part_put(&told, out);
}

void value_parts_tell(const struct presenter_part *p, bool with_code,
		      const struct parts_reader *reader, struct buffer *out)
{
	struct presenter_part told = *p;

	if (is_good(p->code)) {
		put_part(reader, p, with_code, out);
		return;
	}
	told.bytes = NULL;
	told.len = 0;
	told.code = "";
	told.text = "<its type is not known>";
	presenter_part_put(&told, out);
}

/* ---- lists ---- */

/* Tells whether the next part is to be listed. */
static bool is_wanted(struct lister *l)
{
	bool is_listed = l->at >= l->skip && l->wanted;

	l->at++;
	if (is_listed)
		l->wanted--;
	return is_listed;
}

/* Writes the type of an array, or of `count` elements of it. */
static void put_type(const char *code, uint64_t count, struct buffer *out)
{
	cleanup_buffer struct buffer range = BUFFER_INIT;
	uint64_t n;

	if (count)
		buffer_printf(&range, "a%" PRIu64 "%s", count, element_of(code, &n));
	type_text_put(count ? buffer_text(&range) : code, out);
	if (out->len > TYPE_MAX) {
		out->len = TYPE_MAX;
		buffer_puts(out, "...");
	}
}

/* Lists a part of this code, which is good. What is too long is shown and not handed back. */
static void list_one(struct lister *l, const char *name, const char *code, uint64_t address,
		     uint64_t first, uint64_t count)
{
	cleanup_buffer struct buffer type = BUFFER_INIT;
	struct presenter_part p = {
		.name = name,
		.code = code,
		.cell = l->whole->cell,
		.address = address,
		.first = first,
		.count = count,
		.is_elsewhere = l->whole->is_elsewhere,
		.bytes = l->whole->bytes,
		.len = l->whole->len,
	};
	uint64_t offset = address - l->whole->address;
	bool is_long = strlen(code) > CODE_MAX || l->out->len - l->begin > LIST_MAX;

	put_type(code, count, &type);
	p.type = buffer_text(&type);
	/* The bytes begin at the address of the part that they are of. */
	if (offset < p.len) {
		p.bytes = (const char *)p.bytes + offset;
		p.len -= offset;
	} else {
		p.len = 0;
	}
	if (!is_long) {
		put_part(l->reader, &p, true, l->out);
		return;
	}
	p.text = "{...}";
	p.code = "";
	p.len = 0;
	presenter_part_put(&p, l->out);
}

/* Appends a member's code. Where the code of `whole` stands in it without its members, behind a
 * pointer, it is written in full. */
static void put_code(const char *code, size_t len, const char *whole, struct buffer *out)
{
	const char *end = code + len, *brace = strchr(whole, '{');
	size_t head = brace ? (size_t)(brace - whole) : 0;

	for (; code < end && out->len <= CODE_MAX; code++) {
		buffer_putc(out, *code);
		if (*code != 'p' || !head || (size_t)(end - code) <= head ||
		    strncmp(code + 1, whole, head) != 0 || code[1 + head] == '{')
			continue;
		buffer_puts(out, whole);
		code += head;
	}
}

/* Lists a bit-field. A struct whose only member it is has the same text, between braces. */
static void list_bits(struct lister *l, const char *name, const char *bits, const char *end,
		      const char *type, uint64_t offset)
{
	cleanup_buffer struct buffer code = BUFFER_INIT, text = BUFFER_INIT, words = BUFFER_INIT;
	size_t size = type_code_size(l->whole->code);
	struct presenter_part p = { .name = name, .code = "" };
	char bytes[BYTES_MAX];

	buffer_printf(&code, "s%zu(){@%" PRIu64 ":%.*s}", size, offset, (int)(end - bits), bits);
	type_text_put(type, &words);
	p.type = buffer_text(&words);
	if (size <= sizeof(bytes) &&
	    read_part(l->reader, l->whole, l->whole->address, bytes, size) && !code.failed)
		format(l->reader, "", buffer_text(&code), bytes, size, &text);
	if (text.len > 2) {
		text.data[--text.len] = '\0';
		p.text = text.data + 1;
	} else {
		p.text = "<not in session memory>";
	}
	presenter_part_put(&p, l->out);
}

/* Lists one member and returns what follows it: "name@offset:[mbit:width:]type". */
static const char *list_member(struct lister *l, const char *p)
{
	size_t len = strcspn(p, "@");
	cleanup_free char *name = len ? strndup(p, len) : NULL;
	char *type;
	uint64_t offset = strtoull(p + len + 1, &type, 10);
	const char *bits = ++type, *end;
	const char *shown = name ? name : "(unnamed)";

	if (*bits == 'm')
		type = strchr(strchr(type, ':') + 1, ':') + 1;
	end = type_code_skip(type);
	if (!is_wanted(l))
		return end;
	if (*bits == 'm') {
		list_bits(l, shown, bits, end, type, offset);
	} else {
		cleanup_buffer struct buffer code = BUFFER_INIT;

		put_code(type, (size_t)(end - type), l->whole->code, &code);
		/* What does not fit is written as it was. */
		if (!is_good(buffer_text(&code))) {
			buffer_clear(&code);
			buffer_append(&code, type, (size_t)(end - type));
		}
		list_one(l, shown, buffer_text(&code), l->whole->address + offset, 0, 0);
	}
	return end;
}

static void list_members(struct lister *l)
{
	const char *p = members_of(l->whole->code);

	while (p && *p != '}') {
		p = list_member(l, p);
		p += *p == ',';
	}
}

/* Lists elements [from, from + n), from the first that is wanted on. */
static void list_elements(struct lister *l, const char *element, uint64_t from, uint64_t n)
{
	size_t size = type_code_size(element);
	char name[32];

	for (uint64_t i = l->skip < n ? l->skip : n; i < n && l->wanted; i++, l->wanted--) {
		snprintf(name, sizeof(name), "[%" PRIu64 "]", from + i);
		list_one(l, name, element, l->whole->address + (from + i) * size, 0, 0);
	}
	l->at = n;
}

/* Lists [from, from + n) as at most about a hundred ranges. */
static void list_ranges(struct lister *l, uint64_t from, uint64_t n)
{
	uint64_t step = VALUE_PARTS_RANGE;
	char name[64];

	while (n / step > VALUE_PARTS_RANGE)
		step *= VALUE_PARTS_RANGE;
	for (uint64_t i = 0, part; i < n; i += part) {
		part = n - i < step ? n - i : step;

		snprintf(name, sizeof(name), "[%" PRIu64 "..%" PRIu64 "]", from + i,
			 from + i + part - 1);
		list_one(l, name, l->whole->code, l->whole->address, from + i, part);
	}
}

static void list_array(struct lister *l, const struct presenter_range *which)
{
	uint64_t n;
	const char *element = element_of(l->whole->code, &n);
	uint64_t from = l->whole->count ? l->whole->first : 0;

	/* A range that is not of this array is made up. */
	if (from > n)
		from = n;
	n = l->whole->count && l->whole->count < n - from ? l->whole->count : n - from;
	if (!which->is_given && n > VALUE_PARTS_RANGE)
		list_ranges(l, from, n);
	else
		list_elements(l, element, from, n);
}

/* Makes the code of what the pointer leads to: an array when the block has several. */
static void target_code(const struct lister *l, uint64_t block, struct buffer *out)
{
	cleanup_buffer struct buffer full = BUFFER_INIT;
	const char *target = l->whole->code + 1;
	size_t size;

	if (is_record(target) && !members_of(target) && l->reader->layout &&
	    l->reader->layout(l->reader->data, l->whole->cell, target, strlen(target), &full) &&
	    is_good(buffer_text(&full)) &&
	    type_code_size(buffer_text(&full)) == type_code_size(target))
		target = buffer_text(&full);
	size = type_code_size(target);
	if (size && block != VALUE_FREED && block / size > 1)
		buffer_printf(out, "a%" PRIu64, block / size);
	buffer_puts(out, target);
}

/* Lists what the pointer leads to as one part that has no parts. */
static void list_words(struct lister *l, const char *text, const struct buffer *words)
{
	cleanup_buffer struct buffer type = BUFFER_INIT;
	struct presenter_part p = { .name = "*", .code = "", .text = text };

	type_text_put(l->whole->code + (*l->whole->code == 'p'), &type);
	p.type = buffer_text(&type);
	if (words->len)
		p.text = buffer_text(words);
	presenter_part_put(&p, l->out);
}

static void list_target(struct lister *l, const struct presenter_range *which)
{
	cleanup_buffer struct buffer code = BUFFER_INIT, words = BUFFER_INIT;
	const struct parts_reader *r = l->reader;
	struct presenter_part target = { .name = "*", .cell = l->whole->cell };
	struct lister inner = *l;
	uint64_t block = 0;
	char first;

	if (!read_part(r, l->whole, l->whole->address, &target.address, sizeof(target.address)) ||
	    !target.address)
		return;
	if (r->block)
		block = r->block(r->data, target.address, &words);
	target_code(l, block, &code);
	if (block == VALUE_FREED) {
		list_words(l, "<it was freed>", &words);
		return;
	}
	if (code.failed || !type_code_size(buffer_text(&code))) {
		list_words(l, "<its type is not known>", &words);
		return;
	}
	if (!r->read || r->read(r->data, target.address, &first, 1)) {
		list_words(l, no_memory(target.address), &words);
		return;
	}
	target.code = buffer_text(&code);
	inner.whole = &target;
	if (is_array(target.code))
		list_array(&inner, which);
	else if (members_of(target.code))
		list_members(&inner);
	else if (is_wanted(&inner))
		list_one(&inner, "*", target.code, target.address, 0, 0);
	l->at = inner.at;
	l->wanted = inner.wanted;
}

/* Writes the name of an element: that of a map by its key. */
static void name_element(const struct lister *l, const struct container_walk *w,
			 const struct container_pair *pair, uint64_t address, struct buffer *out)
{
	cleanup_free char *key =
		pair ? strndup(pair->key, (size_t)(type_code_skip(pair->key) - pair->key)) : NULL;
	char bytes[BYTES_MAX];

	buffer_putc(out, '[');
	if (key && pair->offset <= sizeof(bytes) &&
	    read_part(l->reader, l->whole, address, bytes, type_code_size(key)))
		format(l->reader, "", key, bytes, type_code_size(key), out);
	else
		buffer_printf(out, "%" PRIu64, w->at - 1);
	buffer_putc(out, ']');
}

static void list_element(struct lister *l, const struct container_walk *w, uint64_t address)
{
	cleanup_buffer struct buffer name = BUFFER_INIT;
	struct container_pair pair;
	bool is_map = container_pair_of(&w->of, &pair);
	const char *code = is_map ? pair.value : w->of.element;
	cleanup_free char *own = strndup(code, (size_t)(type_code_skip(code) - code));

	name_element(l, w, is_map ? &pair : NULL, address, &name);
	if (own)
		list_one(l, buffer_text(&name), own, address + (is_map ? pair.offset : 0), 0, 0);
}

/* Makes an array of what lies in one piece. */
static void array_of(const struct container_walk *w, struct presenter_part *ret,
		     struct buffer *code)
{
	buffer_printf(code, "a%" PRIu64 "%s", w->n, w->of.element);
	*ret = (struct presenter_part){ .name = "*",
					.code = buffer_text(code),
					.address = w->address };
}

static void list_container(struct lister *l, const struct presenter_range *which)
{
	cleanup_buffer struct buffer code = BUFFER_INIT;
	struct presenter_part elements;
	struct container_walk w;
	uint64_t address;

	if (!open_container(l->reader, l->whole, &w))
		return;
	if (container_walk_is_array(&w)) {
		struct lister inner = *l;

		array_of(&w, &elements, &code);
		elements.cell = l->whole->cell;
		if (!is_good(elements.code))
			return;
		inner.whole = &elements;
		list_array(&inner, which);
		l->at = inner.at;
		l->wanted = inner.wanted;
		return;
	}
	container_walk_skip(&w, l->skip);
	for (; l->wanted && (address = container_walk_next(&w)); l->wanted--)
		list_element(l, &w, address);
	l->at = w.n == UINT64_MAX ? w.at : w.n;
}

/* How many of n parts are beyond those that were listed. */
static uint64_t beyond(const struct lister *l, const struct presenter_range *which, uint64_t listed)
{
	uint64_t left = l->at > l->skip ? l->at - l->skip : 0;

	if (which->count && left > which->count)
		left = which->count;
	return left > listed ? left - listed : 0;
}

/* Takes the code of a variable from debugging information where its own says too little. */
static struct presenter_part with_code(const struct presenter_part *p, const struct parts_reader *r,
				       struct buffer *code)
{
	struct presenter_part known = *p;
	size_t size = type_code_size(p->code);
	bool is_known = !strchr(p->code, '?') && strncmp(p->code, "pv", 2) != 0;

	if (!is_known && *p->name && r->variable && r->variable(r->data, p->cell, p->name, code) &&
	    is_good(buffer_text(code)) && (!size || type_code_size(buffer_text(code)) == size))
		known.code = buffer_text(code);
	return known;
}

void value_parts_list(const struct presenter_part *p, const struct presenter_range *which,
		      const struct parts_reader *reader, struct buffer *out)
{
	cleanup_buffer struct buffer code = BUFFER_INIT;
	const struct presenter_part known = with_code(p, reader, &code);
	struct lister l = {
		.whole = &known,
		.reader = reader,
		.out = out,
		.begin = out->len,
		.skip = which->is_given ? which->start : 0,
		.wanted = PRESENTER_PARTS_MAX,
	};
	uint64_t wanted;

	if (which->is_given && which->count && which->count < l.wanted)
		l.wanted = which->count;
	wanted = l.wanted;
	if (!is_good(known.code))
		;
	else if (is_array(known.code))
		list_array(&l, which);
	else if (is_record(known.code))
		list_members(&l);
	else if (*known.code == 'k')
		list_container(&l, which);
	else if (*known.code == 'p')
		list_target(&l, which);
	else if (*known.code == '?')
		list_words(&l, "<its members are not known>", &(struct buffer)BUFFER_INIT);
	presenter_parts_end(beyond(&l, which, wanted - l.wanted), out);
}

/* ---- numbers ---- */

bool value_parts_numbers(const struct presenter_part *p, const struct parts_reader *reader,
			 struct parts_numbers *ret)
{
	cleanup_buffer struct buffer code = BUFFER_INIT, words = BUFFER_INIT;
	struct lister l = { .whole = p, .reader = reader };
	struct container_walk w;
	const char *at = p->code;
	uint64_t n, block;

	*ret = (struct parts_numbers){ .n = 1, .of = *p };
	if (!is_good(at))
		return false;
	if (*at == 'p') {
		uint64_t address = 0;

		if (!read_part(reader, p, p->address, &address, sizeof(address)) || !address)
			return false;
		block = reader->block ? reader->block(reader->data, address, &words) : 0;
		if (block == VALUE_FREED)
			return false;
		target_code(&l, block, &code);
		ret->of = (struct presenter_part){ .address = address };
		at = buffer_text(&code);
	} else if (open_container(reader, p, &w) && container_walk_is_array(&w)) {
		array_of(&w, &ret->of, &code);
		at = is_good(buffer_text(&code)) ? buffer_text(&code) : "";
	}
	if (!is_array(at))
		return false;
	for (; is_array(at); ret->n *= n)
		at = element_of(at, &n);
	ret->size = type_code_size(at);
	if (!strchr("biuf", *at) || strlen(at) >= sizeof(ret->code) || !ret->size)
		return false;
	strcpy(ret->code, at);
	ret->of.code = "";
	return ret->n > 0;
}

bool value_parts_number(const struct parts_numbers *numbers, const struct parts_reader *reader,
			uint64_t i, double *ret)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	char bytes[16];

	if (!read_part(reader, &numbers->of, numbers->of.address + i * numbers->size, bytes,
		       numbers->size))
		return false;
	format(reader, "", numbers->code, bytes, numbers->size, &text);
	*ret = *numbers->code == 'b' ? *bytes != 0 : strtod(buffer_text(&text), NULL);
	return isfinite(*ret);
}
