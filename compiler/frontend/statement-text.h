/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is different for an expression that stands at the level of the cell and not in a function: a compound literal lives as
 * long as the cell's variables, since `p = (int[]){ 1, 2 };` would dangle as soon as the cell has run; and `main()` calls a main
 * that takes arguments.
 */
#ifndef CGPU_COMPILER_STATEMENT_TEXT_H
#define CGPU_COMPILER_STATEMENT_TEXT_H

struct host_text;
struct session;

/* Adds its edits to h->edits. */
void statement_text_edit(struct host_text *h, const struct session *session);

#endif
