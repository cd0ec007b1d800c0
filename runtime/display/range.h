/* SPDX-License-Identifier: Apache-2.0 */
/* The least and the greatest of numbers, of which some may be none. */
#ifndef CGPU_RUNTIME_DISPLAY_RANGE_H
#define CGPU_RUNTIME_DISPLAY_RANGE_H

#include <math.h>
#include <stdbool.h>

struct range {
	double least, greatest; /* of finite values; least > greatest: there is none */
};

#define RANGE_NONE ((struct range){ INFINITY, -INFINITY })

/* Returns false for what is not finite. */
static inline bool range_widen(struct range *r, double v)
{
	if (!isfinite(v))
		return false;
	r->least = fmin(r->least, v);
	r->greatest = fmax(r->greatest, v);
	return true;
}

static inline bool range_is_empty(const struct range *r)
{
	return r->least > r->greatest;
}

#endif
