/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures come from two texts. The directives of an entry in PTX are rows of a listing, read one
 * by one. In the log of ptxas a line names a function and the lines behind it belong to that
 * function, until `Used N registers`, after which its entry is complete and takes no more. Shared
 * memory is as ptxas tells, and without it as PTX declares. `.extern .shared` stands outside of
 * entries, so one makes shared memory dynamic for all entries of the text.
 */
#include "compiler/inspect/resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/text/html-text.h"
#include "compiler/inspect/occupancy.h"

static const uint32_t usual_sizes[] = { 64, 128, 256, 512, 1024 };

void resources_release(struct resources_list *r)
{
	free(r->at);
	*r = (struct resources_list){ 0 };
}

static struct resources *find(const struct resources_list *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->at[i].name, name))
			return &r->at[i];
	return NULL;
}

/* ---- what PTX declares ---- */

static uint32_t type_bytes(const char *type)
{
	unsigned bits = 0;

	type += strcspn(type, "0123456789");
	return sscanf(type, "%u", &bits) == 1 ? bits / 8 : 0;
}

/* Reads `.reg .b32 %r<15>;`, which declares %r0 to %r14, of which code uses 1 to 14. */
static void read_registers(struct resources *r, const char *row)
{
	char type[16];
	const char *range = strchr(row, '<');
	uint32_t n = range ? (uint32_t)strtoul(range + 1, NULL, 10) : 1;

	if (sscanf(row, ".reg .%15s", type) != 1)
		return;
	n -= range && n;
	if (!strcmp(type, "pred"))
		r->predicates += n;
	else
		r->virtual += n * ((type_bytes(type) + 3) / 4);
}

/* Returns the size in `.shared .align 4 .b8 name[256];`. */
static uint32_t declared_bytes(const char *row)
{
	const char *type = strstr(row, " ."), *bracket = strchr(row, '[');
	unsigned long n = bracket ? strtoul(bracket + 1, NULL, 10) : 1;

	if (type && !strncmp(type, " .align", 7))
		type = strstr(type + 7, " .");
	return type ? (uint32_t)(n * type_bytes(type)) : 0;
}

static void read_row(struct resources *r, const char *row)
{
	unsigned x, y = 1, z = 1;

	if (!strncmp(row, ".reg ", 5))
		read_registers(r, row);
	else if (!strncmp(row, ".shared ", 8))
		r->shared += declared_bytes(row);
	else if (!strncmp(row, ".local ", 7))
		r->local += declared_bytes(row);
	else if (sscanf(row, ".maxntid %u, %u, %u", &x, &y, &z) >= 1 ||
		 sscanf(row, ".reqntid %u, %u, %u", &x, &y, &z) >= 1)
		r->max_threads = x * y * z;
}

static bool has_dynamic_shared(const struct listing *l)
{
	for (size_t i = 0; i < l->n_rows; i++)
		if (l->rows[i].kind == LISTING_OTHER &&
		    !strncmp(l->rows[i].text, ".extern .shared", 15))
			return true;
	return false;
}

static void add_entry(struct resources_list *r, const struct listing *l,
		      const struct listing_function *f, const char *cell, struct mem_pool *pool)
{
	struct resources *grown = realloc(r->at, (r->n + 1) * sizeof(*grown)), *e;

	if (!grown) {
		r->failed = true;
		return;
	}
	r->at = grown;
	e = &r->at[r->n];
	*e = (struct resources){ .name = mem_pool_strdup(pool, f->name),
				 .shown = mem_pool_strdup(pool, f->shown),
				 .cell = mem_pool_strdup(pool, cell),
				 .dynamic_shared = has_dynamic_shared(l) };
	if (!e->name || !e->shown || !e->cell) {
		r->failed = true;
		return;
	}
	for (size_t k = f->first; k < f->first + f->n; k++)
		if (l->rows[k].kind == LISTING_OTHER)
			read_row(e, l->rows[k].text);
	r->n++;
}

