/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every form of instruction that compilers were seen to write is decoded: none may become the
 * operation that faults as unknown. What the operations compute is another test's matter.
 */
#include "tests/unit/emulator/machine.h"

#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/exec.h"

struct form_case {
	int target;
	const char *form, *operands;
};

static const struct form_case forms[] = {
#define FORM(target, form, operands) { target, form, operands },
#include "tests/ptx/census-forms.def"
#include "tests/ptx/more-forms.def"
#undef FORM
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

static void write_entry(struct buffer *t, const struct form_case *c)
{
	buffer_puts(t, ".func (.param .b32 r) callee(.param .b32 a) { .reg .b32 %r; ld.param.b32 "
		       "%r, [a];\n"
		       "st.param.b32 [r], %r; ret; }\n"
		       ".visible .entry k(.param .align 16 .b8 in[64])\n{\n.reg .pred %p<4>; .reg "
		       ".b16 %h<12>;\n"
		       ".reg .b32 %r<40>; .reg .b64 %d<20>; .shared .align 16 .b8 tile[1024];\n"
		       "{ .param .b32 o; .param .b32 i; .param .align 16 .b8 p[64];\n"
		       "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n");
	buffer_printf(t, "%s %s;\n}\nEND: ret;\n}\n", c->form, c->operands);
}

/* Why the form is refused; NULL when it is decoded. */
static const char *refusal(struct device *d)
{
	struct ptx_function *f = ptx_module_function(d->module, "k");

	if (ptx_function_prepare(f, &d->err))
		return d->err.text;
	for (uint32_t i = 0; i < f->body->program->op_count; i++) {
		const struct op *o = &f->body->program->ops[i];

		if (o->id == OP_unknown)
			return o->call && o->call->name ? o->call->name : "?";
	}
	return NULL;
}

static void every_form_of_the_census_is_decoded(void **state)
{
	int refused = 0;

	(void)state;
	for (size_t i = 0; i < FORMS; i++) {
		struct device *d = device_new();
		struct buffer text = BUFFER_INIT;
		const char *why;

		write_entry(&text, &forms[i]);
		device_load(d, buffer_text(&text));
		why = refusal(d);
		if (why) {
			print_message("sm_%d %s %s: %s\n", forms[i].target, forms[i].form,
				      forms[i].operands, why);
			refused++;
		}
		buffer_release(&text);
		device_free(d);
	}
	print_message("%zu forms, %d refused\n", FORMS, refused);
	assert_int_equal(refused, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_the_census_is_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
