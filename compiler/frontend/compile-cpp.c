/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of the session's declarations are valid C++ is not known in advance: the unit is compiled
 * with all that it mentions, and those with errors, or in conflict with definitions of the cell,
 * are dropped for another try. A failing try ends before code generation, so the common case
 * compiles once.
 */
#define _GNU_SOURCE
#include "compiler/frontend/compile-cpp.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "compiler/device/device-flags.h"
#include "compiler/frontend/cpp-tries.h"
#include "compiler/session/composition.h"
#include "compiler/session/cpp-bundle.h"
#include "compiler/session/cpp-header.h"
#include "compiler/session/cpp-instances.h"
#include "compiler/text/local-include.h"
#include "compiler/text/own-names.h"
#include "compiler/units/device-lines.h"
#include "compiler/units/effort.h"
#include "compiler/units/line-table.h"
#include "compiler/units/object-symbols.h"
#include "compiler/units/unit-cache.h"

static void on_symbol(void *context, const struct clang_symbol *s)
{
	struct cpp_unit *x = context;

	cpp_names_add(&x->names, s,
		      unit_text_written(&x->text, s->written_begin, s->written_end, &x->pool));
}

static void on_function(void *context, const char *symbol, const char *type, unsigned line)
{
	struct cpp_unit *x = context;

	cpp_names_add_function(&x->names, symbol, type, line);
}

static void on_own_variable(void *context, const char *symbol)
{
	struct cpp_unit *x = context;

	/* The final symbol name in the object. */
	symbol += !strncmp(symbol, OWN_PREFIX, strlen(OWN_PREFIX)) ? strlen(OWN_PREFIX) : 0;
	buffer_append(&x->own_variables, symbol, strlen(symbol) + 1);
}

static void on_instance(void *context, const char *symbol)
{
	struct cpp_unit *x = context;

	instances_add(&x->instances, symbol);
}

static void on_instantiated(void *context, const char *key)
{
	struct cpp_unit *x = context;

	if (!x->flags.len)
		cpp_instances_want(&x->compiler->cpp_instances, buffer_text(&x->header), key);
}

static void on_kernel(void *context, const struct clang_kernel *e)
{
	struct cpp_unit *x = context;
	const char *name = mem_pool_strdup(&x->pool, e->ptx_name);
	struct unit_kernel kernel = { .name = name,
				      .ptx_name = name,
				      .line = e->line,
				      .stub = mem_pool_strdup(&x->pool, e->stub) };

	x->no_memory |= !name || !kernel.stub;
	buffer_append(&x->kernels, &kernel, sizeof(kernel));
}

static void on_piece(void *context, const struct clang_piece *p)
{
	struct cpp_unit *x = context;

	cpp_pieces_add(&x->pieces, p,
		       unit_text_written(&x->text, p->written_begin, p->written_end, &x->pool));
}

static void on_definition(void *context, const struct clang_definition *d)
{
	struct cpp_unit *x = context;
	struct clang_definition in_cell = *d;

	/* Behind its last byte. */
	in_cell.end = unit_text_find(&x->text, d->end - 1) + 1;
	if (in_cell.end > 0)
		cpp_dependents_add(&x->dependents, &in_cell);
}

static void on_dependent(void *context, const char *file, uint64_t layout)
{
	struct cpp_unit *x = context;

	cpp_dependents_look_at(&x->dependents, &x->compiler->session, cpp_tries_entry_of(file),
			       layout);
}

static void on_pragma(void *context, const char *text)
{
	struct cpp_unit *x = context;

	pragma_state_add(&x->pragmas, text);
}

/* Writes cgpu_main(): C++ code may not call main() by name, but its symbol can be called. */
static void put_main(struct cpp_unit *x)
{
	buffer_puts(&x->text.text, "\n#line 1 \"main\"\nextern \"C\" int cgpu_main(int, char **) "
				   "__asm__(\"main\");\n");
}

