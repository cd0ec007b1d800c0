/* SPDX-License-Identifier: Apache-2.0 */
/* The keyed context is made once; each message restarts it, which costs no key schedule. */
#include "kernel/protocol/signature.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "common/base/error.h"

int signature_init(struct signature *s, const char *scheme, const char *key, struct error *err)
{
	OSSL_PARAM params[2] = { OSSL_PARAM_END, OSSL_PARAM_END };
	EVP_MAC *mac;
	EVP_MAC_CTX *ctx;

	s->ctx = NULL;
	if (!*key)
		return 0;
	if (strncmp(scheme, "hmac-", 5))
		return error_set(err, ERROR_UNSUPPORTED,
				 "signature scheme \"%s\" is not supported; hmac-sha256 is",
				 scheme);
	mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
	EVP_MAC_free(mac);
	params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)scheme + 5, 0);
	if (!ctx || !EVP_MAC_init(ctx, (const unsigned char *)key, strlen(key), params)) {
		EVP_MAC_CTX_free(ctx);
		return error_set(err, ERROR_UNSUPPORTED,
				 "OpenSSL cannot make signatures of the scheme \"%s\"", scheme);
	}
	s->ctx = ctx;
	return 0;
}

void signature_release(struct signature *s)
{
	EVP_MAC_CTX_free(s->ctx);
	s->ctx = NULL;
}

int signature_sign(struct signature *s, const struct iovec *parts, size_t n,
		   char ret[SIGNATURE_MAX], struct error *err)
{
	unsigned char digest[(SIGNATURE_MAX - 1) / 2];
	size_t len = 0;

	ret[0] = '\0';
	if (!s->ctx)
		return 0;
	if (!EVP_MAC_init(s->ctx, NULL, 0, NULL))
		return error_set(err, ERROR_SYSTEM, "OpenSSL cannot restart the message signature");
	for (size_t i = 0; i < n; i++)
		if (!EVP_MAC_update(s->ctx, parts[i].iov_base, parts[i].iov_len))
			return error_set(err, ERROR_SYSTEM, "OpenSSL cannot sign a message");
	if (!EVP_MAC_final(s->ctx, digest, &len, sizeof(digest)))
		return error_set(err, ERROR_SYSTEM, "OpenSSL cannot finish a message signature");
	for (size_t i = 0; i < len; i++) {
		ret[2 * i] = "0123456789abcdef"[digest[i] >> 4];
		ret[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
	}
	ret[2 * len] = '\0';
	return 0;
}

bool signature_check(struct signature *s, const struct iovec *parts, size_t n, const char *given,
		     size_t given_len)
{
	char expected[SIGNATURE_MAX];

	if (!s->ctx)
		return true;
	if (signature_sign(s, parts, n, expected, NULL))
		return false;
	return given_len == strlen(expected) && !CRYPTO_memcmp(given, expected, given_len);
}
