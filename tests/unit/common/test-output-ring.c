/* SPDX-License-Identifier: Apache-2.0 */
/* common/output-ring: order, joining, wrapping, a writer that waits for room, and rings that a cell
 * scribbled over. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/output-ring.h"
#include "common/protocol/worker-protocol.h"

static struct worker_control *control_new(void)
{
	return mmap(NULL, sizeof(struct worker_control), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void control_free(struct worker_control *c)
{
	munmap(c, sizeof(*c));
}

static void order_is_kept_and_text_is_joined(void **state)
{
	struct worker_control *c = control_new();
	cleanup_buffer struct buffer b = BUFFER_INIT;
	enum output_type type;

	(void)state;
	output_ring_write(c, OUTPUT_STDOUT, "a", 1);
	output_ring_write(c, OUTPUT_STDOUT, "b", 1);
	output_ring_write(c, OUTPUT_STDERR, "c", 1);
	output_ring_write(c, OUTPUT_CLEAR, "\0", 1);
	output_ring_write(c, OUTPUT_CLEAR, "\1", 1);
	assert_int_equal(output_ring_read(c, 100, &type, &b, NULL), 1);
	assert_int_equal(type, OUTPUT_STDOUT);
	assert_string_equal(b.data, "ab");
	assert_int_equal(output_ring_read(c, 100, &type, &b, NULL), 1);
	assert_int_equal(type, OUTPUT_STDERR);
	assert_int_equal(output_ring_read(c, 100, &type, &b, NULL), 1);
	assert_int_equal(type, OUTPUT_CLEAR);
	assert_int_equal(b.len, 1);
	assert_int_equal(output_ring_read(c, 100, &type, &b, NULL), 1);
	assert_int_equal(output_ring_read(c, 100, &type, &b, NULL), 0);
	control_free(c);
}

#define LINES 2000000

static void *write_lines(void *data)
{
	char line[32];

	for (int i = 0; i < LINES; i++) {
		int n = snprintf(line, sizeof(line), "%d\n", i);

		output_ring_write(data, OUTPUT_STDOUT, line, (size_t)n);
	}
	output_ring_write(data, OUTPUT_CLEAR, "", 0);
	return NULL;
}

static void a_full_ring_waits_and_loses_nothing(void **state)
{
	struct worker_control *c = control_new();
	cleanup_buffer struct buffer b = BUFFER_INIT;
	enum output_type type = OUTPUT_STDOUT;
	pthread_t writer;
	char expect[32];
	size_t at = 0, line = 0, want = 0;

	(void)state;
	pthread_create(&writer, NULL, write_lines, c);
	while (type != OUTPUT_CLEAR) {
		int n = output_ring_read(c, 65536, &type, &b, NULL);

		assert_true(n >= 0);
		for (size_t i = 0; n == 1 && type == OUTPUT_STDOUT && i < b.len; i++) {
			if (at == 0)
				want = (size_t)snprintf(expect, sizeof(expect), "%zu\n", line);
			if (b.data[i] != expect[at])
				fail_msg("line %zu differs", line);
			if (++at == want) {
				at = 0;
				line++;
			}
		}
	}
	assert_int_equal(line, LINES);
	pthread_join(writer, NULL);
	control_free(c);
}

static void a_scribbled_ring_is_an_error_and_then_empty(void **state)
{
	struct worker_control *c = control_new();
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	enum output_type type;

	(void)state;
	output_ring_write(c, OUTPUT_STDOUT, "abc", 3);
	memset(c->ring, 0xff, 8);
	assert_int_equal(output_ring_read(c, 100, &type, &b, &err), -1);
	assert_int_equal(err.code, ERROR_PROTOCOL);
	assert_int_equal(output_ring_read(c, 100, &type, &b, NULL), 0);
	c->ring_head += 5 * (uint64_t)OUTPUT_RING_SIZE;
	assert_int_equal(output_ring_read(c, 100, &type, &b, &err), -1);
	assert_int_equal(output_ring_read(c, 100, &type, &b, NULL), 0);
	control_free(c);
}

static void huge_text_is_split(void **state)
{
	struct worker_control *c = control_new();
	cleanup_buffer struct buffer b = BUFFER_INIT;
	size_t len = OUTPUT_RING_SIZE - 4096, got = 0;
	char *text = malloc(len);
	enum output_type type;

	(void)state;
	memset(text, 'x', len);
	output_ring_write(c, OUTPUT_STDERR, text, len);
	while (output_ring_read(c, 1, &type, &b, NULL) == 1)
		got += b.len;
	assert_int_equal(got, len);
	free(text);
	control_free(c);
}

/* More than the ring holds, while the reader is at it; the text of another thread is not between
 * its parts. */
static void *write_display(void *data)
{
	size_t len = 2 * (size_t)OUTPUT_RING_SIZE + 5;
	char *bytes = malloc(len);

	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(i % 251);
	output_ring_write(data, OUTPUT_DISPLAY, bytes, len);
	free(bytes);
	return NULL;
}

static void a_large_display_comes_in_parts(void **state)
{
	struct worker_control *c = control_new();
	cleanup_buffer struct buffer b = BUFFER_INIT, all = BUFFER_INIT;
	enum output_type type = OUTPUT_PART;
	pthread_t writer;

	(void)state;
	pthread_create(&writer, NULL, write_display, c);
	while (type == OUTPUT_PART) {
		int n = output_ring_read(c, 100, &type, &b, NULL);

		assert_true(n >= 0);
		if (n)
			buffer_append(&all, b.data, b.len);
	}
	pthread_join(writer, NULL);
	assert_int_equal(type, OUTPUT_DISPLAY);
	assert_int_equal(all.len, 2 * (size_t)OUTPUT_RING_SIZE + 5);
	for (size_t i = 0; i < all.len; i++)
		if (all.data[i] != (char)(i % 251))
			fail_msg("byte %zu differs", i);
	control_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_kept_and_text_is_joined),
		cmocka_unit_test(a_full_ring_waits_and_loses_nothing),
		cmocka_unit_test(a_scribbled_ring_is_an_error_and_then_empty),
		cmocka_unit_test(huge_text_is_split),
		cmocka_unit_test(a_large_display_comes_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
