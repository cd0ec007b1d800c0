/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell is compiled as C first, unless its first line, the session or its tokens make it C++ or
 * CUDA. As C it is compiled in a loop: clang's errors about names change the text, and every turn
 * settles at least one more name, so that the loop ends. A cell that fails is tried without the
 * declarations of the session that its errors point at, then as C++. If both languages fail, the
 * errors shown are in general those of the one that has read further. A unit without warnings goes
 * into a cache on disk, keyed by the text that clang would read, the headers and the flags.
 */
#include "compiler/frontend/compile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/cache-folder.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/frontend/beyond-c.h"
#include "compiler/frontend/cell-names.h"
#include "compiler/frontend/cell-pieces.h"
#include "compiler/frontend/compile-cpp.h"
#include "compiler/frontend/compile-cuda.h"
#include "compiler/frontend/declare.h"
#include "compiler/frontend/diagnostics.h"
#include "compiler/frontend/host-text.h"
#include "compiler/session/cpp-header.h"
#include "compiler/session/cpp-pieces.h"
#include "compiler/session/header-ahead.h"
#include "compiler/text/cpp-cell.h"
#include "compiler/text/own-names.h"
#include "compiler/units/effort.h"
#include "compiler/units/line-table.h"
#include "compiler/units/object-symbols.h"

#define CACHE_BYTES (256ull * 1024 * 1024)
/* Interval of checking whether a header was made ahead. */
#define AHEAD_MS 50

/* The state of one compilation. */
struct compilation {
	struct compiler *compiler;
	const struct compile_request *request;
	const struct clang_options *options;
	struct mem_pool pool;
	struct diagnostics diagnostics;
	struct host_text host;
	struct declare declare;
	struct clang_result object;
	struct unit unit;
	const char *header; /* of the session's includes; NULL: they are in the text */
	struct unit_cache_key key;
	bool is_cpp;        /* it has constructs that C lacks */
	bool is_likely_cpp; /* a guess: C++ is tried first */
	/* It redefines a function that a C++ cell was the last to define. */
	bool defines_of_cpp;
	bool only_c; /* C++ was tried already */
	/* C's errors are the helpful ones: a bracket is open, or there is no CUDA. */
	bool is_refused;
	struct cell_pieces pieces;
	/* A name turned out to be the session's or a header's: the text is written again. */
	bool again;
};

static void open_cache(struct compiler *c)
{
	cleanup_buffer struct buffer folder = BUFFER_INIT;

	if (cache_folder(&folder, NULL))
		buffer_clear(&folder);
	else
		buffer_puts(&folder, "/units");
	unit_cache_init(&c->cache, buffer_text(&folder), CACHE_BYTES);
}

int compiler_init(struct compiler *c, struct error *err)
{
	memset(c, 0, sizeof(*c));
	session_init(&c->session);
	clang_shim_init();
	if (options_init(&c->options, err))
		return -1;
	open_cache(c);
	return options_get(&c->options, "", &c->session, err) ? 0 : -1;
}

/* Makes the headers that the first C++ cell after an installation needs. Headers for the user's
 * flags are made by cells with these flags. */
static void make_headers_ahead(struct compiler *c)
{
	const struct clang_options *options[] = {
		options_get_cpp(&c->options, "", NULL),
		c->options.cuda_root ? options_get_device(&c->options, "", c->sm, NULL) : NULL,
	};

	c->ahead = true;
	if (options[0])
		cpp_header_make_ahead(&c->options, options, options[1] ? 2 : 1);
}

int compiler_rest(struct compiler *c)
{
	/* Flags of the user may name folders that the next cell is going to make. */
	const struct clang_options *options = c->is_cpp ? NULL
							: options_get(&c->options, "", &c->session,
								      NULL),
				   *cpp = c->has_cpp ? options_get_cpp(&c->options, "", NULL)
						     : NULL;
	cleanup_buffer struct buffer header = BUFFER_INIT;
	bool more;

	unit_cache_rest(&c->cache);
	clang_shim_rest(options, options ? session_header_get(&c->header, &c->options, options,
							      &c->session, NULL, 0)
					 : NULL);
	header_ahead_look();
	cpp_instances_header(buffer_text(&c->cpp_header.path), &header);
	more = clang_shim_rest_cpp(cpp, buffer_text(&header));
	if (c->sm && !c->ahead)
		make_headers_ahead(c);
	cpp_instances_rest(&c->cpp_instances, cpp);
	return more ? 0 : header_ahead_is_at_work() ? AHEAD_MS : -1;
}

