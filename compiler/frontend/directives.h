/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directives of the preprocessor among statements: a unit has them twice, in its file part and in the function that runs the
 * statements, and they must mean the same in both.
 */
#ifndef CGPU_COMPILER_DIRECTIVES_H
#define CGPU_COMPILER_DIRECTIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct host_text;
struct token_list;

/* Names of the marks that tell which branches of #if were taken: BRANCH_PREFIX and the directive's token. */
#define BRANCH_PREFIX "cgpu_branch_"
/* #if, #ifdef, #ifndef, #elif, #else: the token is a directive that opens a branch of whole items. */
bool directives_open_branch(const struct host_text *h, uint32_t i);
/* In the file part, behind the directive: its mark, if it opens a branch. */
void directives_mark_branch(struct host_text *h, uint32_t i);
/* In the run function: what the directive decides, by the marks. */
void directives_repeat_branch(struct host_text *h, uint32_t i);

/* The name that the #define or #undef at token i has; 0 for another directive's. */
size_t directives_macro(const struct token_list *l, uint32_t i, const char **ret);
/* Fill h->changing. -1: ERROR_MEMORY. */
int directives_find_changing(struct host_text *h, struct error *err);
bool directives_are_changing(const struct host_text *h, uint32_t i);
/* A pragma, push_macro or pop_macro, for each macro that changes in the cell. */
void directives_each_changing(struct host_text *h, const char *pragma);

#endif
