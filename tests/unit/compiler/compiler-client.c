/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/compiler/compiler-client.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "common/sandbox/confinement.h"
#include "common/sandbox/hidden-path.h"

#define DEADLINE_MS 180000

static struct ipc_message receive(struct compiler_client *c, unsigned type)
{
	struct error err = ERROR_INIT;
	struct ipc_message m;

	if (ipc_receive(c->sock, DEADLINE_MS, &m, &err) != 1)
		fail_msg("no answer from cgpu-compiler: %s", err.text);
	assert_int_equal(m.type, type);
	return m;
}

/* The first message, with no step of containment. */
static void confine_not(int sock)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	confinement_put(&b, 0, 0, &(struct buffer)BUFFER_INIT);
	hidden_path_put(&b, &(struct hidden_path){ .path = "" });
	record_put_u32(&b, 0);
	assert_int_equal(ipc_send(sock, COMPILER_CONFINE, b.data, b.len, NULL, 0, &err), 0);
}

static void spawn(struct compiler_client *c, const char *cache)
{
	struct error err = ERROR_INIT;
	int pair[2];

	assert_int_equal(ipc_pair(pair, &err), 0);
	c->pid = fork();
	assert_true(c->pid >= 0);
	if (!c->pid) {
		setenv("XDG_CACHE_HOME", cache, 1);
		setenv("CGPU_PRELUDE", PRELUDE_DIR, 1);
		/* NVRTC leaves its C++ library's reserve behind; in a sanitizer build that is no
		 * leak of ours. */
		setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
		if (dup2(pair[1], COMPILER_SOCKET_FD) == COMPILER_SOCKET_FD)
			execl(COMPILER_PROGRAM, "cgpu-compiler", (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	c->sock = pair[0];
	confine_not(c->sock);
	struct ipc_message hello = receive(c, COMPILER_HELLO);
	struct record r = record_open(hello.data, hello.len);

	assert_int_equal(record_u32(&r), COMPILER_PROTOCOL_VERSION);
	assert_true(*record_str(&r));
	assert_int_equal(record_u32(&r), 0);
	assert_int_equal(record_check(&r, "hello", &err), 0);
	ipc_message_release(&hello);
}

void compiler_client_start(struct compiler_client *c, const char *cache)
{
	memset(c, 0, sizeof(*c));
	spawn(c, cache);
}

static void drop_answer(struct compiler_client *c)
{
	if (c->ok)
		unit_release(&c->unit);
	if (c->answer.type)
		ipc_message_release(&c->answer);
	c->answer.type = 0;
	c->ok = false;
}

static void drop_declaration(struct compiler_client *c, unsigned i)
{
	free((char *)c->declarations[i].name);
	free((char *)c->declarations[i].host);
	free((char *)c->declarations[i].device);
	free((char *)c->declarations[i].written);
	memmove(&c->declarations[i], &c->declarations[i + 1],
		(c->n - i - 1) * sizeof(*c->declarations));
	c->n--;
}

void compiler_client_stop(struct compiler_client *c)
{
	int status;

	drop_answer(c);
	while (c->n)
		drop_declaration(c, 0);
	free(c->declarations);
	close(c->sock);
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	assert_int_equal(status, 0);
}

static void send_declarations(struct compiler_client *c, unsigned first)
{
	struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u32(&b, c->n);
	record_put_u32(&b, c->n - first);
	for (unsigned i = first; i < c->n; i++) {
		record_put_u32(&b, i);
		declaration_encode(&c->declarations[i], &b);
	}
	assert_int_equal(ipc_send(c->sock, COMPILER_DECLARATIONS, b.data, b.len, NULL, 0, &err), 0);
	buffer_release(&b);
}

void compiler_client_restart(struct compiler_client *c, const char *cache)
{
	int status;

	kill(c->pid, SIGKILL);
	waitpid(c->pid, &status, 0);
	close(c->sock);
	spawn(c, cache);
	send_declarations(c, 0);
}

/* As the kernel does: what has the same name in the same space gives way. */
static void accept_unit(struct compiler_client *c)
{
	unsigned first = c->n;

	for (size_t i = 0; i < c->unit.n_declarations; i++) {
		struct declaration d = c->unit.declarations[i];

		for (unsigned k = 0; *d.name && k < c->n; k++)
			if (!strcmp(c->declarations[k].name, d.name) &&
			    !strcmp(declaration_space(c->declarations[k].kind),
				    declaration_space(d.kind))) {
				drop_declaration(c, k);
				first = k < first ? k : first;
				break;
			}
		d.name = strdup(d.name);
		d.host = strdup(d.host);
		d.device = strdup(d.device);
		d.written = strdup(declaration_written(&d));
		c->declarations = realloc(c->declarations, (c->n + 1) * sizeof(*c->declarations));
		assert_non_null(c->declarations);
		c->declarations[c->n++] = d;
	}
	send_declarations(c, first);
}

struct ipc_message compiler_client_ask(struct compiler_client *c, unsigned type,
				       const struct buffer *b, unsigned answer)
{
	struct error err = ERROR_INIT;

	assert_int_equal(ipc_send(c->sock, type, b->data, b->len, NULL, 0, &err), 0);
	return receive(c, answer);
}

void compiler_client_run(struct compiler_client *c, const char *text, const char *cflags)
{
	struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	char name[20];

	drop_answer(c);
	snprintf(name, sizeof(name), "In[%u]", ++c->cell);
	record_put_u32(&b, c->cell);
	record_put_u32(&b, c->cell);
	record_put_str(&b, name);
	record_put_str(&b, text);
	record_put_str(&b, ""); /* messages are about it */
	record_put_str(&b, cflags);
	record_put_str(&b, "");
	record_put_u32(&b, 75);
	record_put_u32(&b, 0);
	record_put_u8(&b, 0); /* not for a debugger */
	record_put_u8(&b, 0); /* not checked */
	record_put_u32(&b, 0);
	assert_int_equal(ipc_send(c->sock, COMPILER_COMPILE, b.data, b.len, NULL, 0, &err), 0);
	buffer_release(&b);
	if (ipc_receive(c->sock, DEADLINE_MS, &c->answer, &err) != 1)
		fail_msg("no answer from cgpu-compiler: %s", err.text);
	struct record r = record_open(c->answer.data, c->answer.len);

	assert_int_equal(record_u32(&r), c->cell);
	c->ok = c->answer.type == COMPILER_COMPILED;
	if (c->ok) {
		size_t len;
		const char *bytes = record_bytes(&r, &len);

		assert_int_equal(unit_decode(bytes, len, &c->unit, &err), 0);
		accept_unit(c);
		return;
	}
	assert_int_equal(c->answer.type, COMPILER_REFUSED);
	c->first = record_str(&r);
	c->all = record_str(&r);
	c->line = record_u32(&r);
	assert_int_equal(record_check(&r, "an answer", &err), 0);
}

static void put_lines(struct buffer *out, unsigned cell, const char *what, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		buffer_printf(out, "%u %s %.*s\n", cell, what, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

void compiler_client_facts(const struct compiler_client *c, struct buffer *out)
{
	const struct unit *u = &c->unit;

	if (!c->ok) {
		buffer_printf(out, "%u refused line %u\n", c->cell, c->line);
		put_lines(out, c->cell, "says", c->all);
		return;
	}
	buffer_printf(out, "%u ok\n", c->cell);
	put_lines(out, c->cell, "says", u->warnings);
	if (*u->run_symbol)
		buffer_printf(out, "%u runs\n", c->cell);
	if (*u->display_type)
		buffer_printf(out, "%u displays %s | %s\n", c->cell, u->display_type,
			      u->display_type_code);
	for (size_t i = 0; i < u->n_symbols; i++)
		buffer_printf(out, "%u symbol %s | %s | %s | %u\n", c->cell, u->symbols[i].name,
			      u->symbols[i].type, u->symbols[i].type_code, u->symbols[i].line);
	for (size_t i = 0; i < u->n_declarations; i++) {
		const struct declaration *d = &u->declarations[i];

		buffer_printf(out, "%u declares %s %s\n", c->cell, declaration_kind_name(d->kind),
			      d->name);
		put_lines(out, c->cell, "host", d->host);
		put_lines(out, c->cell, "device", d->device);
	}
	for (size_t i = 0; i < u->n_kernels; i++)
		buffer_printf(out, "%u entry %s %s line %u\n", c->cell, u->kernels[i].name,
			      u->kernels[i].ptx_name, u->kernels[i].line);
	for (size_t i = 0; i < u->n_lines; i++)
		buffer_printf(out, "%u row %s line %u\n", c->cell, u->lines[i].function,
			      u->lines[i].line);
	if (u->ptx_len)
		buffer_printf(out, "%u ptx\n", c->cell);
}
