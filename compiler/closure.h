/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lambdas of host code that device code is to call: `apply<<<1, 32>>>(out, [=] __device__ (int i) { return a * i + s; })`. C has
 * none, so the expression becomes one that fills a structure with what is captured, and device code has a structure of the same
 * members with an operator(). Its name is made of its text and of the types of its members: the same lambda is the same
 * type in whichever cell it stands.
 *
 * For all that looks at the cell's tokens such a lambda is one token, a name that nobody knows. What is captured, and with
 * which type, clang tells: the first text asks it.
 *
 * Captures are copies. Those by reference, and lambdas without __device__, stay as they are: the cell is C++ (beyond-c.h); one
 * without captures that is defined at the level of a cell is device-variable.h's.
 */
#ifndef CGPU_COMPILER_CLOSURE_H
#define CGPU_COMPILER_CLOSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/lambda-name.h"
#include "compiler/token.h"

struct buffer;
struct clang_symbol;
struct declaration;
struct error;
struct host_text;
struct session;

/* Variables that ask for what is captured. */
#define CLOSURE_PROBE_PREFIX "cgpu_captured_"
/* The tag of what stands for one whose type is not known. */
#define CLOSURE_UNKNOWN "cgpu_unknown_closure"

struct captured {
	uint32_t token;	    /* of closures.tokens: where it is named first */
	const char *name;
	const char *value;  /* of `x = a + 1`, in C; NULL: the variable of this name */
	const char *constant; /* the value of a `const int n = 4;` around it, which is no member; NULL: it is none */
	const char *type;   /* "float (*)[3]": of a pointer to it, as clang says; NULL: not known, or it is no variable */
	uint64_t size, alignment; /* 0: not constant */
	bool is_implicit;
	bool is_of_device;  /* named, and a variable of the device */
};

struct closure {
	uint32_t first, end;	/* of closures.tokens */
	uint32_t parameters;	/* `(`; TOKEN_NONE: there is none */
	uint32_t behind;	/* what follows the parameters: mutable, -> type, the body */
	uint32_t body;		/* `{` */
	uint32_t token;		/* what stands for it in the cell's tokens */
	struct captured *captured; /* in the pool */
	uint32_t n;
	bool takes_all; /* [=] */
	bool is_seen;	/* clang has come to it: no #if leaves it out */
	const char *type; /* "cgpu_closure_f_0123456789"; NULL: not known yet */
	const char *head, *tail; /* its device text, around the user's lines */
	const char *function;
};

struct closures {
	struct token_list tokens; /* of the cell, as if there were no closures */
	struct closure *at;	  /* in the pool */
	uint32_t n;
};

enum closure_fault {
	CLOSURE_NONE,	      /* token i is no such lambda */
	CLOSURE_GOOD,
	CLOSURE_BY_REFERENCE,
	CLOSURE_OF_THIS,
	CLOSURE_OF_HOST,      /* without __device__ */
	CLOSURE_OTHER,	      /* a pack, a lambda in a capture */
};

/* Does a lambda begin at token i of host code? *ret gets its places. */
enum closure_fault closure_read(const struct token_list *l, uint32_t i, struct closure *ret);
/* Find the closures of a cell that is split, and make one token of each. -1: ERROR_MEMORY. */
int closure_find(struct host_text *h, struct error *err);
/* What may be captured, once the parts of the items are known. -1: ERROR_MEMORY. */
int closure_find_captures(struct host_text *h, const struct session *session, struct error *err);
/* The item that it stands in; the number of items when that one is left out. */
uint32_t closure_item(const struct host_text *h, const struct closure *x);
/* The tokens with all words of the cell. */
const struct token_list *closure_words(const struct host_text *h);

/* Is there one whose type is not known? */
bool closure_is_open(const struct host_text *h);
/* Clang reports a variable that asks. */
void closure_symbol(struct host_text *h, const struct clang_symbol *s);
/* Take what clang has said; true when that is more than before. */
bool closure_resolve(struct host_text *h, const struct session *session);
/* What is wrong with one whose type is still not known, or NULL; *ret_token is of closures.tokens. */
const char *closure_complaint(const struct host_text *h, uint32_t *ret_token);

/*
 * Where the code around the closure, inside of its item, declares the name at this token of closures.tokens; TOKEN_NONE: it does
 * not. *ret_first: the declaration's first token.
 */
uint32_t closure_local(const struct host_text *h, const struct session *session, const struct closure *x, uint32_t token,
		       uint32_t *ret_first);
/* Does that code define the type whose name is a word of this text? */
bool closure_has_local_type(const struct host_text *h, const struct closure *x, const char *type);

/* Edits that put the expressions in their places. */
void closure_edit(struct host_text *h);
/* The structures of item i, in front of it. */
void closure_write_types(struct host_text *h, uint32_t i);
/* Of the type that it gives. NULL: it has none. */
const char *closure_host_text(const struct host_text *h, const struct closure *x);
const char *closure_device_text(const struct host_text *h, const struct closure *x);
/* All of the cell, with their lines. */
void closure_write_device(const struct host_text *h, struct buffer *out);
/* Does the text name one that this cell makes? */
bool closure_is_named(const struct host_text *h, const char *text);

#endif
