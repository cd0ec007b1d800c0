/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device variables of types that C does not have: `__device__ cuda::atomic<int> n;`, and lambdas, `auto f = [] __device__ (int x)
 * { ... };`. Device code of later cells knows them. The host has nothing of the first, and of a lambda an object without content,
 * so that it can be an argument of a template that is launched; other lambdas are those of compiler/closure.h.
 */
#ifndef CGPU_COMPILER_DEVICE_VARIABLE_H
#define CGPU_COMPILER_DEVICE_VARIABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/lambda-name.h"
#include "compiler/split.h"

struct buffer;
struct host_text;

/* Is the `=` at token i that of a lambda? */
bool device_variable_is_lambda(const struct token_list *l, uint32_t equals);
/* The name that such an item declares; TOKEN_NONE when it is another one. *ret_lambda: it is a lambda. */
uint32_t device_variable_name(const struct host_text *h, uint32_t item, bool *ret_lambda);
/*
 * "(auto x, int n)" of a lambda, whose parenthesis is token `open`, for an operator(): each auto becomes a parameter of a template,
 * which of_template begins. TOKEN_NONE: it has none.
 */
void device_variable_put_parameters(const struct token_list *l, uint32_t open, struct buffer *out, struct buffer *of_template);
/* What device code has of a lambda. From the pool; NULL: no memory. */
char *device_variable_lambda(const struct host_text *h, uint32_t item);
/* What the device code of later cells has of the variable. From the pool; NULL: no memory. */
char *device_variable_later(const struct host_text *h, uint32_t item);

#endif
