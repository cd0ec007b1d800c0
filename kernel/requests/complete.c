/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be listed depends on the place: the name of a magic, its arguments or body, or code.
 * Words that this process knows are answered at once. Files, programs and packages are listed by
 * the compiler, as names of code are: a folder may be large, or on a disk that does not answer.
 */
#include "kernel/requests/complete.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "kernel/base/utf8.h"
#include "kernel/magics/magic-script.h"
#include "kernel/magics/magic-table.h"
#include "kernel/session/magic.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/show/variable-name.h"
#include "kernel/supervisor/supervisor.h"

/* The words that are found, for the text between two places of the code. */
struct completion {
	struct request *request;
	const char *code;        /* borrowed from the request */
	size_t cursor;           /* in bytes, as all places here */
	size_t offset;           /* where the text starts that the compiler was asked about */
	char *typed;             /* of the word at the cursor; owned; NULL: all is found by place */
	json_int_t from, to;     /* what a word replaces, in characters */
	json_t *matches, *types; /* owned */
};

static void set_range(struct completion *x, size_t start, size_t end)
{
	x->from = (json_int_t)utf8_chars(x->code, start);
	x->to = (json_int_t)utf8_chars(x->code, end);
}

static struct completion *completion_new(struct request *r)
{
	struct completion *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->request = r;
	x->code = request_text(r, "code");
	x->cursor = request_cursor(r, x->code);
	set_range(x, x->cursor, x->cursor);
	x->matches = json_array();
	x->types = json_array();
	request_keep(r);
	return x;
}

/* Answers with what was found, and frees. */
static void reply(struct completion *x)
{
	request_reply(x->request,
		      json_pack("{ss sO sI sI s{sO}}", "status", "ok", "matches", x->matches,
				"cursor_start", x->from, "cursor_end", x->to, "metadata",
				"_jupyter_types_experimental", x->types));
	json_decref(x->matches);
	json_decref(x->types);
	request_end(x->request);
	free(x->typed);
	free(x);
}

static void add(struct completion *x, const char *word, const char *type, const char *signature)
{
	/* A name of a file may be no text. */
	json_t *text = json_string(word);

	if (!text)
		return;
	json_array_append_new(x->matches, text);
	json_array_append_new(x->types,
			      json_pack("{sI sI ss ss ss}", "start", x->from, "end", x->to, "text",
					word, "type", type, "signature", signature));
}

/* Takes what was typed of the word that starts here. -1: memory is out. */
static int take_typed(struct completion *x, size_t start)
{
	x->typed = strndup(x->code + start, x->cursor - start);
	set_range(x, start, x->cursor);
	return x->typed ? 0 : -1;
}

/* Takes a word that begins with what was typed. */
static void add_candidate(void *data, const char *word, const char *type)
{
	struct completion *x = data;

	if (!strncmp(word, x->typed, strlen(x->typed)))
		add(x, word, type, "");
}

static void on_completed(void *data, uint32_t type, const void *payload, size_t len)
{
	struct completion *x = data;
	struct record r = record_open(payload, payload ? len : 0);

	if (payload && type == COMPILER_COMPLETED) {
		size_t start = record_u32(&r), end = record_u32(&r);

		set_range(x, x->offset + start, x->offset + end);
		for (uint32_t n = record_count(&r, 12); n; n--) {
			const char *text = record_str(&r), *kind = record_str(&r),
				   *signature = record_str(&r);

			add(x, text, kind, signature);
		}
	}
	reply(x);
}

/* ---- code ---- */

/* Completes code; NULL: memory is out. */
static void complete_code(struct completion *x, const char *code)
{
	if (!code || supervisor_complete(x->request->session->supervisor, code, x->cursor,
					 on_completed, x, NULL))
		reply(x);
}

/* Completes a name that is an argument of a magic, as if it stood in the cell by itself. */
static void complete_name(struct completion *x)
{
	cleanup_free char *code = magic_blank(x->code);
	size_t len = strlen(x->typed);

	if (code)
		memcpy(code + x->cursor - len, x->typed, len);
	complete_code(x, code);
}

/* ---- magics ---- */

static void add_magics(struct completion *x)
{
	const struct magic *m;

	for (size_t i = 0; (m = magic_table[i]); i++)
		if (isalpha((unsigned char)*m->name) &&
		    !strncmp(m->name, x->typed, strlen(x->typed)))
			add(x, m->name, "magic", m->usage);
}

static void add_variables(struct completion *x)
{
	const struct unit_variable *v;
	size_t n = supervisor_variables(x->request->session->supervisor, &v);
	char name[VARIABLE_NAME_SIZE];

	for (size_t i = 0; i < n; i++)
		add_candidate(x, variable_name(v[i].name, v[i].is_function, name),
			      v[i].is_function ? "function" : "variable");
}

static void ask_words(struct completion *x, enum compiler_word kind)
{
	x->offset = x->cursor - strlen(x->typed);
	if (supervisor_words(x->request->session->supervisor, kind, x->typed, on_completed, x,
			     NULL))
		reply(x);
}

/* Tells whether the next word of a shell command is the name of a program. */
static bool is_at_command(const char *before)
{
	size_t len = strlen(before);

	while (len && isspace((unsigned char)before[len - 1]))
		len--;
	return !len || strchr("|&;(", before[len - 1]);
}

static void complete_word(struct completion *x, enum magic_word word, const char *before)
{
	switch (word) {
	case MAGIC_WORD_CODE:
		complete_name(x);
		return;
	case MAGIC_WORD_FILE:
		ask_words(x, COMPILER_WORD_FILE);
		return;
	case MAGIC_WORD_FOLDER:
		ask_words(x, COMPILER_WORD_FOLDER);
		return;
	case MAGIC_WORD_SHELL:
		ask_words(x, is_at_command(before) ? COMPILER_WORD_PROGRAM : COMPILER_WORD_FILE);
		return;
	case MAGIC_WORD_PACKAGE:
		ask_words(x, COMPILER_WORD_PACKAGE);
		return;
	case MAGIC_WORD_VARIABLE:
		add_variables(x);
		break;
	case MAGIC_WORD_MAGIC:
		add_magics(x);
		break;
	case MAGIC_WORD_NONE:
		break;
	}
	reply(x);
}

/* Completes a word of the arguments, or of the body. */
static void complete_argument(struct completion *x, const struct magic_place *p)
{
	const struct magic *m = p->magic;
	cleanup_free char *before = strndup(x->code + p->args, p->start - p->args);
	enum magic_word word = p->in_body ? m->body : m->word;

	if (!before || take_typed(x, p->start)) {
		reply(x);
		return;
	}
	if (m->complete && !p->in_body)
		word = m->complete(x->request->session, before, add_candidate, x);
	if (m->words && !*before && !p->in_body)
		magic_offer(m->words, add_candidate, x);
	complete_word(x, word, before);
}

void complete_request(struct request *r)
{
	struct completion *x = completion_new(r);
	struct magic_place place;
	size_t start;

	if (!x) {
		request_fail(r, "OutOfMemory", "the kernel process is out of memory");
	} else if (magic_name_at(x->code, x->cursor, &start)) {
		if (!take_typed(x, start))
			add_magics(x);
		reply(x);
	} else if (magic_place_at(x->code, x->cursor, &place)) {
		complete_argument(x, &place);
	} else {
		cleanup_free char *code = magic_blank(x->code);

		complete_code(x, code);
	}
}
