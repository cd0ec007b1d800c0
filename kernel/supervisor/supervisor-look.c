/* SPDX-License-Identifier: Apache-2.0 */
/* supervisor_look(): sends the compiler the device code to show, and the source text of the cells
 * that its lines come from. */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/supervisor/supervisor.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/compiler-client.h"
#include "kernel/workers/worker-pool.h"

static void put_unit(const char *cell, const void *ptx, size_t ptx_len, const void *object,
		     size_t object_len, struct buffer *out)
{
	record_put_str(out, cell);
	record_put_bytes(out, ptx, ptx_len);
	record_put_bytes(out, object, object_len);
}

/* Tells whether the object may hold device code: a program of nvcc has its PTX in the object and
 * nothing beside it. */
static bool may_hold_more(const struct unit *u)
{
	return !u->n_symbols && u->object_len;
}

static void put_record(const struct unit_record *r, struct buffer *out)
{
	cleanup_buffer struct buffer ptx = BUFFER_INIT, object = BUFFER_INIT;

	unit_record_unpack(r->unit.ptx, r->unit.ptx_len, &ptx);
	if (may_hold_more(&r->unit))
		unit_record_unpack(r->unit.object, r->unit.object_len, &object);
	put_unit(r->unit.cell_name, ptx.data, ptx.len, object.data, object.len, out);
	out->failed |= ptx.failed || object.failed;
}

static void put_session(const struct unit_table *t, struct buffer *out)
{
	cleanup_buffer struct buffer units = BUFFER_INIT;
	uint32_t n = 0;

	for (size_t i = t->n; i-- > 0;) {
		if (!t->records[i].unit.ptx_len && !may_hold_more(&t->records[i].unit))
			continue;
		put_record(&t->records[i], &units);
		n++;
	}
	record_put_u32(out, n);
	buffer_append(out, units.data, units.len);
	out->failed |= units.failed;
}

/* Appends the texts of the cells; the newest run of a cell has its text. */
static void put_sources(const struct supervisor *s, const struct unit *unit, struct buffer *out)
{
	cleanup_buffer struct buffer texts = BUFFER_INIT;
	uint32_t n = 0;

	if (unit && s->cell_text) {
		record_put_str(&texts, unit->cell_name);
		record_put_str(&texts, s->cell_text);
		n++;
	}
	for (size_t i = s->units.n; i-- > 0;) {
		const struct unit_record *r = &s->units.records[i];

		if (!r->text)
			continue;
		record_put_str(&texts, r->unit.cell_name);
		record_put_str(&texts, r->text);
		n++;
	}
	record_put_u32(out, n);
	buffer_append(out, texts.data, texts.len);
	out->failed |= texts.failed;
}

static void on_looked(void *data, uint32_t type, const void *payload, size_t len)
{
	struct supervisor *s = data;

	s->compiling = false;
	s->on_looked(s->looked_data, type, payload, len);
}

int supervisor_look(struct supervisor *s, const struct supervisor_look *q, compiler_answer *cb,
		    void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	const struct unit *u = q->unit;

	record_put_u8(&b, q->kind);
	record_put_str(&b, q->name);
	record_put_u32(&b, q->sm ? q->sm : worker_pool_device_sm(s));
	record_put_u32(&b, q->threads);
	record_put_u32(&b, q->dynamic_shared);
	if (u) {
		record_put_u32(&b, 1);
		put_unit(u->cell_name, u->ptx, u->ptx_len, u->object,
			 may_hold_more(u) ? u->object_len : 0, &b);
	} else {
		put_session(&s->units, &b);
	}
	put_sources(s, u, &b);
	s->on_looked = cb;
	s->looked_data = data;
	if (compiler_client_ask(s->compiler, COMPILER_LOOK, &b, 0, on_looked, s, err))
		return -1;
	s->compiling = true;
	return 0;
}
