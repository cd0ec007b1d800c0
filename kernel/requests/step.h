/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell is compiled and run in steps, one after another: what a new worker must be given first
 * (settings, cells with %%on_restart), names that are dropped, the cell's own code, each
 * user_expression. A step says what its outcome means; execute.c compiles and runs it.
 *
 *	settings -> restart... -> own -> expression...
 *	drop, whenever a magic asks for it
 *	comm, in place of the own code, for a message of a front end
 */
#ifndef CGPU_KERNEL_REQUESTS_STEP_H
#define CGPU_KERNEL_REQUESTS_STEP_H

#include <stdbool.h>

#include <jansson.h>

struct buffer;
struct cell;
struct cell_end;
struct compiled_unit;
struct error;
struct session;

/* Where a cell goes from a step. A cell that has failed ends in both. */
enum step_next {
	STEP_TO_MAGICS, /* to the magics that are left, and the next step before the own code */
	STEP_TO_EXPRESSIONS, /* to the next user_expression */
};

struct step {
	bool is_own; /* the cell's own code: has the options that magics have set */
	/* Returns the front end's id of the cell that the text belongs to, whose declarations it
	 * replaces; "" for none. */
	const char *(*id)(const struct cell *c);
	/* The compiler has refused the text. NULL: there is no text. */
	enum step_next (*refused)(struct session *s, struct cell *c, const char *headline,
				  const char *diagnostics);
	/* The run has ended, and a worker holds the session. */
	enum step_next (*ended)(struct session *s, struct cell *c, const struct cell_end *end);
};

extern const struct step step_own, step_settings, step_restart, step_drop, step_expression,
	step_comm;

/* Takes the next thing that a new worker must be given, and sets c->step, to step_own when there is
 * none. Returns the text to compile, and its name; NULL for step_own. */
const char *step_setup_next(struct session *s, struct cell *c, const char **ret_name);
/* Takes the next user_expression. Returns its text, and sets c->step; NULL: there is none left. One
 * that is no text gets its error at once. */
const char *step_expression_next(struct cell *c);
/* Makes the unit that runs nothing, so that the worker drops these names at its end, and sets
 * c->step. Returns it, owned by the caller. NULL: ERROR_MEMORY. */
struct compiled_unit *step_drop_begin(struct cell *c, const struct buffer *names,
				      struct error *err);
/* Makes the unit that runs nothing, behind which the worker hands c->delivery to its comm, and sets
 * c->step. The same for NULL. */
struct compiled_unit *step_comm_begin(struct cell *c, struct error *err);
/* Appends that message as the worker takes it. */
int step_comm_message(const struct cell *c, struct buffer *ret, struct error *err);

/* For steps. */

/* Returns a unit that runs nothing, owned by the caller. NULL: ERROR_MEMORY. */
struct compiled_unit *step_nothing(const struct cell *c, struct error *err);

/* For struct step: the text is the cell's own, or nobody's. */
const char *step_id_of_cell(const struct cell *c);
const char *step_no_id(const struct cell *c);
/* For struct step: the cell fails with the compiler's diagnostics. */
enum step_next step_refused(struct session *s, struct cell *c, const char *headline,
			    const char *diagnostics);
/* Marks the cell as failed with all that the report of a run says. */
void step_fail(struct cell *c, const struct cell_end *end);
/* Takes over the declarations of a run that is kept; a run that is not kept changes nothing. With
 * warnings, those of the compiler are shown. True: it is kept. */
bool step_accept(struct session *s, struct cell *c, const struct cell_end *end, bool warnings);
/* Returns the MIME bundle of the displayed value, and its text in ret_text; NULL: there is none. */
json_t *step_result(struct session *s, const struct cell *c, struct buffer *ret_text);

#endif
