/* SPDX-License-Identifier: Apache-2.0 */
/* Order and lanes of graphs: what may run side by side does, and what need not be waited for is
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/cuda/graph-order.h"

#define NODES_MAX 64

/* A word a node: its place, then the letters of those it depends on. "0 0a 0a 0bc": a fork and a
 * join. */
struct graph {
	char words[NODES_MAX][16];
	uint32_t n;
};

static uint32_t dependency(const void *graph, uint32_t node, uint32_t i)
{
	const char *word = ((const struct graph *)graph)->words[node];

	return i + 1 < strlen(word) ? (uint32_t)(word[i + 1] - 'a') : GRAPH_NO_NODE;
}

static uint32_t place(const void *graph, uint32_t node)
{
	return (uint32_t)(((const struct graph *)graph)->words[node][0] - '0');
}

static int put(const struct graph *g, struct graph_step *ret)
{
	return graph_order(&(struct graph_order_source){ g, g->n, dependency, place }, ret);
}

/* Letters of the nodes in order, each with its lane and a `!` when it is awaited. */
static const char *order(const char *text)
{
	static char out[256];
	struct graph g = { .n = 0 };
	struct graph_step steps[NODES_MAX];
	char *at = out;
	int length;

	for (; sscanf(text, "%15s%n", g.words[g.n], &length) == 1; text += length)
		g.n++;
	if (put(&g, steps) < 0)
		return "circle";
	*at = '\0';
	for (uint32_t i = 0; i < g.n; i++)
		at += sprintf(at, "%s%c%u%s", i ? " " : "", 'a' + (int)steps[i].node, steps[i].lane,
			      steps[i].awaited ? "!" : "");
	return out;
}

static void a_chain_is_one_lane(void **state)
{
	(void)state;
	assert_string_equal(order("0 0a 0b"), "a0 b0 c0");
	assert_string_equal(order(""), "");
}

static void the_order_of_the_nodes_is_kept_where_it_is_one(void **state)
{
	(void)state;
	assert_string_equal(order("0b 0c 0"), "c0 b0 a0");
	assert_string_equal(order("0 0c 0a"), "a0 c0 b0");
	assert_string_equal(order("0 0c 0b"), "circle");
	assert_string_equal(order("0a"), "circle");
}

static void branches_are_lanes(void **state)
{
	(void)state;
	assert_string_equal(order("0 0a 0a 0bc"), "a0! b0 c1! d0");
	assert_string_equal(order("0 0 0ab"), "a0 b1! c0");
	assert_string_equal(order("0 0"), "a0 b1");
}

static void a_lane_goes_on_where_all_of_it_has_run(void **state)
{
	(void)state;
	/* The second fork has the lanes of the first. */
	assert_string_equal(order("0 0a 0a 0bc 0d 0d 0ef"), "a0! b0 c1! d0! e0 f1! g0");
	/* Not where the other branch may still run. */
	assert_string_equal(order("0 0a 0a 0b 0b 0cde"), "a0! b0! c1 d0! e2! f1");
}

static void lanes_are_of_one_place(void **state)
{
	(void)state;
	assert_string_equal(order("0 1a 0b"), "a0! b1! c0");
}

static void wide_graphs_have_few_lanes(void **state)
{
	struct graph_step steps[NODES_MAX];
	struct graph g = { .n = NODES_MAX };

	(void)state;
	for (uint32_t i = 0; i < g.n; i++)
		strcpy(g.words[i], i % 2 ? "1" : "0");
	assert_int_equal(put(&g, steps), GRAPH_LANES_MAX);
	for (uint32_t i = 0; i < g.n; i++)
		assert_int_equal(steps[i].lane % 2, i % 2);
	/* A place that comes late has a lane of its own. */
	strcpy(g.words[g.n - 1], "2");
	assert_int_equal(put(&g, steps), GRAPH_LANES_MAX + 1);
	assert_int_equal(steps[g.n - 1].lane, GRAPH_LANES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_is_one_lane),
		cmocka_unit_test(the_order_of_the_nodes_is_kept_where_it_is_one),
		cmocka_unit_test(branches_are_lanes),
		cmocka_unit_test(a_lane_goes_on_where_all_of_it_has_run),
		cmocka_unit_test(lanes_are_of_one_place),
		cmocka_unit_test(wide_graphs_have_few_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
