/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Precompiled template instantiations. Instantiating std::map takes most of the time that clang
 * needs to read a cell which uses it. So instances of templates that cells have used are
 * precompiled as well, while the compiler is idle, into a second header chained to the one that has
 * the templates. It adds no declarations: a cell means the same with either.
 */
#ifndef CGPU_COMPILER_CPP_INSTANCES_H
#define CGPU_COMPILER_CPP_INSTANCES_H

#include "common/base/buffer.h"

struct clang_options;

/* The instances to precompile next. All zero: none. */
struct cpp_instances {
	struct buffer base; /* the header that has the templates */
	struct buffer keys; /* one key of an instance per line */
};

void cpp_instances_release(struct cpp_instances *i);
/* Notes that a cell with the header `base` has used an instance that its headers lack. */
void cpp_instances_want(struct cpp_instances *i, const char *base, const char *key);
/* Lets a child precompile the wanted instances, together with earlier ones, while the compiler is
 * idle (compiler/session/header-ahead.h). */
void cpp_instances_rest(struct cpp_instances *i, const struct clang_options *clang);
/* Appends the header to use in place of `base`, and marks it as used: the one with instances if it
 * exists, else `base`. */
void cpp_instances_header(const char *base, struct buffer *ret);

#endif
