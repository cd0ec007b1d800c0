/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A short-lived child with a mount namespace of its own, for an ordinary user in a user namespace,
 * that makes something there and hands over descriptors of it.
 */
#ifndef CGPU_KERNEL_SANDBOX_NAMESPACE_CHILD_H
#define CGPU_KERNEL_SANDBOX_NAMESPACE_CHILD_H

struct error;

#define NAMESPACE_CHILD_FDS 2

/* Runs in the child. Returns how many descriptors are in ret, or -1. */
typedef int namespace_child_make(const void *data, int ret[NAMESPACE_CHILD_FDS], struct error *err);

/* Runs `make` in such a child, and waits for it: 5 s at most. ret gets the n descriptors that are
 * expected, which are the caller's. */
int namespace_child_run(namespace_child_make *make, const void *data, int n, int *ret,
			struct error *err);

#endif
