/* SPDX-License-Identifier: Apache-2.0 */
/* Units and pages are few in one report, so they are searched one by one. */
#include "kernel/presenter/session-view.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/presenter-protocol.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/presenter/unit-debug.h"

struct session_cell {
	uint32_t cell;
	const struct session_unit *unit; /* NULL: there is none */
};

struct session_page {
	uint64_t address;
	bool is_there;
	unsigned char bytes[PRESENTER_PAGE];
};

static void unit_free(struct session_unit *u)
{
	unit_debug_free(u->debug);
	unit_table_release(&u->table);
	free(u);
}

struct session_text {
	char *cell, *text; /* owned; text "": it is not known */
};

void session_view_release(struct session_view *v)
{
	while (v->n_texts) {
		free(v->texts[--v->n_texts].cell);
		free(v->texts[v->n_texts].text);
	}
	free(v->texts);
	while (v->n_units)
		unit_free(v->units[--v->n_units]);
	free(v->units);
	free(v->cells);
	free(v->pages);
	*v = (struct session_view){ .sock = v->sock };
}

static _Noreturn void give_up(const struct error *err)
{
	if (err->code != ERROR_PEER_GONE)
		log_error("%s", err->text);
	exit(err->code == ERROR_PEER_GONE ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Asks a question and waits for its answer, which the caller releases. */
static struct record ask(struct session_view *v, uint32_t question, const struct buffer *body,
			 uint32_t answer, struct ipc_message *ret)
{
	struct error err = ERROR_INIT;

	if (ipc_send_buffer(v->sock, question, body, &err) ||
	    ipc_receive(v->sock, -1, ret, &err) < 0)
		give_up(&err);
	if (ret->type != answer) {
		error_set(&err, ERROR_PROTOCOL, "message %u in place of %u", ret->type, answer);
		give_up(&err);
	}
	return record_open(ret->data, ret->len);
}

static int decode(struct session_unit *u, struct record *r, struct error *err)
{
	size_t len;
	const void *bytes = record_bytes(r, &len);

	if (record_check(r, "PRESENTER_RECORD", err))
		return -1;
	if (!len)
		return error_set(err, ERROR_NOT_FOUND, "the unit is gone");
	if (unit_table_decode(&u->table, bytes, len, err))
		return -1;
	if (u->table.n != 1)
		return error_set(err, ERROR_PROTOCOL, "%zu units in place of one", u->table.n);
	u->record = &u->table.records[0];
	return 0;
}

static const struct session_unit *fetch(struct session_view *v, uint64_t serial)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;
	struct session_unit *u = calloc(1, sizeof(*u));
	struct error err = ERROR_INIT;
	struct ipc_message m;
	struct record r;

	if (!u || !ARRAY_ROOM(v->units, v->n_units, &v->cap_units)) {
		free(u);
		return NULL;
	}
	u->serial = serial;
	u->no_debug = !v->reads_debug;
	unit_table_init(&u->table);
	record_put_u64(&body, serial);
	r = ask(v, PRESENTER_ASK_RECORD, &body, PRESENTER_RECORD, &m);
	if (decode(u, &r, &err)) {
		log_warning("a unit: %s", err.text);
		unit_free(u);
		u = NULL;
	} else {
		v->units[v->n_units++] = u;
	}
	ipc_message_release(&m);
	return u;
}

/* Asks which unit it is, and for the unit if it is not known yet. */
static const struct session_unit *find(struct session_view *v, uint32_t question,
				       const struct buffer *body, uint32_t answer)
{
	struct ipc_message m;
	struct record r = ask(v, question, body, answer, &m);
	bool is_there = record_u8(&r);
	uint64_t serial = record_u64(&r);

	is_there = is_there && !r.failed;
	ipc_message_release(&m);
	if (!is_there)
		return NULL;
	for (size_t i = 0; i < v->n_units; i++)
		if (v->units[i]->serial == serial)
			return v->units[i];
	return fetch(v, serial);
}

const struct session_unit *session_view_unit(struct session_view *v, uint32_t cell)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;
	const struct session_unit *u;

	if (!cell)
		return NULL;
	for (size_t i = 0; i < v->n_cells; i++)
		if (v->cells[i].cell == cell)
			return v->cells[i].unit;
	record_put_u32(&body, cell);
	u = find(v, PRESENTER_ASK_UNIT, &body, PRESENTER_UNIT);
	if (ARRAY_ROOM(v->cells, v->n_cells, &v->cap_cells))
		v->cells[v->n_cells++] = (struct session_cell){ cell, u };
	return u;
}

const struct session_unit *session_view_definer(struct session_view *v, const char *name)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	record_put_str(&body, name);
	return find(v, PRESENTER_ASK_DEFINER, &body, PRESENTER_DEFINER);
}

