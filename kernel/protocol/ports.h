/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens listening TCP sockets for the ports of a connection file, before libzmq is loaded. A client
 * that finds a port closed retries only a tenth of a second later, so cgpu-listen opens the ports
 * first of all and passes them to cgpu-kernel over an exec.
 */
#ifndef CGPU_KERNEL_PROTOCOL_PORTS_H
#define CGPU_KERNEL_PROTOCOL_PORTS_H

#include "kernel/protocol/connection-file.h"

/* Opens a socket for each channel; -1 where libzmq must do it: a name for an address, ipc, a port
 * that is in use. */
void ports_open(const struct connection_file *cf, int ret[CHANNELS]);

/* Makes the program that this process execs next inherit the sockets. */
void ports_hand_on(const int ports[CHANNELS]);
/* Takes the sockets that this process inherited; those that are missing or do not fit the file are
 * opened. */
void ports_take(const struct connection_file *cf, int ret[CHANNELS]);

#endif
