/* SPDX-License-Identifier: Apache-2.0 */
/* What a front end has sent reaches the session. */
#ifndef CGPU_RUNTIME_WIDGETS_COMM_DELIVER_H
#define CGPU_RUNTIME_WIDGETS_COMM_DELIVER_H

#include <stddef.h>

/* Takes a message of common/protocol/comm-message.h, as the cell and on its stack: the state is
 * set, and the callback is called. A comm that is not there any more takes none. */
void comm_deliver(const void *bytes, size_t len);
/* Calls the function of cgpu_interact() with the values of its sliders; data is what belongs to
 * them. As a cell. */
void interact_call(void *data);

#endif
