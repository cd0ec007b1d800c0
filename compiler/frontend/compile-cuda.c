/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvcc gets the cell behind a #line, so that its messages and the lines of device code are the
 * cell's.
 */
#define _GNU_SOURCE
#include "compiler/frontend/compile-cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/code/unit.h"
#include "common/protocol/compiler-protocol.h"
#include "common/text/allowed-flags.h"
#include "compiler/device/c-linkage.h"
#include "compiler/device/cell-stamp.h"
#include "compiler/device/cuda-flags.h"
#include "compiler/device/nvcc.h"
#include "compiler/frontend/compile.h"
#include "compiler/frontend/diagnostics.h"
#include "compiler/text/cpp-cell.h"
#include "compiler/units/line-table.h"

#define FILES_MAX 60

struct cuda_unit {
	struct compiler *compiler;
	const struct compile_request *request;
	struct mem_pool pool;
	struct cpp_cell cell;
	struct diagnostics diagnostics;
	struct buffer text; /* all files, for the cache */
	char *nvcc;
	struct cuda_flags flags;
	struct nvcc_file files[FILES_MAX + 2]; /* texts in the pool */
	size_t n_files;
	struct nvcc_answer answer;
	struct unit_cache_key key;
	bool stamped; /* nvcc was given CELL_STAMP as the cell's number */
	uint64_t program;
	/* The symbol that runs the program, and the name of the cell, as nvcc gets them. */
	char run[40], name[40];
};

/* Returns the magic that the cell begins with; %%cu is the name that the first plugin for notebooks
 * used. NULL: it is no such cell. */
static const char *magic_of(const char *text)
{
	static const char *const magics[] = { "%%cuda", "%%cu" };

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (cpp_cell_line(text, magics[i]))
			return magics[i];
	return NULL;
}

bool compile_cuda_is(const char *text)
{
	return magic_of(text) != NULL;
}

char *compile_cuda_as_cpp(const char *text, struct mem_pool *pool)
{
	char *copy = mem_pool_strdup(pool, text);
	size_t at = (size_t)(cpp_cell_line(text, magic_of(text)) - text);

	for (; copy && copy[at] && copy[at] != '\n'; at++)
		copy[at] = ' ';
	return copy;
}

/* ---- text ---- */

static void put_string(struct buffer *out, const char *text)
{
	buffer_putc(out, '"');
	for (; *text; text++)
		buffer_printf(out, "\\%03o", (unsigned char)*text);
	buffer_putc(out, '"');
}

/*
 * Writes the function that runs main(), whose symbol can be called although C++ code may not name
 * it. exit() ends the program, not the cell. A program may write to its arguments, and getopt() is
 * reset.
 */
static void put_run(const struct cuda_unit *x, struct buffer *out)
{
	buffer_printf(out,
		      "\n#line 1 \"main\"\n#include <cstdio>\n#include <unistd.h>\n"
		      "extern \"C\" int cgpu_main(int, char **) __asm__(\"main\");\n"
		      "extern \"C\" int cgpu_program_quietly(void *, int, char **);\n"
		      "extern \"C\" void %s() {\n"
		      "static char name[] = \"%s\";\n",
		      x->run, x->name);
	for (size_t i = 0; i < x->flags.n_arguments; i++) {
		buffer_printf(out, "static char argument%zu[] = ", i);
		put_string(out, x->flags.arguments[i]);
		buffer_puts(out, ";\n");
	}
	buffer_puts(out, "char *argv[] = { name");
	for (size_t i = 0; i < x->flags.n_arguments; i++)
		buffer_printf(out, ", argument%zu", i);
	buffer_printf(out,
		      ", nullptr };\n"
		      "optind = 0;\n"
		      "int status = cgpu_program_quietly((void *)cgpu_main, %zu, argv);\n"
		      "if (status) std::fprintf(stderr, \"exit status %%d\\n\", status);\n}\n",
		      x->flags.n_arguments + 1);
}