bool compiler_takes_for_cpp(const struct compiler *c, const char *text)
{
	return cpp_cell_is(text) || (c->is_cpp && !compile_cuda_is(text));
}

void compiler_release(struct compiler *c)
{
	header_ahead_stop();
	clang_shim_rest(NULL, NULL);
	clang_shim_rest_cpp(NULL, NULL);
	cpp_header_watch_release(&c->cpp_header);
	cpp_header_watch_release(&c->device_header);
	cpp_instances_release(&c->cpp_instances);
	unit_cache_release(&c->cache);
	session_header_release(&c->header);
	session_release(&c->session);
	options_release(&c->options);
	local_includes_release(&c->includes);
	free(c->cflags);
}

void compile_result_refuse(struct compile_result *r, struct diagnostics *d)
{
	buffer_puts(&r->first, buffer_text(&d->first));
	buffer_puts(&r->all, buffer_text(&d->errors));
	buffer_puts(&r->all, diagnostics_finish_warnings(d));
	r->line = d->first_line;
	r->column = d->first_column;
	r->in_syntax = d->first_in_syntax;
	r->is_unknown = d->first_unknown;
	r->in_the_way = d->in_the_way;
}

void compile_result_release(struct compile_result *r)
{
	buffer_release(&r->unit);
	buffer_release(&r->first);
	buffer_release(&r->all);
}

/* Tells whether the error is about a name that cell and headers, or cell and session, share. The
 * cell is then compiled with the other meaning. */
static bool shares_name(struct compilation *x, const struct clang_diagnostic *d)
{
	size_t prefix = strlen(OWN_PREFIX), len = d->name ? strlen(d->name) : 0;

	if (d->severity != CLANG_ERROR || !len)
		return false;
	/* The cell declares it differently from a header that it did not include. */
	if (d->kind == CLANG_CLASH)
		return cell_names_take(&x->host, &x->compiler->session, d->name, len);
	if (d->kind != CLANG_UNKNOWN)
		return false;
	/* The cell defines it only in a branch of #if that is not taken, and means the header's. */
	if (!strncmp(d->name, OWN_PREFIX, prefix))
		return cell_names_leave(&x->host, d->name + prefix, len - prefix);
	/* The cell uses it before its own definition. */
	return cell_names_keep(&x->host, &x->compiler->session, d->name, len);
}

static void note_unknown(struct compilation *x, const struct clang_diagnostic *d)
{
	long at = unit_text_find(&x->host.unit, d->offset);

	if (at >= 0 && d->severity == CLANG_ERROR && d->kind == CLANG_UNKNOWN && d->name)
		cell_pieces_add_unknown(&x->pieces, (uint32_t)at, d->name);
}

static void on_item(void *context, unsigned begin, unsigned body, unsigned end,
		    const char *function)
{
	struct compilation *x = context;
	long from = unit_text_find(&x->host.unit, begin), to = unit_text_find(&x->host.unit, end),
	     inner = unit_text_find(&x->host.unit, body);

	if (from >= 0 && inner >= 0 && to >= 0)
		cell_pieces_add(&x->pieces, (uint32_t)from, (uint32_t)inner, (uint32_t)to,
				function);
}

/* Adds arguments to a call `main()` of a main that takes some. */
static bool give_arguments(struct compilation *x, const struct clang_diagnostic *d)
{
	static const char *const arguments[] = { "", "1", "1, (char *[]){ \"main\", 0 }",
						 "1, (char *[]){ \"main\", 0 }, __environ" };
	const char *text = buffer_text(&x->host.unit.text);
	long at = unit_text_find(&x->host.unit, d->offset);

	if (at < 0 || d->range_begin < 0 || d->range_end - d->range_begin != 4 ||
	    strncmp(text + d->range_begin, "main", 4) ||
	    d->wanted >= sizeof(arguments) / sizeof(*arguments))
		return false;
	return host_text_insert(&x->host, (uint32_t)at, arguments[d->wanted]);
}

