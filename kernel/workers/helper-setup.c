/* SPDX-License-Identifier: Apache-2.0 */
/* The order is a message of common/sandbox/confinement.h; what the kernel process knows for it is
 * put together here. */
#include "kernel/workers/helper-setup.h"

#include <signal.h>
#include <stdio.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/sandbox/confinement.h"
#include "kernel/base/process.h"
#include "kernel/sandbox/hidden-paths.h"
#include "kernel/sandbox/sandbox.h"

#define END_MS 500

void helper_setup_confine(const struct helper_setup *h, const struct buffer *filter,
			  struct buffer *out)
{
	confinement_put(out, h->sandbox->flags & ~h->without, h->memory, filter);
	hidden_paths_put_one(h->hidden, out);
	hidden_paths_put(h->covered, out);
}

int helper_setup_order(const struct helper_setup *h, const struct process *p, uint32_t order,
		       const struct buffer *filter, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	helper_setup_confine(h, filter, &b);
	if (buffer_check(&b, err))
		return -1;
	return ipc_send(p->sock, order, b.data, b.len, &h->sandbox->view, h->sandbox->view != 0,
			err);
}

int helper_setup_start(const struct helper_setup *h, struct process *p, const char *program,
		       uint32_t order, const struct buffer *filter, struct error *err)
{
	if (process_spawn(p, h->dir, program, NULL, PROCESS_DIES_WITH_US, err))
		return -1;
	if (!helper_setup_order(h, p, order, filter, err))
		return 0;
	process_end(p, END_MS);
	return error_wrap(err, "%s", program);
}

void helper_setup_take_report(const struct helper_setup *h, const char *whose, struct record *r)
{
	for (uint32_t n = record_count(r, 8); n--;) {
		const char *step = record_str(r), *why = record_str(r);
		char text[600];

		snprintf(text, sizeof(text), "for %s: %s", whose, why);
		if (!r->failed)
			sandbox_report(h->sandbox, step, text);
	}
}

bool helper_setup_speaks(const struct process *p, const char *program, uint32_t version,
			 uint32_t wanted)
{
	if (version == wanted)
		return true;
	log_error(
		"%s speaks version %u of the protocol, this kernel %u: install both from the same "
		"build",
		program, version, wanted);
	pidfd_signal(p->pidfd, SIGKILL);
	return false;
}
