/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handshake of JEP 66: a launcher that names no ports but its registration socket is told the
 * ports that the kernel has taken.
 *
 *	kernel                                        launcher (ROUTER)
 *	binds its five channels to free ports
 *	<IDS|MSG>, signature, {kernel_id, ports}  ->
 *	            <-  <IDS|MSG>, signature, content
 *	the session begins
 *
 * 1. A signature is that of the content alone.
 * 2. A kernel that nobody answers ends, since nobody would ever find it.
 */
#ifndef CGPU_KERNEL_PROTOCOL_REGISTRATION_H
#define CGPU_KERNEL_PROTOCOL_REGISTRATION_H

#include "kernel/protocol/connection-file.h"

struct error;

/* Where the connection file of such a kernel is, for other clients. */
struct registration {
	char path[4096]; /* "": there is none */
};

/*
 * Tells the launcher the ports, which are known by then, and waits for its answer; then writes a
 * connection file into Jupyter's runtime folder, if there is one. Does nothing for a file that has
 * the ports. ERROR_TIMEOUT: the launcher does not answer; ERROR_PROTOCOL: its answer is none.
 */
int registration_tell(struct registration *ret, const struct connection_file *cf,
		      struct error *err);
/* Removes the connection file. */
void registration_release(struct registration *r);

#endif