static void on_pragma(void *context, const char *text)
{
	struct compilation *x = context;

	pragma_state_add(&x->declare.pragmas, text);
}

static void on_diagnostic(void *context, const struct clang_diagnostic *d)
{
	struct compilation *x = context;

	if (d->kind == CLANG_UNPOPPED)
		return;
	x->again |= shares_name(x, d);
	note_unknown(x, d);
	x->again |= d->kind == CLANG_FEW_ARGUMENTS && give_arguments(x, d);
	diagnostics_add_clang(&x->diagnostics, &x->host.unit, d);
	x->is_cpp |= d->header != NULL;
	x->is_likely_cpp |= d->kind == CLANG_OF_CPP && !x->only_c;
}

static void on_symbol(void *context, const struct clang_symbol *s)
{
	struct compilation *x = context;

	if (s->in_cell || s->in_include)
		declare_symbol(&x->declare, s);
	x->defines_of_cpp |= s->kind == CLANG_FUNCTION && s->is_definition && s->in_cell &&
			     !x->only_c && beyond_c_defines(&x->compiler->session, s->name);
}

static void on_skipped(void *context, unsigned begin, unsigned end)
{
	struct compilation *x = context;
	long from = unit_text_find(&x->host.unit, begin), to = unit_text_find(&x->host.unit, end);

	if (from >= 0 && to > from)
		declare_skipped(&x->declare, (uint32_t)from, (uint32_t)to);
}

/* Tells whether the user has chosen the optimisation. */
static bool has_own_effort(const char *cflags)
{
	return strstr(cflags, "-O") || strstr(cflags, "vectorize") || strstr(cflags, "unroll");
}

static enum clang_effort effort(const struct compilation *x)
{
	const struct compile_request *r = x->request;

	if (r->debugged)
		return CLANG_STEPS;
	return r->checked || has_own_effort(r->cflags) ? CLANG_FULL : effort_of(&x->host.tokens);
}

static void set_job(struct compilation *x, struct clang_job *job)
{
	*job = (struct clang_job){
		.options = x->options,
		.header = x->header,
		.name = x->request->cell_name,
		.text = buffer_text(&x->host.unit.text),
		.len = x->host.unit.text.len,
		.run = x->host.run,
		.effort = effort(x),
		.checked = x->request->checked,
		.context = x,
	};
}

static int compile_once(struct compilation *x, struct error *err)
{
	struct clang_job job;

	if (host_text_write(&x->host, &x->compiler->session, err))
		return -1;
	set_job(x, &job);
	job.diagnostic = on_diagnostic;
	job.symbol = on_symbol;
	job.skipped = on_skipped;
	job.item = on_item;
	job.pragma = on_pragma;
	job.functions_only = x->request->functions_only;
	if (clang_shim_compile(&job, &x->object) && !x->diagnostics.n_errors)
		diagnostics_add(&x->diagnostics, CLANG_ERROR, 0, 0, 0,
				"clang gave up without saying why");
	return 0;
}

/* Sets the precompiled header; what it contains is not written to the cell's text. */
static void use_header(struct compilation *x, const char *header)
{
	x->header = header;
	x->compiler->session.headers_precompiled = header != NULL;
}

static void complain(struct compilation *x, uint32_t token, const char *what)
{
	const struct token_list *l = &x->host.tokens;
	uint32_t line, column;
	char text[400];

	text_position(l->text, l->len, l->at[token].start, &line, &column);
	snprintf(text, sizeof(text), "this '%.*s' %s", (int)token_len(l, token),
		 token_text(l, token), what);
	diagnostics_add(&x->diagnostics, CLANG_ERROR, line, column, (uint32_t)token_len(l, token),
			text);
}

