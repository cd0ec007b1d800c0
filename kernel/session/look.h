/* SPDX-License-Identifier: Apache-2.0 */
/* %ptx, %sass and %regs: the choice of device code to show, and the display of what the compiler
 * has prepared of it. */
#ifndef CGPU_KERNEL_SESSION_LOOK_H
#define CGPU_KERNEL_SESSION_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/compiler-protocol.h"

struct cell;
struct error;
struct magic_call;
struct session;
struct unit;

/* The parameters of a cell or a line. */
struct look {
	enum look_kind kind;
	uint32_t sm;             /* 0: not given */
	uint32_t threads;        /* per block; 0: not given */
	uint32_t dynamic_shared; /* bytes */
	char *name;              /* NULL: all; owned */
};

void look_release(struct look *l);

/* Parses a target of device code: "sm_80", "compute_80" or "80". False: it is none. */
bool look_parse_target(const char *word, uint32_t *ret);

/*
 * Is a magic's run(): the line form shows the code of the session; for the cell form the cell is
 * compiled and shown instead of run.
 */
int look_run(struct session *s, struct cell *c, const struct magic_call *call, enum look_kind kind,
	     struct error *err);
/* Shows the compiled cell; hooks->looked() follows, with the error if it failed. */
void look_at_unit(struct session *s, struct cell *c, const struct unit *unit);

#endif
