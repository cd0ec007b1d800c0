/* SPDX-License-Identifier: Apache-2.0 */
/* The socket has a context of its own, which ends with the handshake: the launcher may close its
 * side then. */
#include "kernel/protocol/registration.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <zmq.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/whole-io.h"
#include "kernel/protocol/signature.h"
#include "kernel/protocol/wire.h"
#include "kernel/settings/jupyter-folders.h"

#define ANSWER_MS 10000
#define FRAMES_MAX 16
#define DELIMITER "<IDS|MSG>"
#define ANSWER_MAX ((int64_t)1 << 20)

/* To a launcher ports are numbers in texts, as xeus writes them, the first kernel that had this;
 * in a connection file they are numbers. */
static json_t *ports_json(const struct connection_file *cf, bool as_texts)
{
	json_t *made = json_object();

	for (int i = 0; i < CHANNELS; i++) {
		char port[16];

		snprintf(port, sizeof(port), "%u", cf->ports[i]);
		json_object_set_new(made, channel_key(i),
				    as_texts ? json_string(port) : json_integer(cf->ports[i]));
	}
	return made;
}

static char *dump(json_t *content)
{
	char *text = json_dumps(content, JSON_COMPACT);

	json_decref(content);
	return text;
}

/* ---- the answer ---- */

/* Reads the frames behind the delimiter: the signature and the content. */
static int check_answer(zmq_msg_t *frames, size_t n, struct signature *signature, struct error *err)
{
	struct iovec content;
	size_t at = 0;

	while (at < n && (zmq_msg_size(&frames[at]) != strlen(DELIMITER) ||
			  memcmp(zmq_msg_data(&frames[at]), DELIMITER, strlen(DELIMITER)) != 0))
		at++;
	if (at + 3 != n)
		return error_set(err, ERROR_PROTOCOL,
				 "it has %zu frames, and not a signature and a content behind "
				 "\"" DELIMITER "\"",
				 n);
	content = (struct iovec){ zmq_msg_data(&frames[at + 2]), zmq_msg_size(&frames[at + 2]) };
	if (!signature_check(signature, &content, 1, zmq_msg_data(&frames[at + 1]),
			     zmq_msg_size(&frames[at + 1])))
		return error_set(err, ERROR_PROTOCOL, "it is not signed with the key of the file");
	return 0;
}

static int take_answer(void *socket, struct signature *signature, struct error *err)
{
	zmq_msg_t frames[FRAMES_MAX];
	bool more = true;
	size_t n = 0;
	int rc = 0;

	while (more && !rc && n < FRAMES_MAX) {
		zmq_msg_init(&frames[n]);
		rc = wire_receive_frame(socket, &frames[n], 0);
		if (rc)
			error_set(err, ERROR_TIMEOUT, "none came within %d s: has it ended?",
				  ANSWER_MS / 1000);
		more = !rc && zmq_msg_more(&frames[n]);
		n++;
	}
	if (!rc)
		rc = check_answer(frames, n, signature, err);
	while (n)
		zmq_msg_close(&frames[--n]);
	return rc ? error_wrap(err, "the answer of the launcher to the ports of this kernel") : 0;
}

/* ---- the handshake ---- */

static int send_ports(void *socket, const struct connection_file *cf, struct signature *signature,
		      struct error *err)
{
	json_t *content = ports_json(cf, true);
	char digest[SIGNATURE_MAX];
	struct iovec part;
	int rc;

	json_object_set_new(content, "kernel_id", json_string(cf->kernel_id));
	cleanup_free char *text = dump(content);
	if (!text)
		return error_set(err, ERROR_MEMORY, "out of memory for the ports of this kernel");
	part = (struct iovec){ text, strlen(text) };
	if (signature_sign(signature, &part, 1, digest, err))
		return -1;
	rc = zmq_send(socket, DELIMITER, strlen(DELIMITER), ZMQ_SNDMORE) < 0 ||
	     zmq_send(socket, digest, strlen(digest), ZMQ_SNDMORE) < 0 ||
	     zmq_send(socket, text, part.iov_len, 0) < 0;
	return rc ? error_set(err, ERROR_SYSTEM, "the ports cannot be sent: %s",
			      zmq_strerror(errno))
		  : 0;
}

