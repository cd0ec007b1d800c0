/* SPDX-License-Identifier: Apache-2.0 */
/* Texts, one after another: the failure first. */
#include "kernel/views/presenter-view.h"

#include "common/base/error.h"
#include "common/base/record.h"

void presenter_view_release(struct presenter_view *v)
{
	buffer_release(&v->text);
	buffer_release(&v->html);
	buffer_release(&v->timeline);
	buffer_release(&v->chart);
}

void presenter_view_put(const struct presenter_view *v, const char *failure, struct buffer *out)
{
	const struct buffer *const forms[] = { &v->text, &v->html, &v->timeline, &v->chart };

	record_put_str(out, failure);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		record_put_str(out, buffer_text(forms[i]));
		out->failed |= forms[i]->failed;
	}
}

int presenter_view_take(const void *bytes, size_t len, struct presenter_view *ret,
			const char **ret_failure, struct error *err)
{
	struct buffer *const forms[] = { &ret->text, &ret->html, &ret->timeline, &ret->chart };
	struct record r = record_open(bytes, len);

	*ret_failure = record_str(&r);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		buffer_puts(forms[i], record_str(&r));
		if (buffer_check(forms[i], err))
			return -1;
	}
	return record_check(&r, "PRESENTER_VIEW", err);
}
