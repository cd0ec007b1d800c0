/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled code cannot get checks afterwards, so the texts of all earlier cells that define a
 * newest function go to the compiler again with the request. Their units come back encoded, and the
 * same bytes go to the worker unchanged. Each also gets a record in the unit table while the cell
 * runs, so that addresses in the new code lead to the lines of its cell. The findings are put in
 * words by cgpu-presenter.
 */
#include "kernel/faults/memcheck.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/faults/fault-report.h"
#include "kernel/units/unit-table.h"

#define NOTHING_KEPT "Nothing of a checked cell is kept: it ran in a worker that was thrown away."

void memcheck_release(struct memcheck *m)
{
	buffer_release(&m->units);
	buffer_release(&m->refused);
}

static bool has_newest_function(const struct unit_table *units, const struct unit_record *r)
{
	for (size_t i = 0; i < r->unit.n_symbols; i++)
		if (r->unit.symbols[i].is_function &&
		    unit_table_definer(units, r->unit.symbols[i].name) == r)
			return true;
	return false;
}

void memcheck_put_request(struct memcheck *m, bool on, const struct unit_table *units,
			  struct buffer *out)
{
	cleanup_buffer struct buffer cells = BUFFER_INIT;
	uint32_t n = 0;

	m->on = on;
	for (size_t i = 0; on && i < units->n; i++) {
		const struct unit_record *r = &units->records[i];

		if (!r->text || !has_newest_function(units, r))
			continue;
		record_put_u32(&cells, r->unit.cell);
		record_put_str(&cells, r->unit.cell_name);
		record_put_str(&cells, r->text);
		n++;
	}
	record_put_u8(out, on);
	record_put_u32(out, n);
	buffer_append(out, cells.data, cells.len);
}

int memcheck_take_answer(struct memcheck *m, struct record *r, struct error *err)
{
	uint32_t n = record_count(r, 4);

	buffer_clear(&m->units);
	buffer_clear(&m->refused);
	record_put_u32(&m->units, n);
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const void *unit = record_bytes(r, &len);

		record_put_bytes(&m->units, unit, len);
	}
	n = record_count(r, 1);
	for (uint32_t i = 0; i < n; i++)
		buffer_printf(&m->refused, "%s%s", m->refused.len ? ", " : "", record_str(r));
	return record_check(r, "a checked unit", err) || buffer_check(&m->units, err) ? -1 : 0;
}

int memcheck_begin(const struct memcheck *m, struct unit_table *units, struct error *err)
{
	struct record r = record_open(m->units.data, m->units.len);
	uint32_t n = m->on ? record_count(&r, 4) : 0;

	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const void *encoded = record_bytes(&r, &len);
		const struct unit_record *like;
		struct unit u;
		int failed;

		if (unit_decode(encoded, len, &u, err))
			return -1;
		like = unit_table_find(units, u.cell);
		failed = unit_table_begin(units, &u, like ? like->text : NULL, err);
		unit_release(&u);
		if (failed)
			return -1;
	}
	return 0;
}

void memcheck_put_units(const struct memcheck *m, struct buffer *out)
{
	if (m->on)
		buffer_append(out, m->units.data, m->units.len);
	else
		record_put_u32(out, 0);
}

/* ---- the report ---- */

static void put_refused(const struct memcheck *m, struct buffer *out)
{
	if (m->refused.len)
		buffer_printf(out,
			      "Not checked: functions of %s (C++, or they do not compile again by "
			      "themselves).\n",
			      buffer_text(&m->refused));
}

void memcheck_report(const struct memcheck *m, const char *first, const char *all,
		     struct fault_report *ret)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	/* fault_report_plain() makes the empty line in front. */
	buffer_puts(&text, all + (*all == '\n'));
	buffer_putc(&text, '\n');
	put_refused(m, &text);
	buffer_puts(&text, NOTHING_KEPT);
	fault_report_plain(ret, "MemcheckError", first, buffer_text(&text));
}

void memcheck_add(const struct memcheck *m, const char *all, struct fault_report *r)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (*all)
		buffer_printf(&text, "Before that the check of memory had found:\n%s", all);
	put_refused(m, &text);
	if (text.len)
		fault_report_add(r, buffer_text(&text));
}

void memcheck_put_clean(const struct memcheck *m, struct buffer *out)
{
	buffer_puts(out, "memcheck: no bad access to memory. " NOTHING_KEPT "\n");
	put_refused(m, out);
}