static int set_up(void *socket, struct error *err)
{
	int64_t most = ANSWER_MAX;
	int none = 0, ms = ANSWER_MS;

	if (zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof(none)) ||
	    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &ms, sizeof(ms)) ||
	    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof(most)))
		return error_set(err, ERROR_SYSTEM, "zmq_setsockopt: %s", zmq_strerror(errno));
	return 0;
}

static int shake_hands(void *socket, const struct connection_file *cf, struct error *err)
{
	char endpoint[CONNECTION_TEXT_MAX + 32];
	struct signature signature;
	int rc;

	snprintf(endpoint, sizeof(endpoint), "tcp://%s:%u", cf->registration_ip,
		 cf->registration_port);
	if (set_up(socket, err) || signature_init(&signature, cf->scheme, cf->key, err))
		return -1;
	if (zmq_connect(socket, endpoint))
		rc = error_set(err, ERROR_SYSTEM, "%s: %s", endpoint, zmq_strerror(errno));
	else
		rc = send_ports(socket, cf, &signature, err) || take_answer(socket, &signature, err)
			     ? -1
			     : 0;
	signature_release(&signature);
	return rc;
}

/* ---- the connection file ---- */

static char *file_text(const struct connection_file *cf)
{
	json_t *content = ports_json(cf, false);

	json_object_set_new(content, "transport", json_string("tcp"));
	json_object_set_new(content, "ip", json_string(cf->ip));
	json_object_set_new(content, "key", json_string(cf->key));
	json_object_set_new(content, "signature_scheme", json_string(cf->scheme));
	json_object_set_new(content, "kernel_name", json_string("cgpu"));
	if (*cf->curve_public) {
		json_object_set_new(content, "curve_publickey", json_string(cf->curve_public));
		json_object_set_new(content, "curve_secretkey", json_string(cf->curve_secret));
	}
	return dump(content);
}

/* Says why there is no file: other clients do without it. */
static void write_file(struct registration *r, const struct connection_file *cf)
{
	cleanup_buffer struct buffer folders = BUFFER_INIT;
	cleanup_free char *text = file_text(cf);
	cleanup_fd int fd = -1;

	jupyter_folders_runtime(&folders);
	if (!folders.len || !text)
		return;
	snprintf(r->path, sizeof(r->path), "%s/kernel-%d-%u.json", folders.data, getpid(),
		 cf->ports[CHANNEL_SHELL]);
	fd = open(r->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && whole_pwrite(fd, text, strlen(text), 0) == strlen(text)) {
		explicit_bzero(text, strlen(text));
		return;
	}
	log_warning("no connection file for other clients, %s: %s", r->path, strerror(errno));
	explicit_bzero(text, strlen(text));
	if (fd >= 0)
		unlink(r->path);
	*r->path = '\0';
}

int registration_tell(struct registration *ret, const struct connection_file *cf, struct error *err)
{
	void *context, *socket;
	int rc = -1;

	*ret = (struct registration){ .path = "" };
	if (!cf->registration_port)
		return 0;
	context = zmq_ctx_new();
	socket = context ? zmq_socket(context, ZMQ_DEALER) : NULL;
	if (socket)
		rc = shake_hands(socket, cf, err);
	else
		error_set(err, ERROR_SYSTEM, "no ZeroMQ socket: %s", zmq_strerror(errno));
	if (socket)
		zmq_close(socket);
	if (context)
		zmq_ctx_term(context);
	if (!rc)
		write_file(ret, cf);
	return rc;
}

void registration_release(struct registration *r)
{
	if (*r->path)
		unlink(r->path);
	*r->path = '\0';
}
