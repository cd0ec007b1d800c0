/* SPDX-License-Identifier: Apache-2.0 */
/* --install: writes the kernelspecs, and the extension of JupyterLab, where Jupyter looks for them;
 * Jupyter itself is not needed. */
#ifndef CGPU_KERNEL_INSTALL_H
#define CGPU_KERNEL_INSTALL_H

#include <stddef.h>

struct error;

/*
 * prefix "": for the user, in $JUPYTER_DATA_DIR, $XDG_DATA_HOME/jupyter or ~/.local/share/jupyter;
 * else in PREFIX/share/jupyter. Prints where they are and what to do next.
 */
int install_for_jupyter(const char *prefix, struct error *err);

/* The folder that holds `file`, searched beside this program's own installation, then at
 * `otherwise`. */
int install_find(const char *file, const char *relative, const char *otherwise, char *ret,
		 size_t size, struct error *err);

#endif
