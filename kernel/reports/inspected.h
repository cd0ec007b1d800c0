/* SPDX-License-Identifier: Apache-2.0 */
/* What a name is, as front ends show it: the compiler's description, and the value of a variable.
 */
#ifndef CGPU_KERNEL_REPORTS_INSPECTED_H
#define CGPU_KERNEL_REPORTS_INSPECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct session;

/*
 * Makes the data of a message from an answer of the compiler (COMPILER_INSPECTED, by its type and
 * payload): plain text, Markdown and HTML. name: the word that was asked for, whose committed value
 * is shown if it is a variable. with_source: all of the definition instead of its first part. NULL:
 * nothing is known.
 */
json_t *inspected_bundle(struct session *s, const char *name, bool with_source, uint32_t type,
			 const void *payload, size_t len);

#endif
