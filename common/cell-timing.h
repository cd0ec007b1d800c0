/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What %timeit puts around a cell: the code runs in rounds of so many loops, and between two of
 * them cgpu_timing_next() in the worker reads the clock and says how many come next. Its state lies
 * on the cell's own stack.
 */
#ifndef CGPU_COMMON_CELL_TIMING_H
#define CGPU_COMMON_CELL_TIMING_H

struct cgpu_timing {
	unsigned long loops;         /* of the round that begins; before the first: given, or 0 */
	unsigned rounds;             /* how many count; 0: not given */
	unsigned done;               /* how many have counted */
	int found;                   /* `loops` is what a round takes */
	unsigned long long begin_ns; /* of the round; 0: there was none */
	double sum, squares;         /* of nanoseconds a loop, over the rounds that have counted */
};

#endif
