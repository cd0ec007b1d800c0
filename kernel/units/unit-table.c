/* SPDX-License-Identifier: Apache-2.0 */
/* Lookups go from the newest record backwards, so a cell that was run again is found in its newest
 * form. */
#include "kernel/units/unit-table.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "common/base/array.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"

/* The largest size of an unpacked object. */
#define OBJECT_MAX (512u * 1024 * 1024)

void unit_table_init(struct unit_table *t)
{
	*t = (struct unit_table){ 0 };
}

static void record_release(struct unit_record *r)
{
	unit_release(&r->unit);
	free(r->encoded);
	free(r->text);
	free(r->placed);
	buffer_release(&r->sections);
	buffer_release(&r->ended);
}

static void cut(struct unit_table *t, size_t n)
{
	while (t->n > n)
		record_release(&t->records[--t->n]);
	t->n_running = 0;
	t->stale = true;
}

void unit_table_release(struct unit_table *t)
{
	cut(t, 0);
	free(t->records);
	free(t->variables);
	unit_table_init(t);
}

/* Compresses bytes. NULL: memory is out. */
static void *pack(const void *bytes, size_t *len, struct error *err)
{
	size_t n = ZSTD_compressBound(*len);
	void *packed = malloc(n);

	if (!packed) {
		error_set(err, ERROR_MEMORY, "out of memory for what is kept of a cell");
		return NULL;
	}
	n = *len ? ZSTD_compress(packed, n, bytes, *len, 1) : 0;
	*len = ZSTD_isError(n) ? 0 : n;
	return packed;
}

void unit_record_unpack(const void *packed, size_t len, struct buffer *ret)
{
	unsigned long long size = len ? ZSTD_getFrameContentSize(packed, len) : 0;
	void *to;

	if (!size || size > OBJECT_MAX)
		return;
	to = buffer_extend(ret, size);
	if (to && ZSTD_decompress(to, size, packed, len) != size)
		buffer_clear(ret);
}

/* Encodes the unit again with its object and PTX compressed, and without parts that are not needed
 * later. */
static int shrink(const struct unit *whole, struct unit_record *ret, struct error *err)
{
	cleanup_buffer struct buffer small = BUFFER_INIT;
	cleanup_free void *object = NULL, *ptx = NULL;
	struct unit u = *whole;
	size_t small_len;

	object = pack(u.object, &u.object_len, err);
	ptx = object ? pack(u.ptx, &u.ptx_len, err) : NULL;
	u.object = object;
	u.ptx = ptx;
	u.n_declarations = u.n_lines = 0;
	if (ptx)
		unit_encode(&u, &small);
	if (!ptx || buffer_check(&small, err))
		return -1;
	small_len = small.len;
	ret->encoded_len = small_len;
	ret->encoded = buffer_steal(&small);
	if (!ret->encoded)
		return error_set(err, ERROR_MEMORY, "out of memory for what is kept of a cell");
	return unit_decode(ret->encoded, small_len, &ret->unit, err);
}

/* Adds a record whose unit is set; the record is taken over. */
static int add(struct unit_table *t, struct unit_record *r, const char *text, struct error *err)
{
	r->text = text ? strdup(text) : NULL;
	r->placed = calloc(r->unit.n_symbols + 1, sizeof(*r->placed));
	if (!r->placed) {
		record_release(r);
		return error_set(err, ERROR_MEMORY, "out of memory for the symbols of a cell");
	}
	r->serial = t->next_serial++;
	r->has_code = true; /* until the loader says otherwise */
	t->records[t->n++] = *r;
	t->n_running++;
	return 0;
}

int unit_table_begin(struct unit_table *t, const struct unit *u, const char *text,
		     struct error *err)
{
	struct unit_record r = { 0 };

	if (!ARRAY_ROOM(t->records, t->n, &t->cap))
		return error_set(err, ERROR_MEMORY, "out of memory for the table of cells");
	if (shrink(u, &r, err)) {
		record_release(&r);
		return -1;
	}
	return add(t, &r, text, err);
}

