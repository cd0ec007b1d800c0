/* SPDX-License-Identifier: Apache-2.0 */
/* %ptx, %sass and %regs: which device code is looked at, and the display of what the compiler has
 * made ready of it. */
#ifndef CGPU_KERNEL_SESSION_LOOK_H
#define CGPU_KERNEL_SESSION_LOOK_H

#include <stdint.h>

#include "common/protocol/compiler-protocol.h"

struct cell;
struct error;
struct magic_call;
struct session;
struct unit;

/* What a cell or a line asks to see. */
struct look {
	enum look_kind kind;
	uint32_t sm;             /* 0: not said */
	uint32_t threads;        /* a block; 0: not said */
	uint32_t dynamic_shared; /* bytes */
	char *name;              /* NULL: all; owned */
};

void look_release(struct look *l);

/*
 * A magic's run(): its line form looks at the code of the session, its cell form has the cell
 * compiled and looked at instead of run.
 */
int look_run(struct session *s, struct cell *c, const struct magic_call *call, enum look_kind kind,
	     struct error *err);
/* The compiled cell is shown; hooks->looked() follows, with why it failed. */
void look_at_unit(struct session *s, struct cell *c, const struct unit *unit);

#endif
