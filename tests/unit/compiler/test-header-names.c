/* SPDX-License-Identifier: Apache-2.0 */
/* Names of headers, sorted and found: a tag and a function of one name, prefixes, what is not
 * there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/text/header-names.h"

static struct names names;

static void add(struct header_names *h, char kind, const char *name)
{
	assert_int_equal(header_names_add(h, &names, kind, name, "", NULL), 0);
}

/* At each place of the array, with the tag before the function and behind it. */
static void test_a_tag_does_not_hide_a_function(void **state)
{
	(void)state;
	for (unsigned before = 0; before < 9; before++)
		for (unsigned behind = 0; behind < 9; behind++)
			for (int tag_first = 0; tag_first < 2; tag_first++) {
				struct header_names h = { 0 };
				char name[16];

				for (unsigned i = 0; i < before; i++) {
					snprintf(name, sizeof(name), "a%u", i);
					add(&h, 'v', name);
				}
				for (unsigned i = 0; i < behind; i++) {
					snprintf(name, sizeof(name), "z%u", i);
					add(&h, 'v', name);
				}
				add(&h, tag_first ? 's' : 'f', "stat");
				add(&h, tag_first ? 'f' : 's', "stat");
				header_names_sort(&h);
				assert_int_equal(header_names_kind(&h, "stat", 4), 'f');
				header_names_release(&h);
			}
}

static void test_words_and_prefixes(void **state)
{
	struct header_names h = { 0 };
	const struct header_name *first;
	uint32_t n;

	(void)state;
	add(&h, 'f', "strlen");
	add(&h, 's', "tm");
	add(&h, 'm', "stdin");
	add(&h, 't', "size_t");
	add(&h, 'f', "strcpy");
	header_names_sort(&h);
	assert_int_equal(header_names_kind(&h, "strlen(x)", 6), 'f');
	assert_int_equal(header_names_kind(&h, "size_t", 6), 't');
	assert_int_equal(header_names_kind(&h, "str", 3), 0);
	assert_int_equal(header_names_kind(&h, "strlens", 7), 0);
	assert_int_equal(header_names_kind(&h, "tm", 2), 0);
	first = header_names_with(&h, "str", &n);
	assert_int_equal(n, 2);
	assert_string_equal(first[0].name, "strcpy");
	assert_string_equal(first[1].name, "strlen");
	header_names_with(&h, "x", &n);
	assert_int_equal(n, 0);
	header_names_release(&h);
}

static int set_up(void **state)
{
	(void)state;
	names_init(&names);
	return 0;
}

static int release(void **state)
{
	(void)state;
	names_release(&names);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_tag_does_not_hide_a_function),
		cmocka_unit_test(test_words_and_prefixes),
	};

	return cmocka_run_group_tests(tests, set_up, release);
}