uint64_t session_view_address(struct session_view *v, const char *name)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;
	struct ipc_message m;
	struct record r;
	uint64_t address;

	record_put_str(&body, name);
	r = ask(v, PRESENTER_ASK_ADDRESS, &body, PRESENTER_ADDRESS, &m);
	address = record_u64(&r);
	ipc_message_release(&m);
	return address;
}

/* NULL: memory is out. */
static const struct session_text *fetch_text(struct session_view *v, const char *cell)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;
	struct session_text t;
	struct ipc_message m;
	struct record r;

	if (!ARRAY_ROOM(v->texts, v->n_texts, &v->cap_texts))
		return NULL;
	record_put_str(&body, cell);
	r = ask(v, PRESENTER_ASK_TEXT, &body, PRESENTER_TEXT, &m);
	t = (struct session_text){ strdup(cell), strdup(record_str(&r)) };
	ipc_message_release(&m);
	if (!t.cell || !t.text) {
		free(t.cell);
		free(t.text);
		return NULL;
	}
	v->texts[v->n_texts] = t;
	return &v->texts[v->n_texts++];
}

const char *session_view_text(struct session_view *v, const char *cell)
{
	const struct session_text *t = NULL;

	for (size_t i = 0; i < v->n_texts && !t; i++)
		if (!strcmp(v->texts[i].cell, cell))
			t = &v->texts[i];
	if (!t)
		t = fetch_text(v, cell);
	return t && *t->text ? t->text : NULL;
}

static const struct session_page *page_at(struct session_view *v, uint64_t address)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;
	struct session_page *p;
	struct ipc_message m;
	const void *bytes;
	struct record r;
	size_t len;

	for (size_t i = 0; i < v->n_pages; i++)
		if (v->pages[i].address == address)
			return &v->pages[i];
	if (!ARRAY_ROOM(v->pages, v->n_pages, &v->cap_pages))
		return NULL;
	record_put_u64(&body, address);
	r = ask(v, PRESENTER_ASK_MEMORY, &body, PRESENTER_MEMORY, &m);
	bytes = record_bytes(&r, &len);
	p = &v->pages[v->n_pages++];
	p->address = address;
	p->is_there = !r.failed && len == PRESENTER_PAGE;
	if (p->is_there)
		memcpy(p->bytes, bytes, PRESENTER_PAGE);
	ipc_message_release(&m);
	return p;
}

/* Returns where the bytes are. */
static uint64_t behind_windows(const struct session_view *v, uint64_t address, size_t len)
{
	for (size_t i = 0; i < DEVICE_WINDOWS; i++) {
		const struct device_stop_window *w = &v->windows[i];
		uint64_t offset = address - w->address;

		if (offset < w->size && len <= w->size - offset)
			return w->bytes + offset;
	}
	return address;
}

bool session_view_read(struct session_view *v, uint64_t address, void *ret, size_t len)
{
	char *to = ret;

	if (!v->has_memory)
		return false;
	address = behind_windows(v, address, len);
	while (len) {
		size_t at = address % PRESENTER_PAGE;
		size_t n = PRESENTER_PAGE - at < len ? PRESENTER_PAGE - at : len;
		const struct session_page *p = page_at(v, address - at);

		if (!p || !p->is_there)
			return false;
		memcpy(to, p->bytes + at, n);
		to += n;
		address += n;
		len -= n;
	}
	return true;
}

bool session_view_owner(struct session_view *v, uint64_t address, struct address_description *ret)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;
	struct ipc_message m;
	const void *bytes;
	struct record r;
	bool is_there;
	size_t len;

	if (!v->has_memory)
		return false;
	record_put_u64(&body, address);
	r = ask(v, PRESENTER_ASK_OWNER, &body, PRESENTER_OWNER, &m);
	bytes = record_bytes(&r, &len);
	is_there = !r.failed && len == sizeof(*ret);
	if (is_there) {
		memcpy(ret, bytes, len);
		ret->name[sizeof(ret->name) - 1] = '\0';
	}
	ipc_message_release(&m);
	return is_there;
}

static struct unit_debug *open_debug(const struct unit_record *r)
{
	cleanup_buffer struct buffer object = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct unit_debug *d = NULL;

	if (!r->unit.object_len)
		return NULL;
	unit_record_unpack(r->unit.object, r->unit.object_len, &object);
	if (object.len)
		d = unit_debug_new(object.data, object.len, &err);
	if (!d)
		log_warning("%s: %s", r->unit.cell_name,
			    *err.text ? err.text : "its object cannot be unpacked");
	return d;
}

struct unit_debug *session_unit_debug(const struct session_unit *u)
{
	struct session_unit *mine = (struct session_unit *)u; /* a cache */

	if (!mine->debug && !mine->no_debug) {
		mine->debug = open_debug(u->record);
		mine->no_debug = !mine->debug;
	}
	return mine->debug;
}