static void begin_diagnostics(struct compilation *x)
{
	diagnostics_init(&x->diagnostics, x->request, x->request->text);
	x->diagnostics.session = &x->compiler->session;
	x->diagnostics.no_cuda = x->compiler->options.no_cuda;
}

/* Compiles in turns. Each turn changes the meaning of at least one more name, so the loop ends. */
static int compile_host(struct compilation *x, struct error *err)
{
	do {
		x->again = false;
		diagnostics_release(&x->diagnostics);
		begin_diagnostics(x);
		declare_release(&x->declare);
		declare_begin(&x->declare, &x->pool, &x->compiler->session);
		cell_pieces_begin(&x->pieces);
		if (compile_once(x, err))
			return -1;
		x->again |= cell_pieces_declare(&x->pieces, &x->host);
		/* Headers that are precompiled by themselves may lack text that preceded them. */
		if (x->diagnostics.n_errors && x->header) {
			use_header(x, NULL);
			x->again = true;
		}
	} while (x->again);
	return 0;
}

static int make_symbols(struct compilation *x, struct error *err)
{
	const struct declare *d = &x->declare;

	x->unit.symbols = mem_pool_array(&x->pool, d->n_symbols + 1, sizeof(*x->unit.symbols));
	if (!x->unit.symbols)
		return error_set(err, ERROR_MEMORY, "out of memory for the symbols of a cell");
	for (size_t i = 0; i < d->n_symbols; i++) {
		const struct clang_symbol *s = &d->symbols[i];

		if (!s->is_definition || (s->kind != CLANG_VARIABLE && s->kind != CLANG_FUNCTION))
			continue;
		x->unit.symbols[x->unit.n_symbols++] = (struct unit_symbol){
			.name = s->name,
			.is_function = s->kind == CLANG_FUNCTION,
			.size = s->size,
			.type = s->type,
			.type_code = s->type_code,
			.layout = s->layout,
			.line = s->line,
			.initialised_by_cell = s->waits,
		};
	}
	return 0;
}

/* Tells whether the function is the header's: the session's own function of such a name still has a
 * prefix. */
static bool is_of_header(void *context, const char *name)
{
	const struct compiler_session *s = context;

	return header_names_kind(&s->headers, name, strlen(name)) == 'f';
}

static int make_unit(struct compilation *x, struct buffer *out, struct error *err)
{
	struct unit *u = &x->unit;
	struct error problem = ERROR_INIT;

	own_names_strip(x->object.display_type);
	own_names_strip(x->object.display_type_code);
	object_symbols_mark_library(x->object.object, x->object.object_len, is_of_header,
				    &x->compiler->session);
	object_symbols_strip(x->object.object, x->object.object_len);
	u->cell = x->request->cell;
	u->cell_name = x->request->cell_name;
	u->run_symbol = x->object.has_run ? x->host.run : "";
	u->display_type = x->object.display_type ? x->object.display_type : "";
	u->display_type_code = x->object.display_type_code ? x->object.display_type_code : "";
	u->object = x->object.object;
	u->object_len = x->object.object_len;
	u->ptx = "";
	if (declare_finish(&x->declare, x->request->cell, &x->host, &x->compiler->session, err) ||
	    make_symbols(x, err))
		return -1;
	u->warnings = diagnostics_finish_warnings(&x->diagnostics);
	u->declarations = x->declare.declarations;
	u->n_declarations = x->declare.n;
	if (cpp_pieces_replace(&x->compiler->session, u, &x->pool, err) ||
	    in_the_way_undefine(&x->compiler->session, u, &x->pool, err))
		return -1;
	/* A cell may write into the sections of debugging information itself; then it has no line
	 * table. */
	if (line_table_read(u->object, u->object_len, u->cell_name, &x->pool, &u->lines,
			    &u->n_lines, &problem) &&
	    problem.code != ERROR_INPUT)
		return error_set(err, problem.code, "%s", problem.text);
	unit_encode(u, out);
	return buffer_check(out, err);
}

/* Warns of a changed file that no cell has included again: its new text is used, but code that was
 * made from the old one stays. */