static void put_call_of_main(struct cpp_unit *x)
{
	buffer_printf(&x->text.text,
		      "static char name[] = \"%s\"; char *argv[] = { name, nullptr };\n"
		      "int status = cgpu_main(1, argv);\n"
		      "if (status) fprintf(stderr, \"main() returned %%d\\n\", status);\n",
		      x->request->cell_name);
}

/* Writes the function that runs the cell: its constructors and statements, and then its last
 * expression. */
static void put_run(struct cpp_unit *x)
{
	put_main(x);
	buffer_printf(&x->text.text, "\n#line 1 \"main\"\nextern \"C\" void %s() {\n", x->run);
	put_call_of_main(x);
	unit_text_puts(&x->text, "\n}\n");
}

static void put_anew(struct cpp_unit *x)
{
	x->n_anew = 0;
	buffer_clear(&x->behind);
	for (uint32_t i = 0; i < x->n_entries; i++) {
		const struct declaration *d = session_at(&x->compiler->session, i);
		char place[40];

		if (!x->anew[i] || (x->dropped[i] && x->dropped[i] != CPP_BEHIND))
			continue;
		snprintf(place, sizeof(place), COMPOSITION_ANEW "%u/In[%u]", i, d->cell);
		x->anew_names[x->n_anew] = mem_pool_strdup(&x->pool, place);
		x->no_memory |= !x->anew_names[x->n_anew++];
		buffer_printf(&x->behind,
			      "\n#define " CLANG_ANEW "\n#line %u \"%s\"\n%s\n#undef " CLANG_ANEW
			      "\n",
			      d->line ? d->line : 1, place, d->host);
	}
}

/* Writes the cell, with moved pieces of earlier cells between its items. */
static int put_cell(struct cpp_unit *x, struct error *err)
{
	struct compiler_session *session = &x->compiler->session;
	uint32_t len = (uint32_t)strlen(x->cell.text), from = 0, to, line, column;

	for (bool at_end = false; !at_end; from = to) {
		text_position(x->cell.text, len, from, &line, &column);
		unit_text_line(&x->text, line);
		to = cpp_dependents_next(&x->dependents, session, x->dropped, from);
		at_end = to == UINT32_MAX;
		unit_text_copy(&x->text, from, at_end ? len : to, &x->edits);
		if (!at_end && composition_write_behind(session, x->dropped, x->dependents.places,
							to, &x->text.text, err))
			return -1;
	}
	return 0;
}

static int write_text(struct cpp_unit *x, struct error *err)
{
	unit_text_release(&x->text);
	unit_text_init(&x->text, x->cell.text, strlen(x->cell.text), x->request->cell_name);
	unit_text_puts(&x->text,
		       "#line 1 \"session\"\n#define restrict __restrict\n#define _Bool bool\n");
	cpp_own_write(&x->own, &x->text.text);
	if (composition_write_cpp(&x->compiler->session, &x->cell.tokens, x->dropped, &x->text.text,
				  err))
		return -1;
	unit_text_puts(&x->text, "\n#undef restrict\n#undef _Bool\n");
	pragma_state_write(&x->before, false, &x->text.text);
	if (x->run_main)
		put_run(x);
	if (put_cell(x, err))
		return -1;
	/* Clang finds columns of a line that another one follows in constant time. */
	unit_text_puts(&x->text, "\n");
	put_anew(x);
	return unit_text_check(&x->text, err);
}

static void start_try(struct cpp_unit *x)
{
	x->again = x->last_clashed = false;
	x->suspect = UINT32_MAX;
	diagnostics_release(&x->diagnostics);
	diagnostics_init(&x->diagnostics, x->request, x->cell.text);
	x->diagnostics.no_cuda = x->compiler->options.no_cuda;
	x->diagnostics.session = &x->compiler->session;
	cpp_names_release(&x->names);
	buffer_clear(&x->own_variables);
	instances_begin(&x->instances);
	buffer_clear(&x->unused);
	cpp_pieces_release(&x->pieces);
	cpp_dependents_begin(&x->dependents);
	pragma_state_release(&x->pragmas);
	pragma_state_copy(&x->pragmas, &x->before);
	clang_result_release(&x->object);
	buffer_clear(&x->kernels);
	free(x->ptx);
	x->ptx = NULL;
}

