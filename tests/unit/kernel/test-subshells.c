/* SPDX-License-Identifier: Apache-2.0 */
/* struct subshells: ids, the limit, the order of cells, and the turn when a subshell is deleted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/protocol/wire.h"
#include "kernel/session/cell.h"
#include "kernel/session/subshells.h"

/* Finds by the header of a request, which is taken over. */
static struct subshell *of(struct subshells *all, json_t *header)
{
	struct message m = { .header = header };
	struct error err = ERROR_INIT;
	struct subshell *found = subshells_of(all, &m, &err);

	assert_true(!found == (err.code == ERROR_NOT_FOUND));
	json_decref(header);
	return found;
}

static void the_parent_is_there_and_has_no_id(void **state)
{
	struct subshells all = { 0 };
	json_t *ids = subshells_ids(&all), *empty = json_string("");
	struct error err = ERROR_INIT;

	(void)state;
	assert_ptr_equal(of(&all, json_object()), &all.list[0]);
	assert_ptr_equal(of(&all, json_pack("{sn}", "subshell_id")), &all.list[0]);
	assert_null(of(&all, json_pack("{ss}", "subshell_id", "")));
	assert_null(of(&all, json_pack("{si}", "subshell_id", 0)));
	assert_null(subshells_find(&all, empty, &err));
	assert_null(subshells_find(&all, NULL, NULL));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_int_equal(json_array_size(ids), 0);
	json_decref(ids);
	json_decref(empty);
}

static void each_is_found_by_its_id_until_it_is_deleted(void **state)
{
	struct subshells all = { 0 };
	char ids[3][sizeof(all.list[0].id)];
	json_t *listed;

	(void)state;
	for (int i = 0; i < 3; i++)
		strcpy(ids[i], subshells_create(&all, NULL)->id);
	subshells_delete(&all, of(&all, json_pack("{ss}", "subshell_id", ids[1])));
	for (int i = 0; i < 3; i++) {
		const struct subshell *s = of(&all, json_pack("{ss}", "subshell_id", ids[i]));

		assert_true(!s == (i == 1));
		assert_true(!s || !strcmp(s->id, ids[i]));
	}
	listed = subshells_ids(&all);
	assert_int_equal(json_array_size(listed), 2);
	assert_string_equal(json_string_value(json_array_get(listed, 0)), ids[0]);
	assert_string_equal(json_string_value(json_array_get(listed, 1)), ids[2]);
	json_decref(listed);
}

static void there_is_a_limit(void **state)
{
	struct subshells all = { 0 };
	struct error err = ERROR_INIT;

	(void)state;
	for (int i = 0; i < SUBSHELLS_MAX; i++)
		assert_non_null(subshells_create(&all, &err));
	assert_null(subshells_create(&all, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	subshells_delete(&all, &all.list[SUBSHELLS_MAX]);
	subshells_delete(&all, &all.list[1]);
	assert_non_null(subshells_create(&all, NULL));
	assert_non_null(subshells_create(&all, NULL));
	assert_null(subshells_create(&all, NULL));
}

/* A place that was used before is as new. */
static void a_new_one_is_empty(void **state)
{
	struct subshells all = { 0 };
	struct subshell *s = subshells_create(&all, NULL);
	char first[sizeof(s->id)];

	(void)state;
	strcpy(first, s->id);
	strcpy(s->late.session, "a client");
	subshells_delete(&all, s);
	s = subshells_create(&all, NULL);
	assert_string_equal(s->late.session, "");
	assert_string_not_equal(s->id, first);
	assert_null(subshells_take(s));
}

/* Takes all cells by turn; returns their names. */
static const char *order(struct subshells *all)
{
	static char text[32];
	char *end = text;
	struct cell *c;

	while ((c = subshells_take_next(all)))
		*end++ = c->name[0];
	*end = '\0';
	return text;
}

/* Queues cells named a, b... : to[i] says in which subshell the i-th is. */
static void queue(struct subshells *all, struct cell *cells, const char *to)
{
	for (int i = 0; to[i]; i++) {
		memset(&cells[i], 0, sizeof(cells[i]));
		cells[i].name[0] = 'a' + i;
		subshells_add(&all->list[to[i] - '0'], &cells[i]);
	}
}

static void they_take_turns(void **state)
{
	struct subshells all = { 0 };
	struct cell cells[8];

	(void)state;
	queue(&all, cells, "000");
	assert_string_equal(order(&all), "abc");
	subshells_create(&all, NULL);
	subshells_create(&all, NULL);
	queue(&all, cells, "00011102");
	assert_string_equal(order(&all), "dhaebfcg");
	assert_null(subshells_take_next(&all));
	/* The parent was served last. */
	queue(&all, cells, "0121");
	assert_string_equal(order(&all), "bcad");
	queue(&all, cells, "10");
	assert_string_equal(order(&all), "ba");
}

/* Whoever was next is next, wherever the deleted one stood. */
static void a_deletion_keeps_the_turn(void **state)
{
	(void)state;
	for (int deleted = 1; deleted <= 3; deleted++) {
		struct subshells all = { 0 };
		struct cell cells[4];

		for (int i = 0; i < 3; i++)
			subshells_create(&all, NULL);
		queue(&all, cells, "0123");
		/* Until the second was served. */
		assert_int_equal(subshells_take_next(&all)->name[0], 'b');
		assert_int_equal(subshells_take_next(&all)->name[0], 'c');
		while (subshells_take(&all.list[deleted]))
			;
		subshells_delete(&all, &all.list[deleted]);
		assert_string_equal(order(&all), deleted == 3 ? "a" : "da");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parent_is_there_and_has_no_id),
		cmocka_unit_test(each_is_found_by_its_id_until_it_is_deleted),
		cmocka_unit_test(there_is_a_limit),
		cmocka_unit_test(a_new_one_is_empty),
		cmocka_unit_test(they_take_turns),
		cmocka_unit_test(a_deletion_keeps_the_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
