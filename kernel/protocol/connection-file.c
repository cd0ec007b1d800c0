/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and checks the connection file; every refusal names the file, the key and what was
 * expected. */
#include "kernel/protocol/connection-file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/regular-file.h"

static const struct {
	const char *name, *key;
} channels[CHANNELS] = {
#define CHANNEL(symbol, name, key, type) { name, key },
#include "kernel/protocol/channels.def"
#undef CHANNEL
};

const char *channel_name(enum channel channel)
{
	return channels[channel].name;
}

const char *channel_key(enum channel channel)
{
	return channels[channel].key;
}

/* Reads a text; an absent key leaves the default. */
static int read_text(const json_t *file, const char *key, char *ret, size_t size, struct error *err)
{
	const json_t *value = json_object_get(file, key);

	if (!value)
		return 0;
	if (!json_is_string(value))
		return error_set(err, ERROR_INPUT, "\"%s\" must be a string", key);
	if (json_string_length(value) >= size ||
	    strlen(json_string_value(value)) != json_string_length(value))
		return error_set(err, ERROR_INPUT,
				 "\"%s\" is longer than %zu characters or holds a NUL", key,
				 size - 1);
	strcpy(ret, json_string_value(value));
	return 0;
}

static int read_port(const json_t *file, const char *key, unsigned *ret, struct error *err)
{
	const json_t *value = json_object_get(file, key);
	long long port = 0;
	char *end;

	if (!value)
		return error_set(err, ERROR_INPUT, "\"%s\" is missing", key);
	if (json_is_integer(value)) {
		port = json_integer_value(value);
	} else if (json_is_string(value)) {
		port = strtoll(json_string_value(value), &end, 10);
		if (*end)
			port = 0;
	}
	if (port < 1 || port > 65535)
		return error_set(err, ERROR_INPUT, "\"%s\" must be a port from 1 to 65535", key);
	*ret = port;
	return 0;
}

static int read_curve(const json_t *file, struct connection_file *cf, struct error *err)
{
	if (read_text(file, "curve_publickey", cf->curve_public, sizeof(cf->curve_public), err) ||
	    read_text(file, "curve_secretkey", cf->curve_secret, sizeof(cf->curve_secret), err))
		return -1;
	if (!*cf->curve_public && !*cf->curve_secret)
		return 0;
	if (strlen(cf->curve_public) != CURVE_KEY_LEN || strlen(cf->curve_secret) != CURVE_KEY_LEN)
		return error_set(
			err, ERROR_INPUT,
			"\"curve_publickey\" and \"curve_secretkey\" must both have %d characters",
			CURVE_KEY_LEN);
	return 0;
}

/* Reads what a registration file has in place of ports. */
static int read_registration(const json_t *file, struct connection_file *cf, struct error *err)
{
	if (cf->ipc)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a kernel takes free ports of \"transport\" \"tcp\" only");
	if (read_text(file, "kernel_id", cf->kernel_id, sizeof(cf->kernel_id), err) ||
	    read_text(file, "registration_ip", cf->registration_ip, sizeof(cf->registration_ip),
		      err))
		return -1;
	return read_port(file, "registration_port", &cf->registration_port, err);
}

static int read_fields(const json_t *file, struct connection_file *cf, struct error *err)
{
	char transport[8] = "tcp";

	if (!json_is_object(file))
		return error_set(err, ERROR_INPUT, "it must hold one JSON object");
	if (read_text(file, "transport", transport, sizeof(transport), err) ||
	    read_text(file, "ip", cf->ip, sizeof(cf->ip), err) ||
	    read_text(file, "key", cf->key, sizeof(cf->key), err) ||
	    read_text(file, "signature_scheme", cf->scheme, sizeof(cf->scheme), err) ||
	    read_curve(file, cf, err))
		return -1;
	cf->ipc = !strcmp(transport, "ipc");
	if (!cf->ipc && strcmp(transport, "tcp"))
		return error_set(err, ERROR_INPUT,
				 "\"transport\" is \"%s\"; tcp and ipc are supported", transport);
	if (json_object_get(file, "registration_port"))
		return read_registration(file, cf, err);
	for (int i = 0; i < CHANNELS; i++)
		if (read_port(file, channels[i].key, &cf->ports[i], err))
			return -1;
	return 0;
}

int connection_file_read(struct connection_file *ret, const char *path, struct error *err)
{
	struct connection_file cf = { .ip = "127.0.0.1",
				      .scheme = "hmac-sha256",
				      .registration_ip = "127.0.0.1" };
	json_error_t why;
	cleanup_fd int fd = regular_file_open(AT_FDCWD, path, O_RDONLY, 0, err);
	json_t *file = fd < 0 ? NULL : json_loadfd(fd, 0, &why);
	int rc;

	if (fd < 0)
		return error_wrap(err, "connection file %s", path);
	if (!file)
		return error_set(err, ERROR_INPUT, "connection file %s, line %d: %s", path,
				 why.line, why.text);
	rc = read_fields(file, &cf, err);
	json_decref(file);
	if (rc)
		return error_wrap(err, "connection file %s", path);
	*ret = cf;
	explicit_bzero(&cf, sizeof(cf));
	return 0;
}

void connection_file_release(struct connection_file *cf)
{
	explicit_bzero(cf->key, sizeof(cf->key));
	explicit_bzero(cf->curve_secret, sizeof(cf->curve_secret));
}

void connection_file_endpoint(const struct connection_file *cf, enum channel channel, char *ret,
			      size_t size)
{
	snprintf(ret, size, cf->ipc ? "ipc://%s-%u" : "tcp://%s:%u", cf->ip, cf->ports[channel]);
}