static const char *find_file(const char *text)
{
	const char *at = strstr(text, "\n" COMPILER_CUDA_FILE);

	return at ? at + 1 : NULL;
}

static int add_file(struct cuda_unit *x, const char *name, const struct buffer *text,
		    struct error *err)
{
	char *copy = mem_pool_strdup(&x->pool, buffer_text(text));

	if (!copy || !name)
		return error_set(err, ERROR_MEMORY, "out of memory for a file of a cell");
	if (x->n_files == FILES_MAX + 2)
		return error_set(err, ERROR_LIMIT, "a program of more than %d files", FILES_MAX);
	x->files[x->n_files++] = (struct nvcc_file){ name, copy };
	return buffer_check(text, err);
}

/* Splits the text of a group into files: each has its own name in nvcc's messages, and the call of
 * main() is in an additional one. */
static int split_files(struct cuda_unit *x, const char *at, struct error *err)
{
	while (at) {
		const char *name = at + strlen(COMPILER_CUDA_FILE),
			   *begin = name + strcspn(name, "\n"), *next = find_file(begin);
		cleanup_buffer struct buffer text = BUFFER_INIT;
		char *copy = mem_pool_strndup(&x->pool, name, (size_t)(begin - name));

		buffer_printf(&text, "#line 1 \"%s\"\n", copy ? copy : "");
		begin += *begin == '\n';
		buffer_append(&text, begin, next ? (size_t)(next - begin) : strlen(begin));
		if (add_file(x, copy, &text, err))
			return -1;
		at = next;
	}
	return 0;
}

static int write_text(struct cuda_unit *x, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const char *first = find_file(x->cell.text);

	if (first && split_files(x, first, err))
		return -1;
	if (!first) {
		buffer_printf(&text, "#line 1 \"%s\"\n", x->name);
		buffer_puts(&text, x->cell.text);
	}
	if (x->cell.has_main)
		put_run(x, &text);
	if (text.len && add_file(x, first ? "cgpu-main.cu" : "cell.cu", &text, err))
		return -1;
	for (size_t i = 0; i < x->n_files; i++)
		buffer_printf(&x->text, "%s\n%s\n", x->files[i].name, x->files[i].text);
	return buffer_check(&x->text, err);
}

/* ---- the cache ---- */

static bool names_files(const struct cuda_unit *x)
{
	static const char *const parts[] = { "__DATE__", "__TIME__", "__TIMESTAMP__", "embed",
					     NULL };
	const struct token_list *l = &x->cell.tokens;

	for (size_t i = 0; parts[i]; i++)
		if (strstr(x->cell.text, parts[i]))
			return true;
	for (size_t i = 0; i < x->flags.n_nvcc; i++)
		if (strchr("-", x->flags.nvcc[i][0]) == NULL ||
		    !strncmp(x->flags.nvcc[i], "-I", 2) || strstr(x->flags.nvcc[i], "include"))
			return true;
	for (uint32_t i = 0; i < l->n; i++) {
		size_t n;

		if (l->at[i].kind == TOKEN_DIRECTIVE && token_directive_is(l, i, "include") &&
		    *token_directive_rest(l, i, &n) != '<')
			return true;
	}
	return false;
}

/* Makes the key of the unit cache. Headers in angle brackets belong to the toolkit and the host
 * compiler, and change with them. */