static void warn_of_changed(struct compilation *x, const struct declaration *d, const char *path)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	buffer_printf(&text,
		      "%s has changed since In[%u] included it: its new text holds from here on, "
		      "but variables and functions that were made with the old one stay as they "
		      "are. Run that cell again to renew them",
		      path, d->cell);
	diagnostics_add(&x->diagnostics, CLANG_WARNING, 0, 0, 0, buffer_text(&text));
}

static void look_at_includes(struct compilation *x)
{
	const struct compiler_session *s = &x->compiler->session;

	local_includes_note(&x->compiler->includes, &x->host.tokens);
	for (uint32_t i = 0; i < session_count(s); i++) {
		const struct declaration *d = session_at(s, i);
		cleanup_free char *path = session_included_path(d);

		if (path && local_includes_changed(&x->compiler->includes, path) &&
		    local_include_find(&x->host.tokens, path) == TOKEN_NONE)
			warn_of_changed(x, d, path);
	}
}

/* Reports the missing quote of `printf("hello);`, which leaves this bracket open, too. */
static bool complain_of_quote(struct compilation *x, uint32_t bracket)
{
	const struct token_list *l = &x->host.tokens;

	for (uint32_t i = bracket; i < l->n; i++) {
		const char *text = token_text(l, i), *quote = memchr(text, '"', token_len(l, i));
		size_t len = token_len(l, i);

		if (l->at[i].kind != TOKEN_STRING || !quote ||
		    (text[len - 1] == '"' && quote != text + len - 1))
			continue;
		complain(x, i, "is a text without its closing quote");
		return true;
	}
	return false;
}

/*
 * Tells whether brackets are balanced: an open one would swallow generated text, and clang would
 * point there. Where #if decides which brackets are there, clang is asked all the same.
 */
static bool is_balanced(struct compilation *x)
{
	const struct token_list *l = &x->host.tokens;
	uint32_t open = l->between != TOKEN_NONE ? l->between : l->unclosed;

	for (uint32_t i = 0; i < l->n; i++)
		if (token_directive_is(l, i, "else") || token_directive_is(l, i, "elif"))
			return true;
	if (l->unopened != TOKEN_NONE && l->between == TOKEN_NONE)
		complain(x, l->unopened, "closes nothing");
	else if (open != TOKEN_NONE && !complain_of_quote(x, open))
		complain(x, open, "is never closed");
	return !x->diagnostics.n_errors;
}

/* Refuses device code when CUDA's headers are missing, since clang's errors would be misleading. */
static bool refuses_cuda(struct compilation *x)
{
	const char *why = x->compiler->options.no_cuda;
	uint32_t line = why ? beyond_c_cuda_line(&x->host.tokens) : 0;

	if (line)
		diagnostics_add(&x->diagnostics, CLANG_ERROR, line, 0, 0, why);
	return line != 0;
}

/* Makes the key of the unit cache, empty for a cell that must be compiled. */
static void make_key(struct compilation *x)
{
	const struct compile_request *r = x->request;
	cleanup_buffer struct buffer made_by = BUFFER_INIT, asked = BUFFER_INIT;
	const struct buffer *text = &x->host.unit.text;
	char headers[40], folder[PATH_MAX];

	/* The first cell, number 0, only warms clang up. A checked cell is no unit of the
	 * session, and one that is debugged is changed more often than it is run again. */
	if (!r->cell || r->checked || r->debugged ||
	    host_text_write(&x->host, &x->compiler->session, NULL) ||
	    !unit_cache_suits(buffer_text(text), text->len))
		return;
	if (options_header_key(&x->compiler->options, x->options, "", headers, NULL) ||
	    unit_cache_made_by(x->header, &made_by))
		return;
	/* Debugging information contains the folder. */
	buffer_printf(&asked, "%u\n%u\n%s\n%s\n%s", r->cell, r->sm, r->cell_name, r->cflags,
		      getcwd(folder, sizeof(folder)) ? folder : "");
	if (buffer_check(&made_by, NULL) || buffer_check(&asked, NULL))
		return;
	unit_cache_key_make(
		&x->key,
		(const char *[]){ buffer_text(&made_by), headers, buffer_text(&asked), r->text,
				  buffer_text(text) },
		(size_t[]){ made_by.len, strlen(headers), asked.len, strlen(r->text), text->len },
		5);
}

