/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "tests/unit/compiler/compiler-fixture.h"

static char folder[] = "/tmp/cgpu-test-compiler-XXXXXX";

int compiler_fixture_set_up(void **state)
{
	(void)state;
	return !mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) ||
	       setenv("CGPU_PRELUDE", PRELUDE, 1);
}

int compiler_fixture_tear_down(void **state)
{
	char command[400];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

const char *compiler_fixture_folder(void)
{
	return folder;
}

struct compiler compiler_fixture_start(void)
{
	struct compiler c;
	struct error err = ERROR_INIT;

	if (compiler_init(&c, &err))
		fail_msg("%s", err.text);
	return c;
}

struct compile_result compiler_fixture_compile(struct compiler *c, uint32_t cell, const char *text,
					       const char *cflags)
{
	struct compile_request request = { .cell = cell,
					   .cell_name = "In[3]",
					   .text = text,
					   .cflags = cflags,
					   .nvflags = "",
					   .sm = 75 };
	struct compile_result result;
	struct error err = ERROR_INIT;

	if (compiler_compile(c, &request, &result, &err))
		fail_msg("%s", err.text);
	if (!result.ok)
		fail_msg("%s", buffer_text(&result.all));
	compiler_rest(c);
	return result;
}
