/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgpu-compiler: answers the requests of the kernel process over one socket, one after another,
 * until it closes, on a thread with a stack for texts of any depth. A crash here costs the request:
 * the kernel starts another one and sends the declarations again.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cache-folder.h"
#include "common/base/cleanup.h"
#include "common/base/deep-thread.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "common/protocol/ipc.h"
#include "common/sandbox/confinement.h"
#include "compiler/clang/job/clang-shim.h"
#include "compiler/device/tool-folder.h"
#include "compiler/frontend/compile.h"
#include "compiler/inspect/completion.h"
#include "compiler/inspect/evaluation.h"
#include "compiler/inspect/inspection.h"
#include "compiler/inspect/is-complete.h"
#include "compiler/inspect/look.h"
#include "compiler/inspect/manual.h"
#include "compiler/inspect/words.h"
#include "compiler/packages/packages.h"

#ifdef __SANITIZE_ADDRESS__
/* AddressSanitizer unmaps the alternate signal stack of a thread that ends, but LLVM has put one of
 * its own, from malloc(), in its place when it wrote a file and that one is larger, which depends
 * on the processor. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "use_sigaltstack=0";
}
#endif

/* It also writes its cache. */
static void contain(struct confinement *c, struct sandbox_report *report, void *data)
{
	cleanup_buffer struct buffer cache = BUFFER_INIT;

	if (!cache_folder(&cache, NULL))
		c->policy.writable = buffer_text(&cache);
	confinement_apply(c, report, data);
}

/* The first message of the kernel process, and the answer. */
static int begin(struct error *err)
{
	const struct confinement_exchange x = { COMPILER_CONFINE, COMPILER_HELLO, contain, NULL };
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u32(&b, COMPILER_PROTOCOL_VERSION);
	record_put_str(&b, clang_shim_version());
	return confinement_begin(COMPILER_SOCKET_FD, &x, &b, err);
}

static int on_declarations(struct compiler *c, struct record *r, struct error *err)
{
	uint32_t total = record_u32(r), n = record_count(r, 14);

	session_truncate(&c->session, total);
	while (n--) {
		uint32_t index = record_u32(r);
		struct declaration d = declaration_decode(r);

		if (!r->failed && session_set(&c->session, index, &d, err))
			return -1;
	}
	return record_check(r, "declarations", err);
}

/* Compiles the functions of earlier cells with checks; the names of cells that do not compile a
 * second time are reported. */
static int compile_earlier(struct compiler *c, struct record *r, const struct compile_request *like,
			   struct buffer *out, struct error *err)
{
	cleanup_buffer struct buffer units = BUFFER_INIT, refused = BUFFER_INIT;
	uint32_t n = record_count(r, 12), n_units = 0, n_refused = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct compile_request request = *like;
		struct compile_result result;

		request.functions_only = true;
		request.written = NULL;
		request.cell = record_u32(r);
		request.cell_name = record_str(r);
		request.text = record_str(r);
		if (r->failed || compiler_compile(c, &request, &result, err))
			return -1;
		if (result.ok) {
			record_put_bytes(&units, result.unit.data, result.unit.len);
			n_units++;
		} else {
			record_put_str(&refused, request.cell_name);
			n_refused++;
		}
		compile_result_release(&result);
	}
	if (record_check(r, "a compile request", err))
		return -1;
	record_put_u32(out, n_units);
	buffer_append(out, units.data, units.len);
	record_put_u32(out, n_refused);
	buffer_append(out, refused.data, refused.len);
	return buffer_check(&units, err) || buffer_check(&refused, err) ? -1 : 0;
}

