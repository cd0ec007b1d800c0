/* SPDX-License-Identifier: Apache-2.0 */
/* The function has a name of its own: that of CUDA is the driver's. */
#include "runtime/cuda/ptx/ptx-condition.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/cuda/ptx-lexer.h"

#define NAME "cudaGraphSetConditional"
#define OWN "cgpu_graph_set_conditional"

static const char definition[] =
	".func " OWN "(.param .b64 handle, .param .b32 value)\n"
	"{\n"
	"\t.reg .b64 %rd;\n\t.reg .b32 %r;\n"
	"\tld.param.u64 %rd, [handle];\n\tld.param.u32 %r, [value];\n\tst.u32 [%rd], %r;\n\tret;\n"
	"}\n";

static bool is(const struct ptx_token *t, enum ptx_token_kind kind, const char *text)
{
	return t->kind == kind && t->len == strlen(text) && !memcmp(t->text, text, t->len);
}

/* Behind the `;` that ends a declaration. */
static const char *end_of_declaration(struct ptx_lexer *lexer)
{
	struct ptx_token t;

	do
		ptx_lexer_next(lexer, &t);
	while (t.kind != PTX_TOKEN_END && t.kind != PTX_TOKEN_BAD &&
	       !(t.kind == PTX_TOKEN_PUNCTUATION && t.value == ';'));
	return lexer->at;
}

bool ptx_condition_rewrite(const char *ptx, struct buffer *out)
{
	struct ptx_token t = { 0 }, before = { 0 }, first;
	const char *copied = ptx;
	struct ptx_lexer lexer;

	if (!strstr(ptx, NAME))
		return false;
	ptx_lexer_init(&lexer, ptx, strlen(ptx));
	do {
		first = before;
		before = t;
		ptx_lexer_next(&lexer, &t);
		if (!is(&t, PTX_TOKEN_IDENTIFIER, NAME))
			continue;
		if (is(&before, PTX_TOKEN_DOTTED, ".func") &&
		    is(&first, PTX_TOKEN_DOTTED, ".extern")) {
			buffer_append(out, copied, (size_t)(first.text - copied));
			buffer_puts(out, definition);
			copied = end_of_declaration(&lexer);
		} else {
			buffer_append(out, copied, (size_t)(t.text - copied));
			buffer_puts(out, OWN);
			copied = t.text + t.len;
		}
	} while (t.kind != PTX_TOKEN_END && t.kind != PTX_TOKEN_BAD);
	buffer_puts(out, copied);
	return true;
}