/* Takes errors of the device compilation; it has the same text, so its warnings have been
 * reported. */
static void on_device_diagnostic(void *context, const struct clang_diagnostic *d)
{
	struct cpp_unit *x = context;

	x->last_severity = d->severity == CLANG_NOTE ? x->last_severity : d->severity;
	if (x->last_severity == CLANG_ERROR)
		cpp_tries_on_diagnostic(context, d);
}

/*
 * Returns the name of a kernel in the PTX, which is longer for one that only its own text can name,
 * as in an anonymous namespace. NULL: it is not there, since nobody launches it.
 */
static const char *name_in_ptx(struct cpp_unit *x, const char *name)
{
	cleanup_buffer struct buffer wanted = BUFFER_INIT;
	const char *at;

	buffer_printf(&wanted, ".entry %s", name);
	at = strstr(x->ptx, buffer_text(&wanted));
	if (!at)
		return NULL;
	at += strlen(".entry ");
	return mem_pool_strndup(&x->pool, at, strcspn(at, "(\n"));
}

static void name_kernels(struct cpp_unit *x)
{
	struct unit_kernel *e = (struct unit_kernel *)x->kernels.data;
	size_t n = x->kernels.len / sizeof(*e), kept = 0;

	for (size_t i = 0; i < n; i++) {
		e[kept] = e[i];
		e[kept].ptx_name = name_in_ptx(x, e[i].ptx_name);
		kept += e[kept].ptx_name != NULL;
	}
	x->kernels.len = kept * sizeof(*e);
}

static const struct clang_options *device_options(struct cpp_unit *x, struct error *err)
{
	return options_get_device(&x->compiler->options, buffer_text(&x->device_flags),
				  x->request->sm, err);
}

static void begin_for_device(struct cpp_unit *x, const struct clang_options *options)
{
	device_half_begin(&x->half, &x->compiler->options, options, &x->job,
			  buffer_text(&x->includes), &x->compiler->device_header);
}

/*
 * Starts the device compilation when device code is found. If its precompiled header must be made
 * first, which takes long, that waits until the host compilation has succeeded.
 */
static void on_device_code(void *context)
{
	struct cpp_unit *x = context;
	const struct clang_options *options =
		x->diagnostics.n_errors || x->again ? NULL : device_options(x, NULL);
	cleanup_buffer struct buffer header = BUFFER_INIT;

	if (options &&
	    !cpp_header_path(&x->compiler->options, options, buffer_text(&x->includes), &header,
			     NULL) &&
	    clang_shim_header_is_whole(buffer_text(&header)))
		begin_for_device(x, options);
}

static int compile_for_device(struct cpp_unit *x, struct error *err)
{
	const struct clang_options *options = x->half.begun ? NULL : device_options(x, err);

	if (!x->half.begun && !options)
		return -1;
	if (options)
		begin_for_device(x, options);
	device_half_join(&x->half);
	if (x->half.failed)
		return error_set(err, x->half.err.code, "%s", x->half.err.text);
	x->last_severity = CLANG_NOTE;
	device_half_tell(&x->half, x, on_device_diagnostic);
	if (!x->half.compiled && !x->diagnostics.n_errors)
		diagnostics_add(&x->diagnostics, CLANG_ERROR, 0, 0, 0,
				"clang gave up on the device code without saying why");
	x->ptx = x->half.ptx;
	x->ptx_len = x->half.ptx_len;
	x->half.ptx = NULL;
	if (x->ptx)
		name_kernels(x);
	return 0;
}

