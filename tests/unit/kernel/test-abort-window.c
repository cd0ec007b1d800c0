/* SPDX-License-Identifier: Apache-2.0 */
/* struct abort_window and the dates that it reads: clocks that differ, other clients, requests
 * without a date. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/protocol/abort-window.h"
#include "kernel/protocol/wire.h"

#define SECOND INT64_C(1000000)

static void dates_are_read_in_every_form(void **state)
{
	static const struct {
		const char *text;
		int64_t us;
	} cases[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "1970-01-01T00:00:01.5Z", 1500000 },
		{ "1970-01-02T00:00:00.000001+00:00", 86400 * SECOND + 1 },
		{ "1970-01-01T02:00:00.123+02:00", 123000 },
		{ "1969-12-31T16:30:00-07:30", 0 },
		{ "2026-11-21T14:52:03.123456Z", INT64_C(1795272723123456) },
	};
	static const char *const wrong[] = { "", "now", "2026-11-21", "2026-11-21T14:52:03",
					     "2026-13-41T14:52:03Zx" };
	char date[WIRE_DATE_MAX];
	int64_t us;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(wire_parse_date(cases[i].text, &us), 0);
		assert_true(us == cases[i].us);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(wire_parse_date(wrong[i], &us), -1);
	wire_date(date);
	assert_int_equal(wire_parse_date(date, &us), 0);
}

static bool covers(const struct abort_window *w, const char *session, const char *date)
{
	struct message m = { .header = json_pack("{ss}", "session", session) };
	bool answer;

	if (date)
		json_object_set_new(m.header, "date", json_string(date));
	answer = abort_window_covers(w, &m);
	json_decref(m.header);
	return answer;
}

/* The client's clock is an hour behind: its request of 10:00:00 came at 11:00:01 and was answered
 * at 11:00:03. */
static void only_what_is_older_than_the_reply(void **state)
{
	struct message failed = { .header = json_pack("{ssss}", "session", "a", "date",
						      "1970-01-01T10:00:00Z") };
	struct abort_window w = { "", 0 };

	(void)state;
	assert_false(covers(&w, "a", "1970-01-01T09:00:00Z"));
	abort_window_open(&w, &failed, (11 * 3600 + 1) * SECOND, (11 * 3600 + 3) * SECOND);
	assert_true(covers(&w, "a", "1970-01-01T10:00:01.9Z"));
	assert_false(covers(&w, "a", "1970-01-01T10:00:02Z"));
	assert_false(covers(&w, "b", "1970-01-01T10:00:01Z"));
	assert_false(covers(&w, "", "1970-01-01T10:00:01Z"));
	assert_false(covers(&w, "a", NULL));
	assert_false(covers(&w, "a", "yesterday"));
	json_object_del(failed.header, "date");
	abort_window_open(&w, &failed, 0, 100 * SECOND);
	assert_false(covers(&w, "a", "1970-01-01T00:00:01Z"));
	json_decref(failed.header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_are_read_in_every_form),
		cmocka_unit_test(only_what_is_older_than_the_reply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
