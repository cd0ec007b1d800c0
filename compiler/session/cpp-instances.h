/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To instantiate std::map anew is most of the time that clang reads a cell which uses one. So
 * instances of templates that cells have used are precompiled as well, while nothing is to be done,
 * into a second header behind the one that has the templates. It says nothing that the first one
 * does not say: a cell means the same with either.
 */
#ifndef CGPU_COMPILER_CPP_INSTANCES_H
#define CGPU_COMPILER_CPP_INSTANCES_H

#include "common/base/buffer.h"

struct clang_options;

/* What is to be precompiled next. Zeros: nothing. */
struct cpp_instances {
	struct buffer base; /* the header that has the templates */
	struct buffer keys; /* of instances, a line each */
};

void cpp_instances_release(struct cpp_instances *i);
/* A cell with the header `base` has used an instance that its headers have not. */
void cpp_instances_want(struct cpp_instances *i, const char *base, const char *key);
/* Nothing is to be done: a child precompiles them (compiler/session/header-ahead.h), with those
 * that cells have wanted before. */
void cpp_instances_rest(struct cpp_instances *i, const struct clang_options *clang);
/* Appends to ret the header to use in place of `base`, and notes its use: the second one, if it is
 * there, or the same. */
void cpp_instances_header(const char *base, struct buffer *ret);

#endif
