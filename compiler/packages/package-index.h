/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which installed package has a function, or a header: asked when a cell lacks one. Told by the .pc
 * files of this machine and by the libraries and folders that they name.
 */
#ifndef CGPU_COMPILER_PACKAGE_INDEX_H
#define CGPU_COMPILER_PACKAGE_INDEX_H

#include <stdbool.h>

#define PACKAGE_NAME_MAX 64

/* The name for %pkg, and the file name of the library that defines the symbol. False when no
 * package has it. */
bool package_index_symbol(const char *symbol, char ret_name[PACKAGE_NAME_MAX],
			  char ret_library[PACKAGE_NAME_MAX]);
/* A package that brings the folder in which this header ("foo/bar.h") lies. */
bool package_index_header(const char *header, char ret_name[PACKAGE_NAME_MAX]);

#endif