static int on_compile(struct compiler *c, struct record *r, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct compile_result result;
	uint32_t id = record_u32(r);
	struct compile_request request = { .cell = record_u32(r) };
	int failed;

	request.cell_name = record_str(r);
	request.text = record_str(r);
	request.written = record_str(r);
	if (!*request.written)
		request.written = NULL;
	request.cflags = record_str(r);
	request.nvflags = record_str(r);
	request.sm = record_u32(r);
	for (uint32_t n = record_count(r, 4); n; n--)
		session_hide(&c->session, record_u32(r));
	request.debugged = record_u8(r) != 0;
	request.checked = record_u8(r) != 0;
	if (r->failed)
		return record_check(r, "a compile request", err);
	failed = compiler_compile(c, &request, &result, err);
	session_show_all(&c->session);
	if (!failed) {
		record_put_u32(&b, id);
		if (result.ok) {
			record_put_bytes(&b, result.unit.data, result.unit.len);
			failed = compile_earlier(c, r, &request, &b, err) ||
				 ipc_send_buffer(COMPILER_SOCKET_FD, COMPILER_COMPILED, &b, err);
		} else {
			record_put_str(&b, buffer_text(&result.first));
			record_put_str(&b, buffer_text(&result.all));
			record_put_u32(&b, result.line);
			failed = ipc_send_buffer(COMPILER_SOCKET_FD, COMPILER_REFUSED, &b, err);
		}
	}
	compile_result_release(&result);
	return failed;
}

/* Answers with a list, and releases it. failed: its making did; the error is set. */
static int answer_list(struct completion_list *l, uint32_t id, int failed, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (!failed) {
		record_put_u32(&b, id);
		record_put_u32(&b, l->start);
		record_put_u32(&b, l->end);
		record_put_u32(&b, l->n);
		for (uint32_t i = 0; i < l->n; i++) {
			record_put_str(&b, l->at[i].text);
			record_put_str(&b, l->at[i].kind);
			record_put_str(&b, l->at[i].signature);
		}
		failed = ipc_send_buffer(COMPILER_SOCKET_FD, COMPILER_COMPLETED, &b, err);
	}
	completion_list_release(l);
	return failed;
}

static int on_complete(struct compiler *c, struct record *r, struct error *err)
{
	struct completion_list l;
	uint32_t id = record_u32(r);
	const char *text = record_str(r);
	uint32_t cursor = record_u32(r);

	if (record_check(r, "a completion request", err))
		return -1;
	return answer_list(&l, id, completion_list_init(&l, c, text, cursor, err), err);
}

static int on_words(struct record *r, struct error *err)
{
	struct completion_list l;
	uint32_t id = record_u32(r);
	uint8_t kind = record_u8(r);
	const char *typed = record_str(r);

	if (record_check(r, "a question about words", err))
		return -1;
	return answer_list(&l, id, words_list(&l, kind, typed, err), err);
}

static struct manual manual; /* the pages that were shown */

static int on_inspect(struct compiler *c, struct record *r, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct inspection i = { 0 };
	uint32_t id = record_u32(r);
	const char *cell = record_str(r);
	uint32_t at = record_u32(r);
	int failed;

	if (record_check(r, "an inspection request", err))
		return -1;
	failed = inspection_init(&i, c, &manual, cell, at, err);
	record_put_u32(&b, id);
	record_put_u8(&b, i.found);
	record_put_u8(&b, i.of_session);
	record_put_str(&b, buffer_text(&i.code));
	record_put_u32(&b, i.mark_begin);
	record_put_u32(&b, i.mark_end);
	record_put_str(&b, buffer_text(&i.what));
	record_put_str(&b, buffer_text(&i.comment));
	record_put_str(&b, buffer_text(&i.source));
	inspection_release(&i);
	return failed ? -1 : ipc_send_buffer(COMPILER_SOCKET_FD, COMPILER_INSPECTED, &b, err);
}

static int on_express(struct compiler *c, struct record *r, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	uint32_t id = record_u32(r);
	const char *text = record_str(r);
	uint32_t line = record_u32(r);
	const char *expression = record_str(r);
	struct evaluation e = { 0 };
	int failed;

	if (record_check(r, "an expression", err))
		return -1;
	failed = evaluation_init(&e, c, text, line, expression, err);
	record_put_u32(&b, id);
	record_put_str(&b, buffer_text(&e.refusal));
	record_put_bytes(&b, e.program.data, e.program.len);
	evaluation_release(&e);
	return failed ? -1 : ipc_send_buffer(COMPILER_SOCKET_FD, COMPILER_EXPRESSED, &b, err);
}

