/* SPDX-License-Identifier: Apache-2.0 */
/* struct signature: known values, the empty key, every changed byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/protocol/signature.h"

/* RFC 4231, test case 2, cut over two parts. */
static void signs_as_the_standard_says(void **state)
{
	struct signature s;
	struct iovec parts[] = { { "what do ya want ", 16 }, { "for nothing?", 12 } };
	char hex[SIGNATURE_MAX];

	(void)state;
	assert_int_equal(signature_init(&s, "hmac-sha256", "Jefe", NULL), 0);
	for (int twice = 0; twice < 2; twice++) {
		assert_int_equal(signature_sign(&s, parts, 2, hex, NULL), 0);
		assert_string_equal(
			hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	}
	signature_release(&s);
}

static void refuses_any_difference(void **state)
{
	struct signature s;
	struct iovec part = { "content", 7 };
	char hex[SIGNATURE_MAX];

	(void)state;
	assert_int_equal(signature_init(&s, "hmac-sha256", "key", NULL), 0);
	assert_int_equal(signature_sign(&s, &part, 1, hex, NULL), 0);
	assert_true(signature_check(&s, &part, 1, hex, strlen(hex)));
	assert_false(signature_check(&s, &part, 1, hex, strlen(hex) - 1));
	assert_false(signature_check(&s, &part, 1, "", 0));
	for (size_t i = 0; i < 64; i++) {
		hex[i] ^= 1;
		assert_false(signature_check(&s, &part, 1, hex, strlen(hex)));
		hex[i] ^= 1;
	}
	part.iov_len--;
	assert_false(signature_check(&s, &part, 1, hex, strlen(hex)));
	signature_release(&s);
}

static void empty_key_is_off(void **state)
{
	struct signature s;
	struct iovec part = { "x", 1 };
	char hex[SIGNATURE_MAX];

	(void)state;
	assert_int_equal(signature_init(&s, "hmac-sha256", "", NULL), 0);
	assert_int_equal(signature_sign(&s, &part, 1, hex, NULL), 0);
	assert_string_equal(hex, "");
	assert_true(signature_check(&s, &part, 1, "anything", 8));
	signature_release(&s);
}

static void unknown_schemes_are_named(void **state)
{
	struct signature s;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(signature_init(&s, "rot13", "key", &err), -1);
	assert_non_null(strstr(err.text, "rot13"));
	assert_int_equal(signature_init(&s, "hmac-rot13", "key", &err), -1);
	assert_non_null(strstr(err.text, "hmac-rot13"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signs_as_the_standard_says),
		cmocka_unit_test(refuses_any_difference),
		cmocka_unit_test(empty_key_is_off),
		cmocka_unit_test(unknown_schemes_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
