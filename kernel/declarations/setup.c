/* SPDX-License-Identifier: Apache-2.0 */
/* Texts become C string literals, with octal escapes for special characters. */
#include "kernel/declarations/setup.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/record.h"

void setup_release(struct setup *s)
{
	setup_forget(s);
	buffer_release(&s->code);
}

void setup_again(struct setup *s)
{
	s->due = s->code.len;
	s->next = 0;
}

void setup_note_worker(struct setup *s, unsigned long long worker)
{
	if (s->worker && s->worker != worker)
		setup_again(s);
	s->worker = worker;
}

static void put_literal(struct buffer *out, const char *text)
{
	buffer_putc(out, '"');
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || *text == '/' || *text == '_')
			buffer_putc(out, *text);
		else
			buffer_printf(out, "\\%03o", (unsigned char)*text);
	}
	buffer_putc(out, '"');
}

void setup_add(struct setup *s, const char *function, const char *const *texts, const char *last)
{
	buffer_printf(&s->code, "(void)!%s(", function);
	for (size_t i = 0; texts[i]; i++) {
		buffer_puts(&s->code, i ? ", " : "");
		put_literal(&s->code, texts[i]);
	}
	buffer_printf(&s->code, "%s);\n", last);
	s->due = true;
}

/* ---- cells ---- */

static void cell_release(struct setup_cell *c)
{
	free(c->id);
	free(c->name);
	free(c->code);
}

void setup_forget(struct setup *s)
{
	while (s->n_cells)
		cell_release(&s->cells[--s->n_cells]);
	free(s->cells);
	s->cells = NULL;
	s->next = 0;
}

static struct setup_cell *find(struct setup *s, const char *id, const char *code)
{
	for (size_t i = 0; i < s->n_cells; i++)
		if (*id ? !strcmp(s->cells[i].id, id) : !strcmp(s->cells[i].code, code))
			return &s->cells[i];
	return NULL;
}

static bool forget(struct setup *s, size_t i)
{
	if (i == s->n_cells)
		return false;
	cell_release(&s->cells[i]);
	s->n_cells--;
	memmove(&s->cells[i], &s->cells[i + 1], (s->n_cells - i) * sizeof(s->cells[i]));
	s->next -= s->next > i;
	return true;
}

bool setup_forget_cell(struct setup *s, const char *id)
{
	size_t i = 0;

	while (i < s->n_cells && (!*id || strcmp(s->cells[i].id, id)))
		i++;
	return forget(s, i);
}

bool setup_forget_name(struct setup *s, const char *name)
{
	size_t i = 0;

	while (i < s->n_cells && strcmp(s->cells[i].name, name))
		i++;
	return forget(s, i);
}

static int add(struct setup *s, const struct setup_cell *c, struct error *err)
{
	struct setup_cell *grown = realloc(s->cells, (s->n_cells + 1) * sizeof(*grown));

	if (!grown)
		return error_set(err, ERROR_MEMORY, "out of memory for a cell that runs again");
	s->cells = grown;
	/* All cells before it have run, and so has this one. */
	s->next += s->next == s->n_cells;
	s->cells[s->n_cells++] = *c;
	return 0;
}

int setup_remember(struct setup *s, const char *id, const char *name, const char *code,
		   struct error *err)
{
	struct setup_cell c = { strdup(id), strdup(name), strdup(code), false };
	struct setup_cell *known = find(s, id, code);

	if (!c.id || !c.name || !c.code) {
		cell_release(&c);
		return error_set(err, ERROR_MEMORY, "out of memory for a cell that runs again");
	}
	if (known) {
		cell_release(known);
		*known = c;
		return 0;
	}
	if (!add(s, &c, err))
		return 0;
	cell_release(&c);
	return -1;
}

struct setup_cell *setup_next(struct setup *s, const char *id)
{
	for (; s->next < s->n_cells; s->next++) {
		struct setup_cell *c = &s->cells[s->next];

		if (!c->failed && (!*id || strcmp(c->id, id)))
			return c;
	}
	return NULL;
}

void setup_done(struct setup *s, struct setup_cell *c, bool failed)
{
	c->failed = failed;
	if (!failed)
		s->next = (size_t)(c - s->cells) + 1;
}

/* ---- snapshots ---- */

void setup_encode(const struct setup *s, struct buffer *out)
{
	record_put_str(out, buffer_text(&s->code));
	record_put_u32(out, (uint32_t)s->n_cells);
	for (size_t i = 0; i < s->n_cells; i++) {
		record_put_str(out, s->cells[i].id);
		record_put_str(out, s->cells[i].name);
		record_put_str(out, s->cells[i].code);
	}
}

int setup_decode(struct setup *s, struct record *r, struct error *err)
{
	struct setup taken = { .worker = s->worker };
	uint32_t n;

	buffer_puts(&taken.code, record_str(r));
	n = record_count(r, 15);
	for (uint32_t i = 0; i < n; i++) {
		const char *id = record_str(r), *name = record_str(r);

		if (setup_remember(&taken, id, name, record_str(r), err)) {
			setup_release(&taken);
			return -1;
		}
	}
	if (buffer_check(&taken.code, err)) {
		setup_release(&taken);
		return -1;
	}
	setup_release(s);
	*s = taken;
	setup_again(s);
	return 0;
}