static int on_is_complete(struct compiler *c, struct record *r, struct error *err)
{
	static const char *const answers[] = {
		[COMPLETENESS_COMPLETE] = "complete",
		[COMPLETENESS_INCOMPLETE] = "incomplete",
		[COMPLETENESS_INVALID] = "invalid",
	};
	cleanup_buffer struct buffer b = BUFFER_INIT;
	uint32_t id = record_u32(r);
	const char *text = record_str(r);
	char indent[100];

	if (record_check(r, "an is_complete request", err))
		return -1;
	record_put_u32(&b, id);
	record_put_str(&b, answers[is_complete(&c->session, text, indent, sizeof(indent))]);
	record_put_str(&b, indent);
	return ipc_send_buffer(COMPILER_SOCKET_FD, COMPILER_COMPLETENESS, &b, err);
}

static void put_package(struct buffer *b, const char *problem, const struct package *p,
			const char *found)
{
	const struct link_libraries *l = &p->libraries;

	record_put_str(b, problem);
	record_put_str(b, p->version);
	record_put_str(b, p->cflags);
	record_put_u32(b, (uint32_t)l->n);
	/* A linker resolves names from left to right; loading needs the opposite order. */
	for (size_t i = l->n; i-- > 0;)
		record_put_str(b, l->paths[i]);
	record_put_str(b, found);
}

static int on_package(struct compiler *c, struct record *r, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT, found = BUFFER_INIT;
	struct error problem = ERROR_INIT;
	struct package p = { 0 };
	uint32_t id = record_u32(r);
	uint8_t question = record_u8(r);
	const char *text = record_str(r);
	int failed;

	if (record_check(r, "a question about packages", err))
		return -1;
	if (question == PACKAGE_FIND)
		failed = package_find(text, c->options.cuda_root, &p, &problem);
	else if (question == PACKAGE_LINK)
		failed = package_link(text, &p, &problem);
	else if (question == PACKAGE_WHO_HAS)
		failed = package_who_has(text, &found, &problem);
	else
		failed = package_search(text, &found, &problem);
	record_put_u32(&b, id);
	put_package(&b, failed ? problem.text : "", &p, buffer_text(&found));
	package_release(&p);
	return ipc_send_buffer(COMPILER_SOCKET_FD, COMPILER_PACKAGED, &b, err);
}

static struct look_unit *read_units(struct record *r, size_t *ret_n)
{
	struct look_unit *units;

	*ret_n = record_count(r, 12);
	units = calloc(*ret_n + 1, sizeof(*units));
	for (size_t i = 0; units && i < *ret_n; i++) {
		units[i].cell = record_str(r);
		units[i].ptx = record_bytes(r, &units[i].ptx_len);
		units[i].object = record_bytes(r, &units[i].object_len);
	}
	return units;
}

static struct listing_source *read_sources(struct record *r, size_t *ret_n)
{
	struct listing_source *sources;

	*ret_n = record_count(r, 8);
	sources = calloc(*ret_n + 1, sizeof(*sources));
	for (size_t i = 0; sources && i < *ret_n; i++) {
		sources[i].name = record_str(r);
		sources[i].text = record_str(r);
	}
	return sources;
}

static int on_look(struct compiler *c, struct record *r, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT, text = BUFFER_INIT, html = BUFFER_INIT;
	struct error problem = ERROR_INIT;
	uint32_t id = record_u32(r);
	struct look_request request = { .kind = record_u8(r), .cuda_root = c->options.cuda_root };
	cleanup_free struct look_unit *units = NULL;
	cleanup_free struct listing_source *sources = NULL;
	int failed;

	request.name = record_str(r);
	request.sm = record_u32(r);
	request.threads = record_u32(r);
	request.dynamic_shared = record_u32(r);
	request.units = units = read_units(r, &request.n_units);
	request.sources = sources = units ? read_sources(r, &request.n_sources) : NULL;
	if (!sources)
		return error_set(err, ERROR_MEMORY, "out of memory for a look at device code");
	if (record_check(r, "a look at device code", err))
		return -1;
	failed = look(&request, &text, &html, &problem);
	record_put_u32(&b, id);
	record_put_str(&b, failed ? problem.text : "");
	record_put_str(&b, buffer_text(&text));
	record_put_str(&b, buffer_text(&html));
	return ipc_send_buffer(COMPILER_SOCKET_FD, COMPILER_LOOKED, &b, err);
}

