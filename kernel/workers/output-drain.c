/* SPDX-License-Identifier: Apache-2.0 */
/* Output of workers without the session is not shown to the user and goes to the log. */
#include "kernel/workers/output-drain.h"

#include <unistd.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/workers/worker.h"

#define TEXT_MAX (64 * 1024)
#define PASS_MAX (2 * (size_t)OUTPUT_RING_SIZE)

static void keep_result(struct supervisor *s, const struct buffer *record)
{
	buffer_clear(&s->run.result);
	buffer_append(&s->run.result, record->data, record->len);
	s->run.has_result = true;
}

static void drain_ring(struct supervisor *s, struct worker *w)
{
	cleanup_buffer struct buffer record = BUFFER_INIT;
	struct error err = ERROR_INIT;
	size_t taken = 0;

	while (taken < PASS_MAX) {
		enum output_type type;
		int n = output_ring_read(w->control, TEXT_MAX, &type, &record, &err);

		if (n < 0)
			log_warning("output of worker %d: %s", (int)w->pid, err.text);
		if (n <= 0)
			return;
		taken += record.len;
		if (type == OUTPUT_RESULT)
			keep_result(s, &record);
		else
			s->cb->on_output(s->cb_data, type, buffer_text(&record), record.len);
	}
}

static void log_bytes(const struct worker *w, const char *bytes, ssize_t n)
{
	while (n > 0 && bytes[n - 1] == '\n')
		n--;
	log_info("worker %d: %.*s", (int)w->pid, (int)n, bytes);
}

static void drain_pipe(struct supervisor *s, struct worker *w, int which)
{
	static char bytes[64 * 1024];
	size_t taken = 0;
	ssize_t n;

	while (taken < PASS_MAX && (n = read(w->pipes[which], bytes, sizeof(bytes))) > 0) {
		taken += (size_t)n;
		if (w->attached)
			s->cb->on_output(s->cb_data, which ? OUTPUT_STDERR : OUTPUT_STDOUT, bytes,
					 (size_t)n);
		else
			log_bytes(w, bytes, n);
	}
}

void output_drain(struct supervisor *s, struct worker *w)
{
	if (!s->cb)
		return;
	if (w->attached)
		drain_ring(s, w);
	drain_pipe(s, w, 0);
	drain_pipe(s, w, 1);
}
