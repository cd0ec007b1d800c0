/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts that front ends use: the language of cells chooses the editor's mode and the
 * highlighter, and the file extension is that of scripts that nbconvert makes
 * (kernel/settings/language.def).
 */
#include "kernel/requests/info.h"

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "config.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/settings/language.h"
#include "kernel/settings/options.h"

static void put_banner(const struct language *l, struct buffer *out)
{
	buffer_printf(out,
		      "%s " PACKAGE_VERSION
		      " - %s; a fault is an error message, never a lost session.\n"
		      "%%help lists the commands, ?name explains a name, %%gpu shows the device.",
		      l->title, l->cells);
}

/*
 * The editor's mode. JupyterLab looks for the name, which is one of our extension's language
 * (labextension/), then for the MIME type: without the extension cells are C++. CodeMirror 5, in
 * older front ends, has that name for C++ headers, in a file of the name in "mode".
 */
static json_t *codemirror_mode(void)
{
	const char *cpp = "text/x-c++src";

	return json_pack("{ss ss ss ss}", "name", "text/x-c++hdr", "mode", "clike", "mime", cpp,
			 "mimetype", cpp);
}

static json_t *language_info(const struct language *l)
{
	return json_pack("{ss ss ss so ss ss}", "name", l->name, "version", l->version, "mimetype",
			 l->mimetype, "codemirror_mode", codemirror_mode(), "file_extension",
			 l->file_extension, "pygments_lexer", l->pygments_lexer);
}

static json_t *help_links(const struct language *l)
{
	return json_pack("[{ss ss} {ss ss} {ss ss}]", "text", l->reference, "url", l->reference_url,
			 "text", "CUDA C++ programming guide", "url",
			 "https://docs.nvidia.com/cuda/cuda-c-programming-guide/", "text",
			 "CUDA runtime API", "url",
			 "https://docs.nvidia.com/cuda/cuda-runtime-api/");
}

void info_kernel(struct request *r)
{
	const struct language *l = r->session->options->language;
	cleanup_buffer struct buffer banner = BUFFER_INIT;

	put_banner(l, &banner);
	request_reply(r, json_pack("{ss ss ss ss so ss so s[ss] sb}", "status", "ok",
				   "protocol_version", WIRE_VERSION, "implementation", PACKAGE_NAME,
				   "implementation_version", PACKAGE_VERSION, "language_info",
				   language_info(l), "banner", buffer_text(&banner), "help_links",
				   help_links(l), "supported_features", "kernel subshells",
				   "debugger", "debugger", 1));
}

void info_connect(struct request *r)
{
	const unsigned *ports = r->session->connection->ports;

	request_reply(r, json_pack("{si si si si si}", "shell_port", ports[CHANNEL_SHELL],
				   "iopub_port", ports[CHANNEL_IOPUB], "stdin_port",
				   ports[CHANNEL_STDIN], "control_port", ports[CHANNEL_CONTROL],
				   "hb_port", ports[CHANNEL_HEARTBEAT]));
}
