/* SPDX-License-Identifier: Apache-2.0 */
/* common/ when memory is out: the n-th allocation fails for every n; each failure is reported,
 * nothing leaks or crashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "common/base/record.h"
#include "common/code/unit.h"
#include "common/protocol/ipc.h"
#include "tests/unit/failing-malloc.h"

static int fill_buffer(void *data)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	(void)data;
	for (int i = 0; i < 300; i++)
		buffer_printf(&b, "%d ", i);
	if (buffer_check(&b, &err)) {
		assert_int_equal(err.code, ERROR_MEMORY);
		assert_true(b.len == 0 || b.data[b.len] == '\0');
		return -1;
	}
	assert_int_equal(b.len, 1090);
	return 0;
}

static int fill_pool(void *data)
{
	struct mem_pool pool = MEM_POOL_INIT;
	int result = 0;

	(void)data;
	for (size_t size = 1; size < 100000 && !result; size *= 3) {
		char *p = mem_pool_alloc(&pool, size);

		if (p)
			memset(p, 1, size);
		else
			result = -1;
	}
	mem_pool_release(&pool);
	return result;
}

static int carry_unit(void *data)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct declaration d = { DECLARATION_MACRO, 1, 1, "M", "#define M 1", "#define M 1" };
	struct unit_symbol s = { "x", false, 4, "int", "i4", 1, 7 };
	struct unit u = { .cell_name = "In[1]",
			  .declarations = &d,
			  .n_declarations = 1,
			  .symbols = &s,
			  .n_symbols = 1 };
	struct unit back;

	(void)data;
	unit_encode(&u, &b);
	if (buffer_check(&b, NULL))
		return -1;
	if (unit_decode(b.data, b.len, &back, NULL))
		return -1;
	assert_string_equal(back.declarations[0].name, "M");
	unit_release(&back);
	return 0;
}

static int receive_message(void *data)
{
	const int *sockets = data;
	struct ipc_message m;
	struct error err = ERROR_INIT;

	if (ipc_receive(sockets[1], 0, &m, &err) != 1) {
		assert_int_equal(err.code, ERROR_MEMORY);
		return -1;
	}
	assert_int_equal(m.len, 5);
	ipc_message_release(&m);
	return 0;
}

static void buffers(void **state)
{
	(void)state;
	failing_malloc_run(fill_buffer, NULL);
}

static void pools(void **state)
{
	(void)state;
	failing_malloc_run(fill_pool, NULL);
}

static void units(void **state)
{
	(void)state;
	failing_malloc_run(carry_unit, NULL);
}

static void messages_stay_in_the_socket(void **state)
{
	int sockets[2];

	(void)state;
	assert_int_equal(ipc_pair(sockets, NULL), 0);
	assert_int_equal(ipc_send(sockets[0], 1, "hello", 5, NULL, 0, NULL), 0);
	failing_malloc_run(receive_message, sockets);
	close(sockets[0]);
	close(sockets[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffers),
		cmocka_unit_test(pools),
		cmocka_unit_test(units),
		cmocka_unit_test(messages_stay_in_the_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