/* Tells whether these are names, each with its NUL; "" is none. */
static bool are_names(const char *names, size_t len)
{
	if (len && names[len - 1])
		return false;
	for (size_t at = 0; at < len; at += strlen(names + at) + 1)
		if (!names[at])
			return false;
	return true;
}

/* Adds a record that was shrunk before. */
static int take_record(struct unit_table *t, struct record *from, struct error *err)
{
	struct unit_record r = { 0 };
	const char *encoded = record_bytes(from, &r.encoded_len), *text = record_str(from), *ended,
		   *sections;
	size_t len, sections_len;

	ended = record_bytes(from, &len);
	sections = record_bytes(from, &sections_len);
	if (!are_names(ended, len))
		return error_set(err, ERROR_PROTOCOL, "a name in the table of cells is damaged");
	if (!ARRAY_ROOM(t->records, t->n, &t->cap))
		return error_set(err, ERROR_MEMORY, "out of memory for the table of cells");
	r.encoded = malloc(r.encoded_len + 1);
	if (!r.encoded)
		return error_set(err, ERROR_MEMORY, "out of memory for the table of cells");
	memcpy(r.encoded, encoded, r.encoded_len);
	if (unit_decode(r.encoded, r.encoded_len, &r.unit, err)) {
		free(r.encoded);
		return -1;
	}
	if (add(t, &r, text, err))
		return -1;
	unit_table_end_names(t, &(struct buffer){ .data = (char *)ended, .len = len });
	buffer_append(&t->records[t->n - 1].sections, sections, sections_len);
	for (size_t k = 0; k < t->records[t->n - 1].unit.n_symbols; k++) {
		t->records[t->n - 1].placed[k].address = record_u64(from);
		t->records[t->n - 1].placed[k].size = record_u64(from);
	}
	unit_table_commit(t);
	return 0;
}

void unit_table_place(struct unit_table *t, const char *name, uint64_t address, uint64_t size)
{
	struct unit_record *r = t->n_running ? &t->records[t->n - 1] : NULL;
	size_t n = r ? r->unit.n_symbols : 0;

	/* The loader tells them in the unit's order. */
	for (size_t i = 0; i < n; i++) {
		size_t at = (r->next_placed + i) % n;

		if (strcmp(r->unit.symbols[at].name, name) != 0)
			continue;
		r->placed[at] = (struct placed_symbol){ address, size };
		r->next_placed = at + 1;
		return;
	}
}

void unit_table_place_section(struct unit_table *t, uint32_t index, uint64_t address)
{
	const struct placed_section s = { index, address };

	if (t->n_running)
		buffer_append(&t->records[t->n - 1].sections, &s, sizeof(s));
}

uint64_t unit_record_section(const struct unit_record *r, uint32_t index)
{
	struct placed_section s;

	for (size_t at = 0; at + sizeof(s) <= r->sections.len; at += sizeof(s)) {
		memcpy(&s, r->sections.data + at, sizeof(s));
		if (s.index == index)
			return s.address;
	}
	return 0;
}

void unit_table_note_code(struct unit_table *t, uint32_t replaces, bool has_code)
{
	struct unit_record *r = t->n_running ? &t->records[t->n - 1] : NULL;

	if (!r)
		return;
	r->replaces = replaces;
	r->has_code = has_code;
}

void unit_table_end_names(struct unit_table *t, const struct buffer *names)
{
	if (t->n)
		buffer_append(&t->records[t->n - 1].ended, buffer_text(names), names->len);
}

void unit_table_commit(struct unit_table *t)
{
	t->n_running = 0;
	t->stale = true;
}

static size_t n_committed(const struct unit_table *t)
{
	return t->n - t->n_running;
}

void unit_table_drop(struct unit_table *t)
{
	if (t->n_running)
		cut(t, n_committed(t));
}

uint64_t unit_table_committed(const struct unit_table *t)
{
	size_t n = n_committed(t);

	return n ? t->records[n - 1].serial + 1 : 0;
}

