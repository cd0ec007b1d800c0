/* SPDX-License-Identifier: Apache-2.0 */
/* Names in lists of variables. */
#ifndef CGPU_KERNEL_SHOW_VARIABLE_NAME_H
#define CGPU_KERNEL_SHOW_VARIABLE_NAME_H

#include <stdbool.h>

#define VARIABLE_NAME_SIZE 200

/* Returns the readable name of a variable or function. A mangled name is demangled into ret, cut to
 * its size. */
const char *variable_name(const char *name, bool is_function, char ret[VARIABLE_NAME_SIZE]);

#endif
