/* SPDX-License-Identifier: Apache-2.0 */
/* The steps are those of sandbox-apply.c; here is their order as a message. */
#include "common/sandbox/confinement.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"

void confinement_put(struct buffer *out, uint32_t flags, uint64_t memory,
		     const struct buffer *filter)
{
	record_put_u32(out, flags);
	record_put_u64(out, memory);
	record_put_bytes(out, filter->data, filter->len);
}

int confinement_read(struct record *r, struct confinement *ret, struct error *err)
{
	*ret = (struct confinement){ .policy = { .flags = record_u32(r),
						 .kernel_pid = getppid() } };
	ret->policy.memory = record_u64(r);
	ret->policy.filter = record_bytes(r, &ret->policy.filter_len);
	ret->policy.hidden = hidden_path_read(r);
	ret->n_covered = record_count(r, 20);
	ret->covered = *r;
	for (uint32_t n = ret->n_covered; n; n--)
		hidden_path_read(r);
	return record_check(r, "the containment", err);
}

void confinement_hide(struct confinement *c, struct sandbox_report *report)
{
	struct error err = ERROR_INIT;

	c->policy.in_force = sandbox_apply_zygote(&c->policy, report);
	for (uint32_t n = c->n_covered; c->policy.in_force & SANDBOX_HIDE_FILE && n; n--) {
		struct hidden_path h = hidden_path_read(&c->covered);

		if (sandbox_apply_cover(&h, c->policy.view != 0, &err))
			log_warning("%s", err.text);
	}
}

void confinement_finish(const struct confinement *c, struct sandbox_report *report)
{
	sandbox_apply_helper(&c->policy, report);
	/* A new user namespace has taken it away. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void confinement_apply(struct confinement *c, struct sandbox_report *report, void *data)
{
	(void)data;
	confinement_hide(c, report);
	confinement_finish(c, report);
}

static int obey(const struct confinement_exchange *x, const struct ipc_message *m,
		struct sandbox_report *report, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	struct confinement c;

	if (m->type != x->order)
		return error_set(err, ERROR_PROTOCOL, "message %u is the first", m->type);
	if (confinement_read(&r, &c, err))
		return -1;
	c.policy.view = m->n_fds ? m->fds[0] : 0;
	x->apply(&c, report, x->data);
	return 0;
}

int confinement_begin(int sock, const struct confinement_exchange *x, struct buffer *said,
		      struct error *err)
{
	cleanup_buffer struct buffer list = BUFFER_INIT;
	struct sandbox_report report = { &list, 0 };
	struct ipc_message m;
	int failed;

	if (ipc_receive(sock, -1, &m, err) < 0)
		return -1;
	failed = obey(x, &m, &report, err);
	ipc_message_release(&m);
	if (failed)
		return -1;
	sandbox_report_put(said, &report);
	return ipc_send_buffer(sock, x->hello, said, err);
}