int unit_table_take(struct unit_table *t, uint64_t mark, struct unit_record **ret, size_t *ret_n)
{
	size_t first = t->n;

	while (first && t->records[first - 1].serial >= mark)
		first--;
	*ret_n = t->n - first;
	*ret = malloc((*ret_n + 1) * sizeof(**ret));
	if (!*ret) {
		*ret_n = 0;
		cut(t, first);
		return -1;
	}
	memcpy(*ret, &t->records[first], *ret_n * sizeof(**ret));
	t->n = first;
	t->n_running = 0;
	t->stale = true;
	return 0;
}

int unit_table_reserve(struct unit_table *t, size_t n, struct error *err)
{
	struct unit_record *grown;

	if (t->n + n <= t->cap)
		return 0;
	grown = realloc(t->records, (t->n + n) * sizeof(*grown));
	if (!grown)
		return error_set(err, ERROR_MEMORY, "out of memory for the table of cells");
	t->records = grown;
	t->cap = t->n + n;
	return 0;
}

void unit_table_put(struct unit_table *t, const struct unit_record *records, size_t n)
{
	if (n)
		memcpy(&t->records[t->n], records, n * sizeof(*records));
	t->n += n;
	t->stale = true;
}

void unit_records_free(struct unit_record *records, size_t n)
{
	for (size_t i = 0; i < n; i++)
		record_release(&records[i]);
	free(records);
}

void unit_table_remove(struct unit_table *t, const bool *gone)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (gone[i])
			record_release(&t->records[i]);
		else
			t->records[n++] = t->records[i];
	}
	t->n = n;
	t->stale = true;
}

static void put_record(const struct unit_record *r, struct buffer *out)
{
	record_put_bytes(out, r->encoded, r->encoded_len);
	record_put_str(out, r->text ? r->text : "");
	record_put_bytes(out, r->ended.data, r->ended.len);
	record_put_bytes(out, r->sections.data, r->sections.len);
	for (size_t k = 0; k < r->unit.n_symbols; k++) {
		record_put_u64(out, r->placed[k].address);
		record_put_u64(out, r->placed[k].size);
	}
}

void unit_record_encode(const struct unit_record *r, struct buffer *out)
{
	record_put_u32(out, 1);
	put_record(r, out);
}

void unit_table_encode(const struct unit_table *t, struct buffer *out)
{
	size_t n = n_committed(t);

	record_put_u32(out, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		put_record(&t->records[i], out);
}

int unit_table_decode(struct unit_table *t, const void *data, size_t len, struct error *err)
{
	struct record r = record_open(data, len);
	uint32_t n = record_count(&r, 8);
	int failed = 0;

	for (uint32_t i = 0; i < n && !failed; i++)
		failed = take_record(t, &r, err);
	if (!failed && !record_check(&r, "the table of cells", err))
		return 0;
	unit_table_release(t);
	return -1;
}

const struct unit_record *unit_table_find(const struct unit_table *t, uint32_t cell)
{
	for (size_t i = t->n; cell && i-- > 0;)
		if (t->records[i].unit.cell == cell)
			return &t->records[i];
	return NULL;
}

const struct unit_record *unit_table_with_serial(const struct unit_table *t, uint64_t serial)
{
	for (size_t i = t->n; i-- > 0;)
		if (t->records[i].serial == serial)
			return &t->records[i];
	return NULL;
}

static const struct unit_record *find_definer(const struct unit_table *t, const char *name,
					      size_t *ret_symbol)
{
	for (size_t i = t->n; i-- > 0;) {
		const struct unit *u = &t->records[i].unit;

		for (size_t k = 0; k < u->n_symbols; k++) {
			if (!strcmp(u->symbols[k].name, name)) {
				*ret_symbol = k;
				return &t->records[i];
			}
		}
	}
	return NULL;
}

const struct unit_record *unit_table_definer(const struct unit_table *t, const char *name)
{
	size_t symbol;

	return find_definer(t, name, &symbol);
}

const char *unit_table_text(const struct unit_table *t, const char *cell_name)
{
	for (size_t i = t->n; i-- > 0;)
		if (t->records[i].text && !strcmp(t->records[i].unit.cell_name, cell_name))
			return t->records[i].text;
	return NULL;
}

uint64_t unit_table_address(const struct unit_table *t, const char *name)
{
	size_t symbol;
	const struct unit_record *r = find_definer(t, name, &symbol);

	return r ? r->placed[symbol].address : 0;
}

bool unit_record_source(const struct unit_record *r, uint32_t line, char *buf, size_t size)
{
	/* A text that is not known is "" after unit_table_decode(). */
	const char *at = r->text && *r->text ? r->text : NULL;
	size_t len;

	for (uint32_t i = 1; at && i < line; i++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at || !line || !size)
		return false;
	len = strcspn(at, "\n");
	if (len >= size)
		len = size - 1;
	memcpy(buf, at, len);
	buf[len] = '\0';
	return true;
}

struct candidate {
	const char *name;
	const struct unit_symbol *symbol; /* NULL: the name ends here */
	const struct placed_symbol *placed;
	uint32_t cell;
	size_t order;
};

static int by_name(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->order < y->order) - (x->order > y->order);
}