static enum clang_effort effort(const struct cpp_unit *x)
{
	if (x->request->debugged)
		return CLANG_STEPS;
	return x->request->checked || x->flags.len ? CLANG_FULL : effort_of_cpp(&x->cell.tokens);
}

static int compile_once(struct cpp_unit *x, struct error *err)
{
	int failed;

	start_try(x);
	x->job = (struct clang_job){
		.options = x->options,
		.name = x->request->cell_name,
		.header = buffer_text(x->no_instances ? &x->header : &x->with_instances),
		.files = x->anew_names,
		.n_files = x->n_anew,
		.text = buffer_text(&x->text.text),
		.len = x->text.text.len,
		.behind = buffer_text(&x->behind),
		.run = x->run_main ? x->run : NULL,
		.statements = x->run,
		.checked = x->request->checked,
		.context = x,
		.effort = effort(x),
		.diagnostic = cpp_tries_on_diagnostic,
		.symbol = on_symbol,
		.piece = on_piece,
		.definition = on_definition,
		.dependent = on_dependent,
		.pragma = on_pragma,
		.own_variable = on_own_variable,
		.function = on_function,
		.kernel = on_kernel,
		.instances = x->instances.prefix,
		.given = buffer_text(&x->instances.given),
		.instance = *x->instances.prefix ? on_instance : NULL,
		.instantiated = on_instantiated,
		.device_code = on_device_code,
		.edit = cpp_tries_on_edit,
		.launched = cpp_tries_on_launched,
	};
	cpp_diagnostics_init(&x->filter, &x->diagnostics, &x->text,
			     strstr(x->cell.flags, CPP_DIAGNOSTICS_ALL));
	if (clang_shim_compile(&x->job, &x->object) && !x->diagnostics.n_errors)
		diagnostics_add(&x->diagnostics, CLANG_ERROR, 0, 0, 0,
				"clang gave up without saying why");
	if (!x->diagnostics.n_errors && !x->again)
		x->again = cpp_dependents_refuse(&x->dependents, x->dropped);
	if (!x->diagnostics.n_errors && !x->again)
		x->again = cpp_pieces_follow(&x->pieces, &x->compiler->session, x->dropped,
					     x->stays, x->anew);
	failed = x->object.has_device_code && !x->diagnostics.n_errors && !x->again
			 ? compile_for_device(x, err)
			 : 0;
	device_half_join(&x->half);
	device_half_release(&x->half);
	cpp_tries_end(x);
	return failed;
}

/* Compiles the text in tries. Each try drops at least one entry, so the loop ends. */
static int compile_tries(struct cpp_unit *x, struct error *err)
{
	do {
		if (compile_once(x, err))
			return -1;
		if (!x->diagnostics.n_errors && x->run_main && !x->names.has_main) {
			/* main() was in a branch of #if that is not taken. */
			x->run_main = false;
			x->again = true;
		}
		if (x->again && write_text(x, err))
			return -1;
	} while (x->again);
	if (x->diagnostics.n_errors)
		cpp_tries_tell_dropped(x);
	return 0;
}

static int mark_own_variables(struct cpp_unit *x, struct error *err)
{
	const struct buffer *b = &x->own_variables;

	if (buffer_check(b, err))
		return -1;
	for (size_t i = 0; i < b->len; i += strlen(b->data + i) + 1)
		object_symbols_mark_variable(x->object.object, x->object.object_len, b->data + i);
	return 0;
}

static void on_changed_pragma(void *context, const char *family, const char *host,
			      const char *device)
{
	struct cpp_unit *x = context;

	x->unit.declarations[x->unit.n_declarations++] = (struct declaration){
		.kind = DECLARATION_STATE,
		.cell = x->unit.cell,
		.line = 1,
		.name = family,
		.host = host,
		.device = device,
	};
}

