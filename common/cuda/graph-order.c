/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes mostly come in a valid order already, which is kept. Lanes: the nodes that have run when a
 * node begins are described by a vector clock, the number of nodes in each lane that come before
 * it. A lane whose last node is among them can continue with this one without a wait that the graph
 * does not ask for.
 */
#include "common/cuda/graph-order.h"

#include <stdlib.h>
#include <string.h>

#define LANES_SIZE (2 * GRAPH_LANES_MAX)

struct order {
	const struct graph_order_source *source;
	struct graph_step *steps;
	uint32_t *step_of;              /* by node; GRAPH_NO_NODE: it has no step yet */
	uint32_t (*clocks)[LANES_SIZE]; /* by step; each step counts itself */
	uint32_t length[LANES_SIZE];
	uint32_t place[LANES_SIZE];
	uint32_t lanes;
};

static bool is_ready(const struct order *o, uint32_t node)
{
	uint32_t on;

	for (uint32_t i = 0;
	     (on = o->source->dependency(o->source->graph, node, i)) != GRAPH_NO_NODE; i++)
		if (o->step_of[on] == GRAPH_NO_NODE)
			return false;
	return true;
}

static bool put_in_order(struct order *o)
{
	uint32_t done = 0, before;

	do {
		before = done;
		for (uint32_t i = 0; i < o->source->n; i++) {
			if (o->step_of[i] != GRAPH_NO_NODE || !is_ready(o, i))
				continue;
			o->steps[done] = (struct graph_step){ .node = i };
			o->step_of[i] = done++;
		}
	} while (done < o->source->n && done > before);
	return done == o->source->n;
}

static uint32_t new_lane(struct order *o, uint32_t place)
{
	o->place[o->lanes] = place;
	return o->lanes++;
}

/* Tells whether all nodes of the lane have run when a step with this clock begins. */
static bool can_go_on(const struct order *o, uint32_t lane, uint32_t place, const uint32_t *clock)
{
	return o->place[lane] == place && clock[lane] == o->length[lane];
}

static uint32_t choose(struct order *o, uint32_t step, uint32_t place)
{
	const uint32_t *clock = o->clocks[step];
	uint32_t node = o->steps[step].node, on, shortest = LANES_SIZE;

	for (uint32_t i = 0;
	     (on = o->source->dependency(o->source->graph, node, i)) != GRAPH_NO_NODE; i++)
		if (can_go_on(o, o->steps[o->step_of[on]].lane, place, clock))
			return o->steps[o->step_of[on]].lane;
	for (uint32_t lane = 0; lane < o->lanes; lane++)
		if (can_go_on(o, lane, place, clock))
			return lane;
	if (o->lanes < GRAPH_LANES_MAX)
		return new_lane(o, place);
	for (uint32_t lane = 0; lane < o->lanes; lane++)
		if (o->place[lane] == place &&
		    (shortest == LANES_SIZE || o->length[lane] < o->length[shortest]))
			shortest = lane;
	return shortest != LANES_SIZE ? shortest : o->lanes < LANES_SIZE ? new_lane(o, place) : 0;
}

static void take_lane(struct order *o, uint32_t step)
{
	uint32_t node = o->steps[step].node, *clock = o->clocks[step], lane, on;

	for (uint32_t i = 0;
	     (on = o->source->dependency(o->source->graph, node, i)) != GRAPH_NO_NODE; i++)
		for (uint32_t k = 0; k < o->lanes; k++)
			if (o->clocks[o->step_of[on]][k] > clock[k])
				clock[k] = o->clocks[o->step_of[on]][k];
	lane = choose(o, step, o->source->place(o->source->graph, node));
	o->steps[step].lane = lane;
	clock[lane] = ++o->length[lane];
	for (uint32_t i = 0;
	     (on = o->source->dependency(o->source->graph, node, i)) != GRAPH_NO_NODE; i++)
		o->steps[o->step_of[on]].awaited |= o->steps[o->step_of[on]].lane != lane;
}

int graph_order(const struct graph_order_source *s, struct graph_step *ret)
{
	struct order o = { .source = s, .steps = ret };
	int result = GRAPH_ORDER_MEMORY;

	o.step_of = malloc((s->n + 1) * sizeof(*o.step_of));
	o.clocks = calloc(s->n + 1, sizeof(*o.clocks));
	if (o.step_of && o.clocks) {
		memset(o.step_of, 0xff, s->n * sizeof(*o.step_of));
		result = put_in_order(&o) ? 0 : GRAPH_ORDER_CIRCLE;
	}
	for (uint32_t i = 0; i < s->n && !result; i++)
		take_lane(&o, i);
	free(o.step_of);
	free(o.clocks);
	return result ? result : (int)o.lanes;
}
