/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expression is written into the text in front of a statement, as a declaration in a block of
 * its own, so that clang reads it with the names, the macros and the types of that place. Where the
 * statement begins is found by its tokens: behind a `;`, a bracket or a word that can stand in
 * front of one. Where that guess is wrong clang says so.
 */
#include "compiler/inspect/evaluation.h"

#include <string.h>

#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/base/record.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/frontend/compile.h"
#include "compiler/inspect/cursor.h"
#include "compiler/text/token.h"

void evaluation_release(struct evaluation *e)
{
	buffer_release(&e->program);
	buffer_release(&e->refusal);
}

/* ---- the place ---- */

/* Returns the bracket that is open in front of token i; TOKEN_NONE: none is. */
static uint32_t open_before(const struct token_list *l, uint32_t i)
{
	while (i--) {
		uint32_t match = l->at[i].match;

		if (match != TOKEN_NONE && match < i)
			i = match;
		else if (token_is(l, i, "(") || token_is(l, i, "[") || token_is(l, i, "{"))
			return i;
	}
	return TOKEN_NONE;
}

/* Tells whether a statement can begin behind token i. */
static bool ends_statement(const struct token_list *l, uint32_t i)
{
	static const char *const ends[] = { ";", "{", "}", ")", ":", "else", "do" };

	for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++)
		if (token_is(l, i, ends[k]))
			return true;
	return l->at[i].kind == TOKEN_DIRECTIVE;
}

/* Returns the byte at which the statement begins that the line is of. */
static uint32_t statement_at(const struct token_list *l, uint32_t line)
{
	uint32_t i = 0, open;

	while (i < l->n && l->at[i].line < line)
		i++;
	while (i && i <= l->n) {
		open = open_before(l, i);
		if (open != TOKEN_NONE && !token_is(l, open, "{"))
			i = open;
		else if (ends_statement(l, i - 1))
			break;
		else
			i--;
	}
	return i < l->n ? l->at[i].start : (uint32_t)l->len;
}

/* ---- the question ---- */

/* What is written into the text, and what clang says about it. */
struct asking {
	struct evaluation *to;
	long len;                /* of what is written, in bytes */
	long begin, end;         /* of that in the job's text */
	struct buffer complaint; /* the first error */
	bool is_answered;
};

static void on_diagnostic(void *context, const struct clang_diagnostic *d)
{
	struct asking *a = context;

	/* __typeof__ is not there for its own sake. */
	if (d->severity != CLANG_ERROR || d->kind == CLANG_BITS_OF_TYPEOF || a->complaint.len ||
	    d->offset < a->begin || d->offset > a->end)
		return;
	buffer_puts(&a->complaint, d->message);
	if (d->hint)
		buffer_printf(&a->complaint, ": %s", d->hint);
}

static void on_expression(void *context, const struct clang_expression *e)
{
	struct asking *a = context;
	struct buffer *out = &a->to->program;

	a->is_answered = true;
	/* Clang goes on with what it takes a misspelt name for. */
	if (a->complaint.len) {
		buffer_puts(&a->to->refusal, buffer_text(&a->complaint));
		return;
	}
	if (e->refusal) {
		buffer_puts(&a->to->refusal, e->refusal);
		return;
	}
	record_put_str(out, e->type);
	record_put_str(out, e->type_code);
	record_put_u8(out, (uint8_t)e->kind);
	record_put_u32(out, (uint32_t)e->n_locals);
	for (size_t i = 0; i < e->n_locals; i++) {
		record_put_str(out, e->locals[i].name);
		record_put_u32(out, e->locals[i].line);
	}
	record_put_u32(out, (uint32_t)e->n_variables);
	for (size_t i = 0; i < e->n_variables; i++)
		record_put_str(out, e->variables[i]);
	record_put_bytes(out, e->code, e->code_len);
}

static void ask(const struct clang_job *job, uint32_t line, uint32_t column)
{
	struct asking *a = job->context;
	struct clang_job own = *job;
	const char *at = job->text;

	for (uint32_t i = 1; i < line; i++)
		at = strchr(at, '\n') + 1;
	a->end = at - job->text + column - 1;
	a->begin = a->end - a->len;
	own.diagnostic = on_diagnostic;
	clang_shim_express(&own, line, column, on_expression);
}

/* Writes the text with the expression in it, and returns the place behind that. */
static uint32_t write_text(const char *text, uint32_t at, const char *expression,
			   struct buffer *out)
{
	uint32_t place;

	buffer_append(out, text, at);
	buffer_puts(out, "{ typedef __typeof__((");
	for (const char *c = expression; *c; c++)
		buffer_putc(out, *c == '\n' || *c == '\r' ? ' ' : *c);
	/* A comment in it ends here. */
	buffer_puts(out, "\n)) *" CLANG_EXPRESSION "; ");
	place = (uint32_t)out->len;
	buffer_puts(out, CURSOR_PLACEHOLDER "; } ");
	buffer_puts(out, text + at);
	return place;
}

static int find_statement(const char *text, uint32_t line, uint32_t *ret, struct error *err)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct token_list l;
	int failed = token_list_init(&l, text, strlen(text), &pool, err);

	if (!failed)
		*ret = statement_at(&l, line);
	mem_pool_release(&pool);
	return failed;
}

int evaluation_init(struct evaluation *ret, struct compiler *c, const char *text, uint32_t line,
		    const char *expression, struct error *err)
{
	cleanup_buffer struct buffer whole = BUFFER_INIT;
	struct asking a = { .to = ret };
	const struct cell_question q = { .ask = ask, .data = &a, .has_run = true };
	uint32_t at, place;
	int failed;

	if (find_statement(text, line, &at, err))
		return -1;
	place = write_text(text, at, expression, &whole);
	a.len = (long)(place - at);
	failed = buffer_check(&whole, err) || cursor_ask(c, buffer_text(&whole), place, &q, err);
	if (!failed && !a.is_answered)
		buffer_puts(&ret->refusal, a.complaint.len
						   ? buffer_text(&a.complaint)
						   : "nothing can be computed at this line");
	buffer_release(&a.complaint);
	if (failed || buffer_check(&ret->program, err) || buffer_check(&ret->refusal, err))
		return -1;
	return 0;
}
