/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the installed package with a function or a header, when a cell lacks one. The sources are
 * the .pc files of this machine and the libraries and folders that they name.
 */
#ifndef CGPU_COMPILER_PACKAGE_INDEX_H
#define CGPU_COMPILER_PACKAGE_INDEX_H

#include <stdbool.h>

#define PACKAGE_NAME_MAX 64

/* Finds a symbol: the package's name for %pkg, and the file name of the library that defines it.
 * False when no package has it. */
bool package_index_symbol(const char *symbol, char ret_name[PACKAGE_NAME_MAX],
			  char ret_library[PACKAGE_NAME_MAX]);
/* Finds a package with the folder that contains this header ("foo/bar.h"). */
bool package_index_header(const char *header, char ret_name[PACKAGE_NAME_MAX]);

#endif