static void make_key(struct cuda_unit *x)
{
	static const char *const host[] = { "/usr/bin/g++", "/usr/bin/c++" };
	cleanup_buffer struct buffer asked = BUFFER_INIT;
	struct stat st;

	if (!x->request->cell || names_files(x) || stat(x->nvcc, &st))
		return;
	buffer_printf(&asked, "cuda\n%s %lld %lld.%09ld\n%u\n%s\n%s\n", x->nvcc,
		      (long long)st.st_size, (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec,
		      x->request->sm, x->name, x->run);
	for (size_t i = 0; i < sizeof(host) / sizeof(host[0]); i++)
		if (!stat(host[i], &st))
			buffer_printf(&asked, "%lld %lld\n", (long long)st.st_size,
				      (long long)st.st_mtim.tv_sec);
	for (size_t i = 0; i < x->flags.n_nvcc; i++)
		buffer_printf(&asked, "%s\n", x->flags.nvcc[i]);
	if (!stat("/proc/self/exe", &st))
		buffer_printf(&asked, "%llu %lld", (unsigned long long)st.st_ino,
			      (long long)st.st_mtim.tv_sec);
	if (!buffer_check(&asked, NULL))
		unit_cache_key_make(&x->key,
				    (const char *[]){ buffer_text(&asked), buffer_text(&x->text) },
				    (size_t[]){ asked.len, x->text.len }, 2);
}

/* ---- what nvcc has made ---- */

/* Replaces `.file 1 "/home/me/In[3]"` in the PTX by `.file 1 "In[3]"`, padded with blanks, since
 * offsets must not change. */
static void name_files(struct buffer *object, const char *name)
{
	cleanup_buffer struct buffer part = BUFFER_INIT;
	char *at = object->data, *end = object->data + object->len;

	buffer_printf(&part, "/%s\"", name);
	if (buffer_check(&part, NULL))
		return;
	while ((at = memmem(at, (size_t)(end - at), part.data, part.len))) {
		char *behind = at + part.len,
		     *line = memrchr(object->data, '\n', (size_t)(at - object->data));
		char *quote = line ? memchr(line, '"', (size_t)(at - line)) : NULL;

		if (quote && memmem(line, (size_t)(quote - line), ".file", 5)) {
			memmove(quote + 1, at + 1, part.len - 1);
			memset(quote + part.len, ' ', (size_t)(at - quote));
		}
		at = behind;
	}
}

/* Adds an error of the preprocessor or the host compiler, as `In[3]:2:10: fatal error: x.h: No such
 * file`. */
static void add_host_complaint(struct cuda_unit *x, const char *line)
{
	size_t name = strlen(x->request->cell_name);
	unsigned at, column;
	int n = 0;
	enum clang_severity severity;

	if (strncmp(line, x->request->cell_name, name) ||
	    sscanf(line + name, ":%u:%u: %n", &at, &column, &n) != 2 || !n)
		return;
	line += name + (size_t)n;
	if (!strncmp(line, "fatal error: ", 13) || !strncmp(line, "error: ", 7))
		severity = CLANG_ERROR;
	else if (!strncmp(line, "warning: ", 9))
		severity = CLANG_WARNING;
	else
		return;
	diagnostics_add(&x->diagnostics, severity, at, column, 1, strstr(line, ": ") + 2);
}

static void add_host_complaints(struct cuda_unit *x)
{
	cleanup_free char *log = strdup(buffer_text(&x->answer.log));
	char *rest = NULL;

	for (char *line = log ? strtok_r(log, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		add_host_complaint(x, line);
}

/* ---- the unit ---- */

/* Puts the cell's own number into the object. */
static void stamp(struct cuda_unit *x)
{
	if (!x->stamped)
		return;
	x->program = cell_stamp_program(&x->answer.object);
	cell_stamp_object(&x->answer.object, x->request->cell);
	snprintf(x->run, sizeof(x->run), "cgpu_cell_%06u", x->request->cell);
}

static int make_unit(struct cuda_unit *x, struct buffer *out, struct error *err)
{
	struct error problem = ERROR_INIT;
	struct unit u = { .cell = x->request->cell,
			  .cell_name = x->request->cell_name,
			  .run_symbol = x->cell.has_main ? x->run : "",
			  .display_type = "",
			  .display_type_code = "",
			  .ptx = "",
			  .object = x->answer.object.data,
			  .object_len = x->answer.object.len,
			  .program = x->program,
			  .warnings = buffer_text(&x->diagnostics.warnings) };

	if (c_linkage_find(&x->cell.tokens, &x->compiler->session, &x->pool, &u, err))
		return -1;
	if (line_table_read(u.object, u.object_len, u.cell_name, &x->pool, &u.lines, &u.n_lines,
			    &problem) &&
	    problem.code != ERROR_INPUT)
		return error_set(err, problem.code, "%s", problem.text);
	unit_encode(&u, out);
	return buffer_check(out, err);
}

static int ask_nvcc(struct cuda_unit *x, struct error *err)
{
	struct nvcc_request request = { .nvcc = x->nvcc,
					.files = x->files,
					.n_files = x->n_files,
					.flags = x->flags.nvcc,
					.prelude = x->compiler->options.prelude,
					.sm = x->request->sm ? x->request->sm : 75 };

	if (nvcc_compile(&request, &x->answer, err))
		return -1;
	if (x->stamped)
		cell_stamp_text(&x->answer.log, x->request->cell);
	else
		name_files(&x->answer.object, x->name);
	for (size_t i = 0; i < x->n_files; i++)
		name_files(&x->answer.object, x->files[i].name);
	diagnostics_add_nvcc(&x->diagnostics, buffer_text(&x->answer.log));
	add_host_complaints(x);
	if (!x->answer.ok && !x->diagnostics.n_errors) {
		diagnostics_add(&x->diagnostics, CLANG_ERROR, 0, 0, 0,
				"nvcc does not compile this cell");
		buffer_puts(&x->diagnostics.errors, buffer_text(&x->answer.log));
	}
	return 0;
}

static int compile(struct cuda_unit *x, struct compile_result *ret, struct error *err)
{
	struct error problem = ERROR_INIT;

	if (cpp_cell_init(&x->cell, x->request->text, magic_of(x->request->text), &x->pool, err))
		return -1;
	cuda_flags_read(&x->flags, x->cell.flags, &x->pool);
	if (allowed_flags_check(ALLOWED_FLAGS_NVCC, x->flags.nvcc, x->flags.n_nvcc, &problem)) {
		error_wrap(&problem, "%%%%cuda");
		diagnostics_add(&x->diagnostics, CLANG_ERROR, 1, 0, 0, problem.text);
		return 0;
	}
	x->nvcc = nvcc_find(x->compiler->options.cuda_root, &problem);
	if (!x->nvcc) {
		diagnostics_add(&x->diagnostics, CLANG_ERROR, 0, 0, 0, problem.text);
		return 0;
	}
	if (write_text(x, err))
		return -1;
	make_key(x);
	if (!unit_cache_get(&x->compiler->cache, &x->key, &x->answer.object)) {
		if (ask_nvcc(x, err))
			return -1;
		if (!x->answer.ok)
			return 0;
		/* Write it at once: the next cell may come before there is idle time, and nvcc
		 * takes long. */
		if (!x->diagnostics.warnings.len) {
			unit_cache_put(&x->compiler->cache, &x->key, &x->answer.object);
			unit_cache_rest(&x->compiler->cache);
		}
	}
	ret->ok = true;
	stamp(x);
	return make_unit(x, &ret->unit, err);
}

int compile_cuda(struct compiler *c, const struct compile_request *request,
		 struct compile_result *ret, struct error *err)
{
	struct cuda_unit x = { .compiler = c, .request = request };
	int failed;

	memset(ret, 0, sizeof(*ret));
	mem_pool_init(&x.pool);
	x.stamped = request->cell < CELL_STAMP;
	snprintf(x.run, sizeof(x.run), "cgpu_cell_%06u", x.stamped ? CELL_STAMP : request->cell);
	snprintf(x.name, sizeof(x.name), "In[%u]", x.stamped ? CELL_STAMP : request->cell);
	diagnostics_init(&x.diagnostics, request, request->text);
	failed = compile(&x, ret, err);
	if (!failed && !ret->ok)
		compile_result_refuse(ret, &x.diagnostics);
	nvcc_answer_release(&x.answer);
	buffer_release(&x.text);
	cpp_cell_release(&x.cell);
	diagnostics_release(&x.diagnostics);
	mem_pool_release(&x.pool);
	free(x.nvcc);
	return failed;
}
