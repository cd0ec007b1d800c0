/* SPDX-License-Identifier: Apache-2.0 */
/* Pragmas one after the other, and the shortest list of directives that means the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/mem-pool.h"
#include "compiler/session/pragma-state.h"
#include "compiler/session/session.h"
#include "compiler/text/token.h"

static struct compiler_session session;
static struct mem_pool pool;

/* The state behind all of the text. */
static void go(const char *text, struct pragma_state *ret)
{
	struct token_list l;

	assert_int_equal(token_list_init(&l, text, strlen(text), &pool, NULL), 0);
	pragma_state_init(ret, &session, &pool);
	for (uint32_t i = 0; i < l.n; i++) {
		size_t n;
		const char *rest = token_directive_rest(&l, i, &n);

		if (token_directive_is(&l, i, "pragma"))
			pragma_state_add(ret, mem_pool_strndup(&pool, rest, n));
	}
	assert_false(ret->failed);
}

static void check(const char *text, const char *expected)
{
	cleanup_buffer struct buffer out = BUFFER_INIT, lines = BUFFER_INIT;
	struct pragma_state s;

	go(text, &s);
	pragma_state_write(&s, false, &out);
	for (const char *at = buffer_text(&out); (at = strstr(at, "#pragma "));
	     at += strcspn(at, "\n"))
		buffer_printf(&lines, "%.*s|", (int)(strcspn(at, "\n") - 8), at + 8);
	assert_string_equal(buffer_text(&lines), expected);
	pragma_state_release(&s);
}

static void levels(void **state)
{
	(void)state;
	check("#pragma pack(push, 1)", "pack(push, 1)|");
	check("#pragma pack(push, 1)\n#pragma pack(pop)", "");
	check("#pragma pack(1)\n#pragma pack(push)\n#pragma pack(2)\n#pragma pack(4)",
	      "pack(1)|pack(push)|pack(4)|");
	check("#pragma pack(1)\n#pragma pack(push)\n#pragma pack(2)\n#pragma pack(pop)",
	      "pack(1)|");
	check("#pragma pack(push)\n#pragma pack(pop, 8)", "pack(8)|");
	check("#pragma pack(pop)\n#pragma pack(show)", "");
	check("# pragma pack ( push , \\\n 1 )", "pack ( push ,    1 )|");
}

static void families(void **state)
{
	(void)state;
	check("#pragma GCC diagnostic push\n#pragma pack(push, 2)\n#pragma clang diagnostic "
	      "ignored \"-Wa\"\n"
	      "#pragma GCC diagnostic pop",
	      "pack(push, 2)|");
	check("#pragma GCC diagnostic ignored \"-Wa\"\n#pragma GCC diagnostic error \"-Wb\"\n"
	      "#pragma clang diagnostic warning \"-Wa\"",
	      "GCC diagnostic error \"-Wb\"|clang diagnostic warning \"-Wa\"|");
	check("#pragma STDC FP_CONTRACT ON\n#pragma STDC FENV_ACCESS ON\n#pragma STDC FP_CONTRACT "
	      "OFF",
	      "STDC FENV_ACCESS ON|STDC FP_CONTRACT OFF|");
	check("#pragma weak a\n#pragma weak b\n#pragma weak a\n#pragma weak c = d",
	      "weak a|weak b|");
	check("#pragma packing\n#pragma once\n#pragma omp simd\nint pack(push);", "");
}

/* Cut off anywhere, nothing is read that is not there. */
static void broken_text(void **state)
{
	static const char text[] = "#pragma pack(push, x)\n#pragma GCC diagnostic ignored "
				   "\"-Wa\"\n#pragma pack(pop, 2)\n#pragma pack(";

	(void)state;
	for (size_t n = 0; n <= strlen(text); n++) {
		char *copy = mem_pool_strndup(&pool, text, n);
		struct pragma_state s;

		go(copy, &s);
		pragma_state_release(&s);
	}
}

static int set_up(void **state)
{
	(void)state;
	session_init(&session);
	mem_pool_init(&pool);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	session_release(&session);
	mem_pool_release(&pool);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),
		cmocka_unit_test(families),
		cmocka_unit_test(broken_text),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