static int declare_pragmas(struct cpp_unit *x, struct error *err)
{
	if (unit_make_room(&x->unit, PRAGMA_FAMILIES, &x->pool, err))
		return -1;
	return pragma_state_changes(&x->pragmas, &x->before, x, on_changed_pragma)
		       ? error_set(err, ERROR_MEMORY, "out of memory for the pragmas of a C++ cell")
		       : 0;
}

/* Drops the session's declarations of a file whose content has changed since it was included; the
 * cell's version replaces them. */
static void drop_changed(void *context, const char *path)
{
	static const char start[] = "#include ";
	struct cpp_unit *x = context;

	if (!local_includes_differ(&x->compiler->includes, path))
		return;
	for (uint32_t e = 0; e < x->n_entries; e++) {
		const char *text = session_at(&x->compiler->session, e)->host;
		char had[PATH_MAX];

		if (!strncmp(text, start, strlen(start)) &&
		    local_include_path(text + strlen(start), strlen(text + strlen(start)), had) &&
		    !strcmp(had, path))
			x->dropped[e] = CPP_CLASHED;
	}
}

/* Tells whether a function with a header's name is the header's. An extern "C" function of an
 * earlier cell has the same symbol. */
static bool is_of_header(void *context, const char *name)
{
	struct cpp_unit *x = context;
	const struct compiler_session *s = &x->compiler->session;

	if (header_names_kind(&s->headers, name, strlen(name)) != 'f')
		return false;
	for (uint32_t e = 0; e < x->n_entries; e++)
		if (cpp_tries_is_piece(x, e) && !strcmp(session_at(s, e)->device, name) &&
		    strstr(session_at(s, e)->host, "extern \"C\""))
			return false;
	return true;
}

static int make_unit(struct cpp_unit *x, struct compile_result *ret, struct error *err)
{
	const struct clang_options *c =
		options_get(&x->compiler->options, "", &x->compiler->session, err);
	struct unit *u = &x->unit;

	if (!c || cpp_names_check(&x->names, &x->compiler->session, c, err))
		return -1;
	object_symbols_mark_library(x->object.object, x->object.object_len, is_of_header, x);
	object_symbols_strip(x->object.object, x->object.object_len);
	object_symbols_make_strong(x->object.object, x->object.object_len);
	if (mark_own_variables(x, err))
		return -1;
	u->cell = x->request->cell;
	u->cell_name = x->request->cell_name;
	u->run_symbol = x->run_main && !x->object.has_run ? x->run : "";
	u->display_type = x->object.display_type ? x->object.display_type : "";
	u->display_type_code = x->object.display_type_code ? x->object.display_type_code : "";
	if (x->no_memory || buffer_check(&x->kernels, NULL))
		return error_set(err, ERROR_MEMORY, "out of memory for a C++ cell");
	u->ptx = x->ptx ? x->ptx : "";
	u->ptx_len = x->ptx ? x->ptx_len : 0;
	u->kernels = (struct unit_kernel *)x->kernels.data;
	u->n_kernels = x->kernels.len / sizeof(*u->kernels);
	u->object = x->object.object;
	u->object_len = x->object.object_len;
	if (cpp_names_finish(&x->names, u, &x->diagnostics.warnings, err) ||
	    cpp_pieces_finish(&x->pieces, &x->compiler->session, x->dropped, u,
			      &x->diagnostics.warnings, err) ||
	    cpp_dependents_finish(&x->dependents, &x->compiler->session, x->dropped, u, err) ||
	    declare_pragmas(x, err) || instances_declare(&x->instances, u, &x->pool, err) ||
	    in_the_way_undefine(&x->compiler->session, u, &x->pool, err))
		return -1;
	cpp_tries_tell_stays(x);
	u->warnings = diagnostics_finish_warnings(&x->diagnostics);
	if (line_table_read(u->object, u->object_len, u->cell_name, &x->pool, &u->lines,
			    &u->n_lines, err) ||
	    (x->request->debugged && device_lines_add(u, &x->pool, err)))
		return -1;
	local_includes_note(&x->compiler->includes, &x->cell.tokens);
	ret->ok = true;
	x->compiler->has_cpp |= !x->flags.len;
	unit_encode(u, &ret->unit);
	return buffer_check(&ret->unit, err);
}

