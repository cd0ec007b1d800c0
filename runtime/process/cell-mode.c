/* SPDX-License-Identifier: Apache-2.0 */
/* The mode is a thread-local variable of the program itself, so that malloc() reaches it without a
 * call, before anything is initialised and in signal handlers. */
#include "runtime/process/cell-mode.h"

__thread struct cell_mode cell_mode __attribute__((tls_model("initial-exec")));
