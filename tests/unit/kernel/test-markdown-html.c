/* SPDX-License-Identifier: Apache-2.0 */
/* markdown_html(): what each part of a comment becomes, and that none of its text is an element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "kernel/reports/markdown-html.h"

static const struct {
	const char *markdown, *html;
} cases[] = {
	{ "", "" },
	{ "one\ntwo", "<p>one\ntwo</p>" },
	{ "one\n\n\ntwo\n", "<p>one</p><p>two</p>" },
	{ "a < b & \"c\"", "<p>a &lt; b &amp; &quot;c&quot;</p>" },
	{ "see `f(x)`, `a<b>`", "<p>see <code>f(x)</code>, <code>a&lt;b&gt;</code></p>" },
	{ "`over\nlines`", "<p><code>over\nlines</code></p>" },
	{ "``a`b`` c", "<p><code>a`b</code> c</p>" },
	{ "not ``closed` here", "<p>not ``closed` here</p>" },
	{ "`not\n\nover` paragraphs", "<p>`not</p><p>over` paragraphs</p>" },
	{ "text:\n- `n`: many\n- m: of two\nlines\n\nmore",
	  "<p>text:</p><ul><li><code>n</code>: many</li><li>m: of "
	  "two\nlines</li></ul><p>more</p>" },
	{ "-1 is no item", "<p>-1 is no item</p>" },
	{ "before\n```\n a < `b`\n\n- c\n```\nbehind",
	  "<p>before</p><pre><code> a &lt; `b`\n\n- c\n</code></pre><p>behind</p>" },
	{ "````\n```\n````", "<pre><code>```\n</code></pre>" },
	{ "```\nopen", "<pre><code>open\n</code></pre>" },
	{ "```a``` is text", "<p><code>a</code> is text</p>" },
	{ "\xff", "<p>\xef\xbf\xbd</p>" },
};

static void each_part_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buffer out = BUFFER_INIT;

		markdown_html(&out, cases[i].markdown);
		assert_string_equal(buffer_text(&out), cases[i].html);
		buffer_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_part_is_told) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
