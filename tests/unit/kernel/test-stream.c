/* SPDX-License-Identifier: Apache-2.0 */
/* struct stream: what is shown at once, what is kept, what is left out and how that is said. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/show/stream.h"

static void add(struct stream *s, const char *text)
{
	stream_add(s, text, strlen(text));
}

static uint64_t count_newlines(const char *text, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

static void short_text_passes(void **state)
{
	struct stream s;
	cleanup_buffer struct buffer out = BUFFER_INIT;

	(void)state;
	stream_init(&s, 1000);
	add(&s, "one\n");
	assert_true(stream_ready(&s) > 0);
	stream_take(&s, &out);
	assert_int_equal(stream_ready(&s), 0);
	add(&s, "two \xe2\x82");
	stream_take(&s, &out);
	assert_string_equal(out.data, "one\ntwo ");
	add(&s, "\xac");
	stream_end(&s, "", &out);
	assert_string_equal(out.data, "one\ntwo \xe2\x82\xac");
	stream_release(&s);
}

static void up_to_the_limit_nothing_is_lost(void **state)
{
	struct stream s;
	cleanup_buffer struct buffer out = BUFFER_INIT;

	(void)state;
	stream_init(&s, 40);
	for (int i = 0; i < 8; i++) {
		add(&s, "\xc3\xa9yz"); /* the head ends inside a character */
		stream_take(&s, &out);
	}
	assert_true(out.len <= 20);
	stream_end(&s, "", &out);
	assert_int_equal(out.len, 32);
	for (int i = 0; i < 8; i++)
		assert_memory_equal(out.data + 4 * i, "\xc3\xa9yz", 4);
	stream_release(&s);
}

/* Head and tail whole lines of a long output, and exact figures between them. */
static void long_text_keeps_head_and_tail(void **state)
{
	struct stream s;
	cleanup_buffer struct buffer out = BUFFER_INIT;
	uint64_t bytes, lines;
	char *note, *tail;
	int next;

	(void)state;
	stream_init(&s, 2010);
	for (int i = 0; i < 100000; i++) {
		char line[32];

		snprintf(line, sizeof(line), "line %d\n", i);
		add(&s, line);
		assert_true(s.tail.len <= 3000);
	}
	stream_end(&s, "", &out);
	assert_true(out.len < 2200);
	assert_int_equal(strncmp(out.data, "line 0\nline 1\n", 14), 0);
	note = strstr(out.data, "\n[... ");
	assert_non_null(note);
	assert_int_equal(
		sscanf(note, "\n[... %" SCNu64 " bytes, %" SCNu64 " lines", &bytes, &lines), 2);
	tail = strchr(note + 1, '\n') + 1;
	assert_int_equal(sscanf(tail, "line %d\n", &next), 1);
	assert_string_equal(out.data + out.len - 11, "line 99999\n");
	/* Everything is accounted for: head + left out + tail. */
	assert_int_equal(bytes + (note - out.data) + (out.data + out.len - tail), 1088890);
	/* The head ends inside a line, whose end counts among those left out. */
	assert_int_equal(lines, next - count_newlines(out.data, note - out.data));
	stream_release(&s);
}

static void limit_counts_json_bytes(void **state)
{
	struct stream s;
	cleanup_buffer struct buffer out = BUFFER_INIT;

	(void)state;
	stream_init(&s, 1200);
	for (int i = 0; i < 1000; i++)
		add(&s, "\033"); /* six bytes each in JSON */
	stream_take(&s, &out);
	assert_int_equal(out.len, 100);
	stream_end(&s, "", &out);
	assert_non_null(strstr(out.data, "[... 800 bytes, 0 lines left out here; `%limit output"));
	stream_release(&s);
}

/* What is left out is known before the end, and where it is stands in the line, as UTF-8. */
static void the_gap_says_where_all_is(void **state)
{
	struct stream s;
	cleanup_buffer struct buffer out = BUFFER_INIT;

	(void)state;
	stream_init(&s, 20);
	add(&s, "01234567890123456789");
	assert_false(stream_is_cut(&s));
	add(&s, "0");
	assert_true(stream_is_cut(&s));
	stream_end(&s, "all is in /tmp/\xff", &out);
	assert_string_equal(out.data, "0123456789\n[... 1 bytes, 0 lines left out here; all is in "
				      "/tmp/\xef\xbf\xbd; `%limit output SIZE` shows more "
				      "...]\n1234567890");
	stream_release(&s);
}

static void each_cell_has_the_limit_again(void **state)
{
	struct stream s;
	cleanup_buffer struct buffer out = BUFFER_INIT;

	(void)state;
	stream_init(&s, 20);
	add(&s, "0123456789012345678901234567890");
	stream_end(&s, "", &out);
	buffer_clear(&out);
	stream_begin(&s, 20);
	add(&s, "abc");
	stream_end(&s, "", &out);
	assert_string_equal(out.data, "abc");
	stream_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_text_passes),
		cmocka_unit_test(up_to_the_limit_nothing_is_lost),
		cmocka_unit_test(long_text_keeps_head_and_tail),
		cmocka_unit_test(limit_counts_json_bytes),
		cmocka_unit_test(the_gap_says_where_all_is),
		cmocka_unit_test(each_cell_has_the_limit_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
