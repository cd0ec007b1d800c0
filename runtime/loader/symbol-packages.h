/* SPDX-License-Identifier: Apache-2.0 */
/* A name that nobody defines is looked for in packages, for the error that says so. */
#ifndef CGPU_RUNTIME_LOADER_SYMBOL_PACKAGES_H
#define CGPU_RUNTIME_LOADER_SYMBOL_PACKAGES_H

/* The name for %pkg, or NULL. */
const char *symbol_packages_find(const char *symbol);

#endif
