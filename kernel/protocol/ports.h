/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening TCP sockets for the ports of a connection file, opened before libzmq is there to do it.
 * A client that finds a port closed comes again only a tenth of a second later, so cgpu-listen
 * opens them as the first thing of all and hands them on to cgpu-kernel over an exec.
 */
#ifndef CGPU_KERNEL_PROTOCOL_PORTS_H
#define CGPU_KERNEL_PROTOCOL_PORTS_H

#include "kernel/protocol/connection-file.h"

/* A socket for each channel; -1 where libzmq must find its own way: a name for an address, ipc, a
 * port that is in use. */
void ports_open(const struct connection_file *cf, int ret[CHANNELS]);

/* Let the program that this process execs next have them. */
void ports_hand_on(const int ports[CHANNELS]);
/* Those that were handed on to this process; what is not, or does not fit the file, is opened. */
void ports_take(const struct connection_file *cf, int ret[CHANNELS]);

#endif
