/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection file: JSON that the front end wrote and whose path it gives with -f. It holds the
 * addresses to bind and the key that signs messages, so it is read late, when every process that
 * may run user code has been started. Format: Jupyter messaging, "Connection files"; ports may be
 * numbers or strings. A registration file has no ports but that of the launcher (registration.h).
 */
#ifndef CGPU_KERNEL_PROTOCOL_CONNECTION_FILE_H
#define CGPU_KERNEL_PROTOCOL_CONNECTION_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct error;

enum channel {
#define CHANNEL(symbol, name, key, type) CHANNEL_##symbol,
#include "kernel/protocol/channels.def"
#undef CHANNEL
	CHANNELS
};

#define CONNECTION_TEXT_MAX 512
#define CURVE_KEY_LEN 40

struct connection_file {
	bool ipc;
	char ip[CONNECTION_TEXT_MAX];  /* for ipc: the path in front of "-PORT" */
	unsigned ports[CHANNELS];      /* 0: any that is free, until channels_open() */
	char key[CONNECTION_TEXT_MAX]; /* "" : messages are not signed */
	char scheme[32];               /* "hmac-sha256" */
	unsigned registration_port;    /* 0: this is no registration file */
	char registration_ip[CONNECTION_TEXT_MAX], kernel_id[CONNECTION_TEXT_MAX];
	/* Z85 texts, both or none */
	char curve_public[CURVE_KEY_LEN + 1];
	char curve_secret[CURVE_KEY_LEN + 1];
};

int connection_file_read(struct connection_file *ret, const char *path, struct error *err);
/* Overwrites the secrets with zeros; the ports stay. */
void connection_file_release(struct connection_file *cf);
/* Writes the address of a channel: "tcp://127.0.0.1:5555" or "ipc:///path-1". */
void connection_file_endpoint(const struct connection_file *cf, enum channel channel, char *ret,
			      size_t size);
const char *channel_name(enum channel channel);
/* Returns the key of the channel's port in the file. */
const char *channel_key(enum channel channel);

#endif
