/* SPDX-License-Identifier: Apache-2.0 */
/* Values shorter than 8 bytes are widened by zeros. */
#include "emulator/syscall/syscall-argument.h"

#include <string.h>

const void *syscall_argument_bytes(const struct warp *w, const struct ptx_call *c, uint32_t lane,
				   uint32_t i)
{
	return w->frame->params + (size_t)lane * w->frame->program->param_area +
	       c->arguments[i].offset;
}

uint64_t syscall_argument(const struct warp *w, const struct ptx_call *c, uint32_t lane, uint32_t i)
{
	uint64_t v = 0;

	if (i < c->argument_count)
		memcpy(&v,
		       w->frame->params + (size_t)lane * w->frame->program->param_area +
			       c->arguments[i].offset,
		       c->arguments[i].size < 8 ? c->arguments[i].size : 8);
	return v;
}

void syscall_result(const struct warp *w, const struct ptx_call *c, uint32_t lane, uint64_t v)
{
	if (c->return_count)
		memcpy(w->frame->params + (size_t)lane * w->frame->program->param_area +
			       c->returns[0].offset,
		       &v, c->returns[0].size < 8 ? c->returns[0].size : 8);
}