static void keep_flags(struct compiler *c, const char *cflags)
{
	char *copy;

	if (c->cflags && !strcmp(c->cflags, cflags))
		return;
	copy = strdup(cflags);
	/* Completion goes on with the old includes. */
	if (!copy)
		return;
	free(c->cflags);
	c->cflags = copy;
}

static int compile(struct compilation *x, struct compile_result *ret, struct error *err)
{
	const struct compile_request *r = x->request;
	struct error problem = ERROR_INIT;

	x->options = options_get(&x->compiler->options, r->cflags, &x->compiler->session, &problem);
	if (!x->options) {
		diagnostics_add(&x->diagnostics, CLANG_ERROR, 0, 0, 0, problem.text);
		return 0;
	}
	keep_flags(x->compiler, r->cflags);
	if (host_text_init(&x->host, r->text, strlen(r->text), r->cell, r->cell_name,
			   &x->compiler->session, &x->pool, err))
		return -1;
	x->is_refused = !is_balanced(x) || refuses_cuda(x);
	if (x->is_refused)
		return 0;
	x->is_cpp = beyond_c(&x->host.tokens);
	x->is_likely_cpp = !x->only_c && !x->is_cpp &&
			   beyond_c_is_likely(&x->host.tokens, &x->compiler->session);
	if (x->is_cpp || x->is_likely_cpp)
		return 0;
	use_header(x, session_header_get(&x->compiler->header, &x->compiler->options, x->options,
					 &x->compiler->session, x->host.masks, x->host.n_masks));
	make_key(x);
	if (unit_cache_get(&x->compiler->cache, &x->key, &ret->unit)) {
		ret->ok = true;
		return 0;
	}
	buffer_clear(&ret->unit);
	if (compile_host(x, err))
		return -1;
	if (x->pieces.failed)
		return error_set(err, ERROR_MEMORY, "out of memory for what a cell says");
	x->is_cpp |= x->defines_of_cpp;
	if (x->diagnostics.n_errors || x->is_likely_cpp || x->is_cpp)
		return 0;
	look_at_includes(x);
	ret->ok = true;
	if (make_unit(x, &ret->unit, err))
		return -1;
	/* Warnings may mention other cells. */
	if (!x->diagnostics.warnings.len)
		unit_cache_put(&x->compiler->cache, &x->key, &ret->unit);
	return 0;
}

/* Tells whether a cell has declared something in C++, or included a C++ header. */
static bool speaks_cpp(const struct compiler_session *s)
{
	for (uint32_t i = 0; i < session_count(s); i++)
		if (session_at(s, i)->kind == DECLARATION_CPP && *session_at(s, i)->host)
			return true;
	return false;
}

/*
 * Tells whether C++ has got further than C. If C has read further, its error is at a later token of
 * the same statement. An error about a name, or syntax, that only C++ knows counts for C++, as in
 * `circle c(1, 2);`. If all else is equal, a session with C++ declarations gets the errors of C++.
 */
static bool got_further(const struct compiler_session *session, const struct compile_result *cpp,
			const struct compile_result *c)
{
	if (cpp->line != c->line)
		return cpp->line > c->line;
	if (c->in_syntax && !cpp->in_syntax && (cpp->column == c->column || speaks_cpp(session)))
		return true;
	if (cpp->column >= c->column && speaks_cpp(session))
		return true;
	return ((c->in_syntax || c->is_unknown) && cpp->column > c->column) ||
	       (c->is_unknown && !cpp->is_unknown);
}

typedef int compile_function(struct compiler *c, const struct compile_request *request,
			     struct compile_result *ret, struct error *err);

/*
 * ret has the errors of `fn` for a cell. Compiles the cell again without declarations that are in
 * its way, until none of the session is. If that does not help, the first errors are kept.
 */