/*
 * Finds the precompiled header. A missing or broken include must be reported where the cell
 * includes it, so in that case only what every cell sees is precompiled. If that fails too, the C++
 * library is missing.
 */
static int find_header(struct cpp_unit *x, struct error *err)
{
	const struct options *o = &x->compiler->options;
	struct cpp_header_watch *watch = &x->compiler->cpp_header;
	cleanup_buffer struct buffer all = BUFFER_INIT;
	struct error why = ERROR_INIT;

	cpp_pieces_includes(&x->compiler->session, &all);
	buffer_puts(&all, buffer_text(&x->cell.includes));
	cpp_bundle_includes(buffer_text(&all), &x->includes);
	if (buffer_check(&all, err) || buffer_check(&x->includes, err))
		return -1;
	if (!cpp_header_watch_get(watch, o, x->options, buffer_text(&x->includes), &x->header,
				  &why) ||
	    (why.code == ERROR_COMPILE &&
	     !cpp_header_watch_get(watch, o, x->options, "", &x->header, &why))) {
		cpp_instances_header(buffer_text(&x->header), &x->with_instances);
		return buffer_check(&x->with_instances, err);
	}
	if (why.code != ERROR_COMPILE)
		return error_set(err, why.code, "C++ headers: %s", why.text);
	diagnostics_add(&x->diagnostics, CLANG_ERROR, 0, 0, 0, why.text);
	return 0;
}

static void refuse_module(struct cpp_unit *x)
{
	const struct token_list *l = &x->cell.tokens;
	uint32_t line, column;

	text_position(l->text, l->len, l->at[x->cell.module].start, &line, &column);
	diagnostics_add(&x->diagnostics, CLANG_ERROR, line, column, token_len(l, x->cell.module),
			"a cell can neither be a C++ module nor import one");
	diagnostics_hint(&x->diagnostics,
			 "use #include: the headers of the C++ library are precompiled. What this "
			 "cell declares, later %%cpp cells see");
}

/* Does all that comes before the text; 1: an error was reported. */
static int prepare(struct cpp_unit *x, struct error *err)
{
	cleanup_buffer struct buffer only_device = BUFFER_INIT;
	struct error problem = ERROR_INIT;

	if (cpp_cell_init(&x->cell, x->request->text, CPP_CELL, &x->pool, err))
		return -1;
	buffer_printf(&x->flags, "%s%s%s", x->request->cflags, *x->cell.flags ? " " : "",
		      x->cell.flags);
	if (!device_flags_read(x->request->nvflags, &x->flags, &only_device, &problem))
		x->options =
			options_get_cpp(&x->compiler->options, buffer_text(&x->flags), &problem);
	buffer_printf(&x->device_flags, "%s%s", buffer_text(&x->flags), buffer_text(&only_device));
	if (!x->options) {
		diagnostics_add(&x->diagnostics, CLANG_ERROR, 0, 0, 0, problem.text);
		return 1;
	}
	if (x->cell.module != TOKEN_NONE) {
		refuse_module(x);
		return 1;
	}
	/* A pasted program runs only when it is called, in either language. */
	x->run_main = x->cell.has_main && cpp_cell_is(x->request->text);
	pragma_state_init(&x->before, &x->compiler->session, &x->pool);
	x->n_entries = session_count(&x->compiler->session);
	x->dropped = mem_pool_array(&x->pool, x->n_entries + 1, sizeof(*x->dropped));
	x->why = mem_pool_array(&x->pool, x->n_entries + 1, sizeof(*x->why));
	x->anew = mem_pool_array(&x->pool, x->n_entries + 1, sizeof(*x->anew));
	x->stays = mem_pool_array(&x->pool, x->n_entries + 1, sizeof(*x->stays));
	x->anew_names = mem_pool_array(&x->pool, x->n_entries + 1, sizeof(*x->anew_names));
	if (!x->dropped || !x->why || !x->anew || !x->stays || !x->anew_names ||
	    cpp_dependents_init(&x->dependents, &x->compiler->session, &x->pool))
		return error_set(err, ERROR_MEMORY, "out of memory for a C++ cell");
	cpp_pieces_drop_types(&x->compiler->session, &x->cell, x->dropped);
	local_include_each(&x->cell.tokens, drop_changed, x);
	return find_header(x, err) ? -1 : x->diagnostics.n_errors != 0;
}