void resources_add(struct resources_list *r, const struct listing *l, const char *name,
		   const char *cell, struct mem_pool *pool)
{
	for (size_t i = 0; i < l->n_functions; i++)
		if (l->functions[i].is_entry && listing_function_is(&l->functions[i], name) &&
		    !find(r, l->functions[i].name))
			add_entry(r, l, &l->functions[i], cell, pool);
}

/* ---- what ptxas says ---- */

static void read_figures(struct resources *r, const char *line)
{
	const char *used = strstr(line, "Used "), *smem = strstr(line, " bytes smem");
	unsigned n;

	if (sscanf(line, " %u bytes stack frame, %u bytes spill stores, %u bytes spill loads",
		   &r->stack, &r->spill_stores, &r->spill_loads) == 3 ||
	    !used || sscanf(used, "Used %u registers", &r->registers) != 1)
		return;
	r->assembled = true;
	if (strstr(line, "used ") && sscanf(strstr(line, "used "), "used %u barriers", &n) == 1)
		r->barriers = n;
	while (smem && smem > line && smem[-1] != ' ')
		smem--;
	if (smem)
		r->assembled_shared = (uint32_t)strtoul(smem, NULL, 10);
	for (const char *at = line; (at = strstr(at, " bytes cmem")); at++) {
		r->has_constant = true;
		const char *number = at;

		while (number > line && number[-1] != ' ')
			number--;
		r->constant += (uint32_t)strtoul(number, NULL, 10);
	}
}

static struct resources *named_in(const struct resources_list *r, const char *line,
				  struct resources *now)
{
	static const char *const heads[] = { "Compiling entry function '",
					     "Function properties for " };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const char *at = strstr(line, heads[i]);
		char name[1024];

		if (!at)
			continue;
		at += strlen(heads[i]);
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "' \n"), at);
		return find(r, name);
	}
	return now;
}

void resources_read_log(struct resources_list *r, const char *log)
{
	struct resources *now = NULL;

	while (*log) {
		size_t len = strcspn(log, "\n");
		char line[2048];

		snprintf(line, sizeof(line), "%.*s", (int)len, log);
		now = named_in(r, line, now);
		if (now && !now->assembled)
			read_figures(now, line);
		log += len + (log[len] == '\n');
	}
}

/* ---- the table ---- */

static uint32_t shared_of(const struct resources *r, const struct resources_view *v)
{
	return (r->assembled ? r->assembled_shared : r->shared) + v->dynamic_shared;
}

static size_t n_sizes(const struct resources_view *v)
{
	return v->threads ? 1 : sizeof(usual_sizes) / sizeof(usual_sizes[0]);
}

static uint32_t size_at(const struct resources_view *v, size_t i)
{
	return v->threads ? v->threads : usual_sizes[i];
}

/* Computes the occupancy. False: a block of this size cannot be launched, or the device is not
 * known. */
static bool occupancy(const struct resources *r, const struct resources_view *v, uint32_t threads,
		      struct occupancy *ret)
{
	return (!r->max_threads || threads <= r->max_threads) &&
	       !occupancy_of(v->sm, threads, r->registers, shared_of(r, v), ret);
}

static uint32_t percent(const struct occupancy *o)
{
	return o->warps * 100 / o->warps_max;
}

static void put_note(const struct resources_view *v, struct buffer *out)
{
	buffer_printf(out, "sm_%u. ", v->sm);
	if (*v->problem)
		buffer_printf(out,
			      "%s Without it registers and spills of a GPU are not known, and "
			      "occupancy leaves registers out.",
			      v->problem);
	else
		buffer_puts(out, "Registers, spills, stack, shared and constant memory are those "
				 "of the machine code that ptxas makes for it.");
	buffer_puts(out, " Virtual registers are what PTX declares (in 32 bits, predicates aside); "
			 "the emulated device works on these, and no number of them limits it.");
}

/* Formats a figure from ptxas, or "-". */
static const char *figure(bool known, uint32_t n, char ret[16])
{
	snprintf(ret, 16, known ? "%u" : "-", n);
	return ret;
}