static int try_without(struct compiler *c, const struct compile_request *request,
		       compile_function *fn, struct compile_result *ret, struct error *err)
{
	struct in_the_way left_out = { .n = 0 }, found = ret->in_the_way;
	struct compile_result other;
	int failed = 0;

	while (!failed && !ret->ok && in_the_way_leave_out(&left_out, &found, &c->session)) {
		failed = fn(c, request, &other, err);
		found = other.in_the_way;
		if (!failed && other.ok) {
			compile_result_release(ret);
			*ret = other;
		} else {
			compile_result_release(&other);
		}
	}
	in_the_way_put_back(&left_out, &c->session);
	return failed;
}

static int compile_cpp_cell(struct compiler *c, const struct compile_request *request,
			    struct compile_result *ret, struct error *err)
{
	return compile_cpp(c, request, ret, err) || try_without(c, request, compile_cpp, ret, err)
		       ? -1
		       : 0;
}

/*
 * Compiles as C++ what C has refused. If C++ refuses it, too, the errors of the language that got
 * further are shown.
 */
static int compile_as_cpp(struct compilation *x, struct compile_result *ret, struct error *err)
{
	struct compile_result cpp;

	if (compile_cpp_cell(x->compiler, x->request, &cpp, err))
		return -1;
	/* For a file that the cell includes, C reports its C++ constructs. */
	if (cpp.ok || (!x->is_refused && (x->is_cpp || !ret->line ||
					  got_further(&x->compiler->session, &cpp, ret)))) {
		compile_result_release(ret);
		*ret = cpp;
	} else {
		compile_result_release(&cpp);
	}
	return 0;
}

static int compile_as_c(struct compilation *x, struct compile_result *ret, struct error *err)
{
	int failed;

	memset(ret, 0, sizeof(*ret));
	mem_pool_init(&x->pool);
	declare_begin(&x->declare, &x->pool, &x->compiler->session);
	x->pieces = (struct cell_pieces){ .pool = &x->pool };
	begin_diagnostics(x);
	failed = compile(x, ret, err);
	if (!failed && !ret->ok)
		compile_result_refuse(ret, &x->diagnostics);
	use_header(x, NULL);
	host_text_release(&x->host);
	declare_release(&x->declare);
	clang_result_release(&x->object);
	cell_pieces_release(&x->pieces);
	diagnostics_release(&x->diagnostics);
	mem_pool_release(&x->pool);
	return failed;
}

static int compile_c(struct compiler *c, const struct compile_request *request,
		     struct compile_result *ret, struct error *err)
{
	struct compilation x = { .compiler = c, .request = request, .only_c = true };

	return compile_as_c(&x, ret, err);
}

/* Compiles as C++ a cell that is C++ by a guess, and as C if C++ refuses it. If C refuses it, too,
 * the errors of C++ are shown. */
static int compile_likely_cpp(struct compiler *c, const struct compile_request *request,
			      struct compile_result *ret, struct error *err)
{
	struct compile_result as_c;

	if (compile_cpp_cell(c, request, ret, err))
		return -1;
	if (ret->ok)
		return 0;
	if (compile_c(c, request, &as_c, err) || try_without(c, request, compile_c, &as_c, err))
		return -1;
	compile_result_release(as_c.ok ? ret : &as_c);
	if (as_c.ok)
		*ret = as_c;
	return 0;
}

int compiler_compile(struct compiler *c, const struct compile_request *request,
		     struct compile_result *ret, struct error *err)
{
	struct compilation x = { .compiler = c, .request = request };
	bool is_cpp = compiler_takes_for_cpp(c, request->text);

	memset(ret, 0, sizeof(*ret));
	if ((is_cpp || compile_cuda_is(request->text)) && request->functions_only)
		return 0;
	if (is_cpp)
		return compile_cpp_cell(c, request, ret, err);
	if (compile_cuda_is(request->text))
		return compile_cuda(c, request, ret, err);
	if (compile_as_c(&x, ret, err))
		return -1;
	if (x.is_likely_cpp && !request->functions_only) {
		compile_result_release(ret);
		return compile_likely_cpp(c, request, ret, err);
	}
	if (try_without(c, request, compile_c, ret, err))
		return -1;
	return ret->ok || request->functions_only ? 0 : compile_as_cpp(&x, ret, err);
}