/* Appends all declarations of the session: also hidden ones influence what the unit declares. */
static void put_session(const struct cpp_unit *x, struct buffer *out)
{
	for (uint32_t i = 0; i < x->n_entries; i++) {
		const struct declaration *d = session_at(&x->compiler->session, i);

		buffer_printf(out, "%d %u %u %d %s\n%s\n%s\n", d->kind, d->cell, d->line,
			      session_is_hidden(&x->compiler->session, i), d->name, d->host,
			      d->device);
	}
}

/* Makes the key of the unit cache, empty for a cell that must be compiled. The header's name
 * includes the hash of prelude and options. */
static void make_key(const struct cpp_unit *x, const struct buffer *made_by,
		     struct unit_cache_key *ret)
{
	const struct compile_request *r = x->request;
	cleanup_buffer struct buffer asked = BUFFER_INIT;
	char folder[PATH_MAX];

	ret->text[0] = '\0';
	if (!r->cell || r->checked || r->debugged ||
	    !unit_cache_suits_cpp(buffer_text(&x->text.text), buffer_text(&x->includes)))
		return;
	/* Debugging information contains the folder. */
	buffer_printf(&asked, "%u\n%u\n%s\n%s\n%s\n%s\n%s\n", r->cell, r->sm, r->cell_name,
		      buffer_text(&x->flags), buffer_text(&x->device_flags),
		      getcwd(folder, sizeof(folder)) ? folder : "", buffer_text(&x->includes));
	put_session(x, &asked);
	if (!buffer_check(&asked, NULL))
		unit_cache_key_make(
			ret,
			(const char *[]){ buffer_text(made_by), buffer_text(&asked), r->text,
					  buffer_text(&x->text.text) },
			(size_t[]){ made_by->len, asked.len, strlen(r->text), x->text.text.len },
			4);
}

static int compile(struct cpp_unit *x, struct compile_result *ret, struct error *err)
{
	cleanup_buffer struct buffer made_by = BUFFER_INIT;
	struct unit_cache *cache = &x->compiler->cache;
	struct unit_cache_key key = { .text = "" };
	int r = prepare(x, err);
	bool is_known;

	if (r)
		return r < 0 ? -1 : 0;
	if (write_text(x, err))
		return -1;
	is_known = !unit_cache_made_by(buffer_text(&x->header), &made_by) &&
		   !buffer_check(&made_by, NULL);
	if (is_known)
		make_key(x, &made_by, &key);
	ret->ok = unit_cache_get(cache, &key, &ret->unit);
	if (ret->ok)
		return 0;
	buffer_clear(&ret->unit);
	if (is_known)
		instances_find(&x->instances, &x->compiler->session, &made_by);
	if (compile_tries(x, err))
		return -1;
	if (x->diagnostics.n_errors)
		return 0;
	if (make_unit(x, ret, err))
		return -1;
	/* Warnings may mention other cells. */
	if (!x->diagnostics.warnings.len)
		unit_cache_put(cache, &key, &ret->unit);
	return 0;
}

