/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HMAC over the four JSON frames of a message (Jupyter messaging, "Wire protocol"). An empty key
 * switches signing off: the signature is "" then and every signature is accepted.
 */
#ifndef CGPU_KERNEL_PROTOCOL_SIGNATURE_H
#define CGPU_KERNEL_PROTOCOL_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

struct error;

#define SIGNATURE_MAX 129 /* hex digits of the longest digest and a NUL */

struct signature {
	void *ctx; /* EVP_MAC_CTX with the key set; NULL when off */
};

/* Sets the key. scheme is "hmac-" and a digest that OpenSSL knows. The key is not kept here. */
int signature_init(struct signature *s, const char *scheme, const char *key, struct error *err);
void signature_release(struct signature *s);

int signature_sign(struct signature *s, const struct iovec *parts, size_t n,
		   char ret[SIGNATURE_MAX], struct error *err);
/* Compares in constant time, wherever the first difference is. */
bool signature_check(struct signature *s, const struct iovec *parts, size_t n, const char *given,
		     size_t given_len);

#endif