static int by_order(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

static size_t collect(const struct unit_table *t, struct candidate **ret)
{
	size_t committed = n_committed(t), n = 0, all = 0;
	struct candidate *c;

	for (size_t i = 0; i < committed; i++) /* a name takes at least two bytes */
		all += t->records[i].unit.n_symbols + t->records[i].ended.len / 2;
	c = malloc((all + 1) * sizeof(*c));
	for (size_t i = 0; c && i < committed; i++) {
		const struct unit_record *r = &t->records[i];

		for (size_t k = 0; k < r->unit.n_symbols; k++) {
			if (!r->placed[k].address)
				continue;
			c[n] = (struct candidate){ r->unit.symbols[k].name, &r->unit.symbols[k],
						   &r->placed[k], r->unit.cell, n };
			n++;
		}
		for (size_t at = 0; at < r->ended.len; at += strlen(r->ended.data + at) + 1) {
			c[n] = (struct candidate){ .name = r->ended.data + at, .order = n };
			n++;
		}
	}
	*ret = c;
	return n;
}

/* Keeps the newest symbol of each name, and sorts them in the order of their definition. */
static size_t keep_newest(struct candidate *c, size_t n)
{
	const char *last = "";
	size_t kept = 0;

	qsort(c, n, sizeof(*c), by_name);
	for (size_t i = 0; i < n; i++) {
		if (i && !strcmp(c[i].name, last))
			continue;
		last = c[i].name;
		if (c[i].symbol)
			c[kept++] = c[i];
	}
	qsort(c, kept, sizeof(*c), by_order);
	return kept;
}

static void make_variables(struct unit_table *t)
{
	struct candidate *c;
	size_t n = collect(t, &c);

	free(t->variables);
	t->n_variables = 0;
	t->variables = NULL;
	if (c) {
		n = keep_newest(c, n);
		t->variables = malloc((n + 1) * sizeof(*t->variables));
	}
	for (size_t i = 0; t->variables && i < n; i++) {
		t->variables[t->n_variables++] = (struct unit_variable){
			.name = c[i].name,
			.type = c[i].symbol->type,
			.type_code = c[i].symbol->type_code,
			.address = c[i].placed->address,
			.size = c[i].placed->size ? c[i].placed->size : c[i].symbol->size,
			.cell = c[i].cell,
			.is_function = c[i].symbol->is_function,
		};
	}
	if (!t->variables)
		log_error("out of memory for the list of variables");
	free(c);
	t->stale = false;
}

size_t unit_table_variables(struct unit_table *t, const struct unit_variable **ret)
{
	if (t->stale)
		make_variables(t);
	*ret = t->variables;
	return t->n_variables;
}