static void unit_begin(struct cpp_unit *x, struct compiler *c,
		       const struct compile_request *request)
{
	*x = (struct cpp_unit){ .compiler = c, .request = request, .instances = INSTANCES_INIT };
	mem_pool_init(&x->pool);
	cpp_names_init(&x->names, &x->pool);
	cpp_pieces_init(&x->pieces, &x->pool);
	snprintf(x->run, sizeof(x->run), UNIT_STATEMENTS "%u", request->cell);
	diagnostics_init(&x->diagnostics, request, request->text);
}

static void unit_end(struct cpp_unit *x)
{
	unit_text_release(&x->text);
	edit_list_release(&x->edits);
	cpp_names_release(&x->names);
	cpp_pieces_release(&x->pieces);
	cpp_own_release(&x->own);
	cpp_dependents_release(&x->dependents);
	pragma_state_release(&x->before);
	pragma_state_release(&x->pragmas);
	buffer_release(&x->own_variables);
	instances_release(&x->instances);
	buffer_release(&x->unused);
	cpp_cell_release(&x->cell);
	clang_result_release(&x->object);
	diagnostics_release(&x->diagnostics);
	buffer_release(&x->header);
	buffer_release(&x->with_instances);
	buffer_release(&x->includes);
	buffer_release(&x->flags);
	buffer_release(&x->device_flags);
	buffer_release(&x->kernels);
	buffer_release(&x->behind);
	free(x->ptx);
	mem_pool_release(&x->pool);
}

int compile_cpp(struct compiler *c, const struct compile_request *request,
		struct compile_result *ret, struct error *err)
{
	struct cpp_unit x;
	int failed;

	memset(ret, 0, sizeof(*ret));
	unit_begin(&x, c, request);
	failed = compile(&x, ret, err);
	if (!failed && !ret->ok)
		compile_result_refuse(ret, &x.diagnostics);
	unit_end(&x);
	return failed;
}

/* Returns the place of a byte of the cell in the unit. */
static size_t place_of(const struct unit_text *t, uint32_t at)
{
	const struct unit_text_segment *s = t->segments;

	for (uint32_t i = 1; i < t->n && t->segments[i].cell <= at; i++)
		s = &t->segments[i];
	return s->start + (at - s->cell);
}

/* Leaves out what the session has that the text defines, as a compilation does. */
static int drop_clashes(struct cpp_unit *x, struct error *err)
{
	do {
		start_try(x);
		x->job = (struct clang_job){ .options = x->options,
					     .name = x->request->cell_name,
					     .header = buffer_text(&x->header),
					     .text = buffer_text(&x->text.text),
					     .len = x->text.text.len,
					     .context = x,
					     .diagnostic = cpp_tries_on_diagnostic };
		cpp_diagnostics_init(&x->filter, &x->diagnostics, &x->text, NULL);
		clang_shim_parse(&x->job);
		cpp_tries_end(x);
		if (x->again && write_text(x, err))
			return -1;
	} while (x->again);
	return 0;
}

int compile_cpp_ask(struct compiler *c, const char *text, uint32_t at,
		    const struct cell_question *q, struct error *err)
{
	struct compile_request request = {
		.cell_name = "cell", .text = text, .cflags = "", .nvflags = ""
	};
	struct cpp_unit x;
	int r;

	unit_begin(&x, c, &request);
	r = prepare(&x, err);
	if (!r)
		r = write_text(&x, err);
	if (!r && x.text.n && q->has_run)
		r = drop_clashes(&x, err);
	if (!r && x.text.n) {
		struct clang_job job = { .options = x.options,
					 .header = buffer_text(&x.header),
					 .name = request.cell_name,
					 .text = buffer_text(&x.text.text),
					 .len = x.text.text.len,
					 .context = q->data };
		uint32_t line, column;

		text_position(job.text, job.len, place_of(&x.text, at), &line, &column);
		q->ask(&job, line, column);
	}
	unit_end(&x);
	return r < 0 ? -1 : 0;
}