static int on_folder(struct record *r, struct error *err)
{
	const char *folder = record_str(r);

	if (record_check(r, "the session's folder", err))
		return -1;
	if (chdir(folder))
		log_warning("cannot go to %s", folder);
	return 0;
}

static int on_variable(struct record *r, struct error *err)
{
	const char *text = record_str(r), *value = strchr(text, '=');
	cleanup_free char *name = value ? strndup(text, (size_t)(value - text)) : NULL;

	if (record_check(r, "a variable of the environment", err))
		return -1;
	return name && !setenv(name, value + 1, 1) ? 0 : error_errno(err, "cannot set %s", text);
}

static int on_device(struct compiler *c, struct record *r, struct error *err)
{
	c->sm = record_u32(r);
	return record_check(r, "the session's device", err);
}

static int handle(struct compiler *c, const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);

	switch (m->type) {
	case COMPILER_DECLARATIONS:
		return on_declarations(c, &r, err);
	case COMPILER_COMPILE:
		return on_compile(c, &r, err);
	case COMPILER_COMPLETE:
		return on_complete(c, &r, err);
	case COMPILER_WORDS:
		return on_words(&r, err);
	case COMPILER_INSPECT:
		return on_inspect(c, &r, err);
	case COMPILER_EXPRESS:
		return on_express(c, &r, err);
	case COMPILER_IS_COMPLETE:
		return on_is_complete(c, &r, err);
	case COMPILER_PACKAGE:
		return on_package(c, &r, err);
	case COMPILER_LOOK:
		return on_look(c, &r, err);
	case COMPILER_FOLDER:
		return on_folder(&r, err);
	case COMPILER_VARIABLE:
		return on_variable(&r, err);
	case COMPILER_DEVICE:
		return on_device(c, &r, err);
	default:
		return error_set(err, ERROR_PROTOCOL, "message %u is none that the compiler knows",
				 m->type);
	}
}

/* Compiles an empty cell, because the first compilation builds tables of clang and LLVM, for which
 * the user need not wait. */
static void warm_up(struct compiler *c)
{
	struct compile_request request = { .cell_name = "In[0]",
					   .text = "puts(\"\"); 1 + 1",
					   .cflags = "",
					   .nvflags = "",
					   .sm = 75 };
	struct compile_result result;

	compiler_compile(c, &request, &result, NULL);
	compile_result_release(&result);
}

/* What the thread that answers works with. */
struct server {
	struct deep_thread thread;
	struct compiler compiler;
	bool is_cpp;
	struct error err;
	int failed;
};

static int answer_all(struct server *s, struct error *err)
{
	struct compiler *c = &s->compiler;

	for (;;) {
		struct ipc_message m;
		int failed = ipc_receive(COMPILER_SOCKET_FD, 0, &m, err);

		while (!failed)
			failed = ipc_receive(COMPILER_SOCKET_FD, compiler_rest(c), &m, err);
		if (failed < 0)
			return err->code == ERROR_PEER_GONE ? 0 : -1;
		failed = handle(c, &m, err);
		ipc_message_release(&m);
		deep_thread_tidy(&s->thread);
		if (failed)
			return err->code == ERROR_PEER_GONE ? 0 : -1;
	}
}

static void *serve(void *data)
{
	struct server *s = data;

	s->failed = compiler_init(&s->compiler, &s->err);
	s->compiler.is_cpp = s->is_cpp;
	if (!s->failed) {
		warm_up(&s->compiler);
		tool_folder_tidy();
		s->failed = answer_all(s, &s->err);
	}
	manual_release(&manual);
	compiler_release(&s->compiler);
	return NULL;
}

int main(int argc, char **argv)
{
	struct server server = { .is_cpp = argc > 1 && !strcmp(argv[1], COMPILER_CPP),
				 .err = ERROR_INIT };

	log_init("cgpu-compiler");
	signal(SIGINT, SIG_IGN); /* the terminal's signal is meant for the kernel */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* What begin() gives up is given up for the threads that are started after it. */
	server.failed = begin(&server.err) ||
			deep_thread_begin(&server.thread, serve, &server, &server.err);
	if (!server.failed)
		deep_thread_join(&server.thread);
	if (server.failed)
		log_error("%s", server.err.text);
	return server.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
