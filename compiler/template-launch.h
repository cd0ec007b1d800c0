/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of entries that are templates, from C: `k<float><<<g, b>>>(p, n)`, and `k<<<g, b>>>(p, n)` where the arguments tell
 * what T is. C has no templates, so the launch becomes a block: each argument is a variable of the parameter's type with
 * the template's arguments put in, and cgpu_launch() gets them under the name "k<float>". NVRTC makes that instance with the
 * cell's device code.
 *
 * What is to be deduced clang tells: the first text has variables of the arguments' own types, which it reports, the second one
 * is as if the user had written them.
 */
#ifndef CGPU_COMPILER_TEMPLATE_LAUNCH_H
#define CGPU_COMPILER_TEMPLATE_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/token.h"
#include "compiler/unit-text.h"

struct clang_symbol;
struct error;
struct host_text;
struct mem_pool;
struct session;

/* The variables that stand for arguments while their types are asked for. */
#define TEMPLATE_LAUNCH_PREFIX "cgpu_deduced_"

struct template_launch {
	uint32_t name, open;	/* tokens: the template's name, `<<<` */
	const char *text;	/* of the template */
	const char *given;	/* the template's arguments that the cell names, "" for none */
	const char *arguments;	/* of the template, "float, 4"; NULL: not known yet */
	const char *expression; /* "k<float, 4>"; NULL as long as arguments are */
	const char **types;	/* by argument of the call: what clang says; elements are NULL before */
	uint32_t n_types;
	bool is_there; /* an earlier cell has made this instance */
};

struct launch_defaults {
	uint32_t open;    /* `<<<` */
	const char *text; /* ", 9": the arguments that the call leaves out */
};

struct template_launches {
	struct launch_defaults *defaults; /* of entries that are no templates */
	uint32_t n_defaults;
	struct template_launch *at; /* in the pool */
	uint32_t n;
};

/* Find the launches of a cell. -1: ERROR_MEMORY. */
int template_launch_find(struct host_text *h, const struct session *session, struct error *err);
/* What is to be put behind the arguments of this launch; "" for nothing. */
const char *template_launch_defaults(const struct template_launches *t, uint32_t open);

/* The one whose `<<<` is this token; NULL: it is no template that is launched there. */
const struct template_launch *template_launch_at(const struct template_launches *t, uint32_t open);
/* Edits for the call behind `>>>`: its parenthesis is token `call`. */
void template_launch_edit(const struct template_launches *t, const struct template_launch *x, const struct token_list *l,
			  uint32_t call, struct mem_pool *pool, struct edit_list *edits);
/* Clang reports the variable of an argument. */
void template_launch_type(struct host_text *h, const struct clang_symbol *s);
/* Deduce what is not known yet; true when the host's text is to be written anew. */
bool template_launch_deduce(struct host_text *h, const struct session *session);
/* The name's token of a launch that cannot be deduced; TOKEN_NONE: there is none. */
uint32_t template_launch_unknown(const struct host_text *h);
/* The launch whose instance is to be made, after `previous` (NULL: the first); each instance once. NULL: no more. */
const struct template_launch *template_launch_next(const struct template_launches *t, const struct template_launch *previous);

#endif