static void put_entry(const struct resources *r, const struct resources_view *v, struct buffer *out)
{
	char a[16], b[16], c[16], d[16], e[16];

	buffer_printf(
		out,
		"%s  (%s)\n  registers %s a thread (virtual %u, predicates %u), spills %s bytes "
		"stored and %s loaded, stack %s bytes, local %u\n  shared %u bytes a block%s, "
		"constant %s bytes\n",
		r->shown, r->cell, figure(r->assembled, r->registers, a), r->virtual, r->predicates,
		figure(r->assembled, r->spill_stores, b), figure(r->assembled, r->spill_loads, c),
		figure(r->assembled, r->stack, d), r->local, shared_of(r, v),
		r->dynamic_shared && !v->dynamic_shared ? " and what the launch asks for" : "",
		figure(r->has_constant, r->constant, e));
	for (size_t i = 0; i < n_sizes(v); i++) {
		struct occupancy o;

		if (occupancy(r, v, size_at(v, i), &o))
			buffer_printf(out,
				      "  blocks of %4u: %2u blocks an SM, %2u of %u warps, "
				      "occupancy %3u %%, limited by %s\n",
				      size_at(v, i), o.blocks, o.warps, o.warps_max, percent(&o),
				      o.limit);
	}
}

void resources_text(const struct resources_list *r, const struct resources_view *v,
		    struct buffer *out)
{
	put_note(v, out);
	buffer_putc(out, '\n');
	for (size_t i = 0; i < r->n; i++) {
		buffer_putc(out, '\n');
		put_entry(&r->at[i], v, out);
	}
}

static void put_escaped(const char *text, struct buffer *out)
{
	html_text(out, text, strlen(text));
}

static void put_occupancy(const struct resources *r, const struct resources_view *v,
			  uint32_t threads, struct buffer *out)
{
	struct occupancy o;

	if (!occupancy(r, v, threads, &o)) {
		buffer_puts(out, "<td>-</td>");
		return;
	}
	buffer_printf(out,
		      "<td title=\"%u blocks an SM, %u of %u warps\" "
		      "style=\"background:rgba(52,168,83,%.2f)\">%u&#160;%% <small>%s</small></td>",
		      o.blocks, o.warps, o.warps_max, percent(&o) / 250.0, percent(&o), o.limit);
}

static void put_row(const struct resources *r, const struct resources_view *v, struct buffer *out)
{
	char a[16], b[16], c[16], d[16], e[16];

	buffer_puts(out, "<tr><td style=\"text-align:left\"><code>");
	put_escaped(r->shown, out);
	buffer_puts(out, "</code> <small>");
	put_escaped(r->cell, out);
	buffer_printf(out,
		      "</small></td><td>%s</td><td>%u</td><td>%s / "
		      "%s</td><td>%s</td><td>%u</td><td>%u%s</td><td>%s</td>",
		      figure(r->assembled, r->registers, a), r->virtual,
		      figure(r->assembled, r->spill_stores, b),
		      figure(r->assembled, r->spill_loads, c), figure(r->assembled, r->stack, d),
		      r->local, shared_of(r, v),
		      r->dynamic_shared && !v->dynamic_shared ? " + launch" : "",
		      figure(r->has_constant, r->constant, e));
	for (size_t i = 0; i < n_sizes(v); i++)
		put_occupancy(r, v, size_at(v, i), out);
	buffer_puts(out, "</tr>\n");
}

void resources_html(const struct resources_list *r, const struct resources_view *v,
		    struct buffer *out)
{
	cleanup_buffer struct buffer note = BUFFER_INIT;

	buffer_puts(out, "<div>\n<table><thead><tr><th "
			 "style=\"text-align:left\">entry</th><th>registers</th><th>virtual</"
			 "th><th>spill bytes<br/>st / "
			 "ld</th><th>stack</th><th>local</th><th>shared</th><th>constant</th>");
	for (size_t i = 0; i < n_sizes(v); i++)
		buffer_printf(out, "<th>occupancy,<br/>blocks of %u</th>", size_at(v, i));
	buffer_puts(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < r->n; i++)
		put_row(&r->at[i], v, out);
	buffer_puts(out, "</tbody></table>\n<p><small>");
	put_note(v, &note);
	put_escaped(buffer_text(&note), out);
	buffer_puts(out, "</small></p></div>\n");
}
