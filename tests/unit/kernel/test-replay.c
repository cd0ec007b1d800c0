/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of the outputs of cells: updates and clear_output() as in a front end, and bounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernel/protocol/replay.h"
#include "kernel/protocol/wire.h"

static struct replay kept;
static struct message cell = { .id = "cell" }, other = { .id = "other" };

static void note(const struct message *parent, const char *type, json_t *content)
{
	assert_non_null(content);
	replay_note(&kept, parent, type, content);
	json_decref(content);
}

static void begin(int number)
{
	note(&cell, "execute_input", json_pack("{si}", "execution_count", number));
}

static void print(const struct message *parent, const char *text)
{
	note(parent, "stream", json_pack("{ss ss}", "name", "stdout", "text", text));
}

static void display(const char *type, const char *id, const char *text)
{
	note(&cell, type,
	     json_pack("{s{ss} s{ss}}", "data", "text/plain", text, "transient", "display_id", id));
}

static const char *text_at(const struct replay_cell *c, size_t i)
{
	const json_t *data = json_object_get(c->outputs[i].content, "data");

	return json_string_value(
		json_object_get(data ? data : c->outputs[i].content, data ? "text/plain" : "text"));
}

static int tear_down(void **state)
{
	(void)state;
	replay_release(&kept);
	assert_int_equal(kept.bytes, 0);
	return 0;
}

static void outputs_belong_to_the_cell_at_work(void **state)
{
	const struct replay_cell *c;

	(void)state;
	print(&cell, "before any cell");
	begin(1);
	print(&other, "of another request");
	print(&(struct message){ .id = NULL }, "of no request");
	print(NULL, "of nothing");
	print(&cell, "own");
	note(&cell, "status", json_pack("{ss}", "execution_state", "idle"));
	begin(2);
	c = replay_find(&kept, 0);
	assert_ptr_equal(c, replay_find(&kept, 1));
	assert_int_equal(c->n, 1);
	assert_string_equal(text_at(c, 0), "own");
	assert_int_equal(replay_find(&kept, 2)->n, 0);
	assert_null(replay_find(&kept, 3));
	assert_int_equal(replay_oldest(&kept), 1);
}

static void an_update_takes_the_place_of_its_display(void **state)
{
	const struct replay_cell *c;

	(void)state;
	begin(1);
	display("display_data", "a", "0 %");
	display("display_data", "b", "other");
	display("display_data", "a", "0 % again");
	begin(2);
	display("update_display_data", "a", "100 %");
	display("update_display_data", "", "nobody's");
	c = replay_find(&kept, 1);
	assert_int_equal(c->n, 3);
	assert_string_equal(text_at(c, 0), "100 %");
	assert_string_equal(text_at(c, 1), "other");
	assert_string_equal(text_at(c, 2), "100 %");
	assert_int_equal(replay_find(&kept, 2)->n, 0);
}

static void clearing_takes_away(void **state)
{
	const struct replay_cell *c;

	(void)state;
	begin(1);
	print(&cell, "gone");
	note(&cell, "clear_output", json_pack("{sb}", "wait", 0));
	c = replay_find(&kept, 1);
	assert_int_equal(c->n, 0);
	print(&cell, "stays until the next");
	note(&cell, "clear_output", json_pack("{sb}", "wait", 1));
	assert_int_equal(c->n, 1);
	print(&cell, "the next");
	assert_int_equal(c->n, 1);
	assert_string_equal(text_at(c, 0), "the next");
}

static void the_oldest_go_first(void **state)
{
	char *large = malloc(REPLAY_BYTES / 4);

	(void)state;
	memset(large, 'x', REPLAY_BYTES / 4);
	large[REPLAY_BYTES / 4 - 1000] = '\0';
	begin(1);
	print(&cell, large);
	print(&cell, "small");
	begin(2);
	for (int i = 0; i < 4; i++)
		print(&cell, large);
	assert_true(replay_find(&kept, 1)->is_cut);
	assert_int_equal(replay_find(&kept, 1)->n, 1);
	assert_false(replay_find(&kept, 2)->is_cut);
	print(&cell, large);
	assert_true(replay_find(&kept, 2)->is_cut);
	assert_int_equal(replay_find(&kept, 1)->n, 0);
	assert_int_equal(replay_find(&kept, 2)->n, 4);
	assert_true(kept.bytes <= REPLAY_BYTES);
	free(large);
}

/* Returns an array that takes far more memory than its text. */
static json_t *numbers(size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, json_integer(1000));
	return all;
}

static void one_that_is_too_large_is_not_kept(void **state)
{
	(void)state;
	begin(1);
	print(&cell, "small");
	note(&cell, "display_data",
	     json_pack("{s{so} s{ss}}", "data", "application/json", numbers(REPLAY_BYTES / 40),
		       "transient", "display_id", "a"));
	assert_int_equal(replay_find(&kept, 1)->n, 1);
	assert_true(replay_find(&kept, 1)->is_cut);
	display("display_data", "a", "small");
	note(&cell, "update_display_data",
	     json_pack("{s{so} s{ss}}", "data", "application/json", numbers(REPLAY_BYTES / 40),
		       "transient", "display_id", "a"));
	assert_string_equal(text_at(replay_find(&kept, 1), 1), "small");
	/* An update that is larger than what it takes the place of makes room, too. */
	note(&cell, "update_display_data",
	     json_pack("{s{so} s{ss}}", "data", "application/json", numbers(REPLAY_BYTES / 60),
		       "transient", "display_id", "a"));
	begin(2);
	display("display_data", "a", "another");
	note(&cell, "update_display_data",
	     json_pack("{s{so} s{ss}}", "data", "application/json", numbers(REPLAY_BYTES / 60),
		       "transient", "display_id", "a"));
	assert_true(kept.bytes <= REPLAY_BYTES);
}

static void so_many_cells_are_kept(void **state)
{
	(void)state;
	for (int i = 1; i <= (int)REPLAY_CELLS + 5; i++) {
		begin(i);
		print(&cell, "x");
	}
	assert_int_equal(replay_oldest(&kept), 6);
	assert_null(replay_find(&kept, 5));
	assert_int_equal(replay_find(&kept, 6)->n, 1);
	begin(30); /* the same number again: the later one */
	assert_int_equal(replay_find(&kept, 30)->n, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(outputs_belong_to_the_cell_at_work),
		TEST(an_update_takes_the_place_of_its_display),
		TEST(clearing_takes_away),
		TEST(the_oldest_go_first),
		TEST(one_that_is_too_large_is_not_kept),
		TEST(so_many_cells_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
