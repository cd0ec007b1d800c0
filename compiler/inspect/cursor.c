/* SPDX-License-Identifier: Apache-2.0 */
/* The cell is made a unit as for a compilation; text that does not compile is the normal case. */
#include "compiler/inspect/cursor.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/frontend/beyond-c.h"
#include "compiler/frontend/compile-cuda.h"
#include "compiler/frontend/compile.h"
#include "compiler/frontend/host-text.h"

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       (unsigned char)c >= 0x80;
}

struct cursor cursor_at(const char *text, uint32_t at, bool whole)
{
	size_t len = strlen(text);
	struct cursor k = { at < len ? at : (uint32_t)len, at < len ? at : (uint32_t)len };

	while (k.start && is_word(text[k.start - 1]))
		k.start--;
	while (whole && is_word(text[k.end]))
		k.end++;
	return k;
}

void cursor_put_text(const struct cursor *k, const char *text, struct buffer *out)
{
	buffer_append(out, text, k->end);
	buffer_puts(out, k->start == k->end ? CURSOR_PLACEHOLDER : "");
	buffer_puts(out, text + k->end);
}

bool cursor_is_in_code(const char *text, size_t len, uint32_t at)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct token_list l;
	bool found = false;

	if (!token_list_init(&l, text, len, &pool, NULL))
		for (uint32_t i = 0; i < l.n && !found; i++)
			found = l.at[i].kind == TOKEN_NAME && l.at[i].start <= at &&
				at < l.at[i].end;
	mem_pool_release(&pool);
	return found;
}

/* Returns the place of the path that the directive includes, with its `<` or `"`; 0: it includes
 * nothing, or its path ends in front of this byte. */
static uint32_t path_in(const struct token_list *l, uint32_t i, uint32_t at)
{
	size_t len;
	const char *path = token_directive_rest(l, i, &len);
	uint32_t start = (uint32_t)(path - l->text);

	if ((!token_directive_is(l, i, "include") && !token_directive_is(l, i, "include_next")) ||
	    start >= at || (*path != '<' && *path != '"') ||
	    memchr(path + 1, *path == '<' ? '>' : '"', at - start - 1))
		return 0;
	return start;
}

uint32_t cursor_in_include(const char *text, uint32_t at)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct token_list l;
	uint32_t found = 0;

	if (!token_list_init(&l, text, strlen(text), &pool, NULL))
		for (uint32_t i = 0; i < l.n && !found; i++)
			if (l.at[i].kind == TOKEN_DIRECTIVE && at <= l.at[i].end)
				found = path_in(&l, i, at);
	mem_pool_release(&pool);
	return found;
}

bool cursor_is_of_member(const char *text, uint32_t at)
{
	while (at && (text[at - 1] == ' ' || text[at - 1] == '\t' || text[at - 1] == '\n'))
		at--;
	return at &&
	       (text[at - 1] == '.' || (at > 1 && text[at - 1] == '>' && text[at - 2] == '-') ||
		(at > 1 && text[at - 1] == ':' && text[at - 2] == ':'));
}

/* Returns the place of a byte of the cell in the unit; -1 when it was left out. */
static long unit_offset(const struct unit_text *u, uint32_t at)
{
	for (uint32_t i = 0; i < u->n; i++) {
		const struct unit_text_segment *s = &u->segments[i];

		if (at >= s->cell && at - s->cell < s->end - s->start)
			return (long)(s->start + (at - s->cell));
	}
	return -1;
}

static void ask_about(struct compiler *c, const struct host_text *h, uint32_t at,
		      const struct cell_question *q)
{
	struct clang_job job = {
		.options = options_get(&c->options, c->cflags ? c->cflags : "", &c->session, NULL),
		.name = "cell",
		.text = buffer_text(&h->unit.text),
		.len = h->unit.text.len,
		.context = q->data,
	};
	long place = unit_offset(&h->unit, at);
	uint32_t line, column;

	if (place < 0 || !job.options)
		return;
	text_position(job.text, job.len, (size_t)place, &line, &column);
	q->ask(&job, line, column);
}

int cursor_ask_path(struct compiler *c, const char *path, const struct cell_question *q,
		    struct error *err)
{
	static const char directive[] = "#include ";
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct clang_job job = {
		.options = options_get_cpp(&c->options, c->cflags ? c->cflags : "", NULL),
		.name = "cell",
		.context = q->data,
	};

	buffer_printf(&text, "%s%s" CURSOR_PLACEHOLDER "\n", directive, path);
	if (buffer_check(&text, err))
		return -1;
	job.text = text.data;
	job.len = text.len;
	if (job.options)
		q->ask(&job, 1, (uint32_t)(strlen(directive) + strlen(path) + 1));
	return 0;
}

static int ask_about_cuda(struct compiler *c, const char *text, uint32_t at,
			  const struct cell_question *q, struct error *err)
{
	struct mem_pool pool = MEM_POOL_INIT;
	const char *code = compile_cuda_as_cpp(text, &pool);
	int failed = code ? compile_cpp_ask(c, code, at, q, err)
			  : error_set(err, ERROR_MEMORY, "out of memory for a question");

	mem_pool_release(&pool);
	return failed;
}

static int ask_about_c(struct compiler *c, const char *text, uint32_t at,
		       const struct cell_question *q, struct error *err)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct host_text h;
	int failed = host_text_init(&h, text, strlen(text), 0, "cell", &c->session, &pool, err);
	bool is_cpp = !failed && beyond_c(&h.tokens);

	if (!failed && !is_cpp)
		failed = host_text_write(&h, &c->session, err);
	if (!failed && !is_cpp)
		ask_about(c, &h, at, q);
	host_text_release(&h);
	mem_pool_release(&pool);
	return is_cpp ? compile_cpp_ask(c, text, at, q, err) : failed;
}

int cursor_ask(struct compiler *c, const char *text, uint32_t at, const struct cell_question *q,
	       struct error *err)
{
	if (compiler_takes_for_cpp(c, text))
		return compile_cpp_ask(c, text, at, q, err);
	return compile_cuda_is(text) ? ask_about_cuda(c, text, at, q, err)
				     : ask_about_c(c, text, at, q, err);
}
