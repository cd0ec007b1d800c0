/* SPDX-License-Identifier: Apache-2.0 */
/*
 * language_info chooses the editor's mode and the highlighter: front ends have no CUDA mode, and with these values JupyterLab
 * highlights C++, and nbconvert and jupyter_console CUDA.
 */
#include "kernel/session/info.h"

#include "config.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"

#define BANNER                                                                             \
	"C GPU (safe) " PACKAGE_VERSION " - C17 and CUDA cells; a fault is an error message, " \
	"never a lost session.\n%help lists the commands, ?name explains a name, %gpu shows the device."

static json_t *language_info(void)
{
	return json_pack("{ss ss ss ss ss ss}",
			 "name", "c",
			 "version", "17",
			 "mimetype", "text/x-csrc",
			 "codemirror_mode", "text/x-c++src",
			 "file_extension", ".cu",
			 "pygments_lexer", "cuda");
}

static json_t *help_links(void)
{
	return json_pack("[{ss ss} {ss ss} {ss ss}]",
			 "text", "C reference", "url", "https://en.cppreference.com/w/c",
			 "text", "CUDA C++ programming guide",
			 "url", "https://docs.nvidia.com/cuda/cuda-c-programming-guide/",
			 "text", "CUDA runtime API", "url", "https://docs.nvidia.com/cuda/cuda-runtime-api/");
}

void info_kernel(struct request *r)
{
	request_reply(r, json_pack("{ss ss ss ss so ss so s[] sb}",
				   "status", "ok",
				   "protocol_version", WIRE_VERSION,
				   "implementation", PACKAGE_NAME,
				   "implementation_version", PACKAGE_VERSION,
				   "language_info", language_info(),
				   "banner", BANNER,
				   "help_links", help_links(),
				   "supported_features",
				   "debugger", 0));
}

void info_connect(struct request *r)
{
	const unsigned *ports = r->session->connection->ports;

	request_reply(r, json_pack("{si si si si si}",
				   "shell_port", ports[CHANNEL_SHELL],
				   "iopub_port", ports[CHANNEL_IOPUB],
				   "stdin_port", ports[CHANNEL_STDIN],
				   "control_port", ports[CHANNEL_CONTROL],
				   "hb_port", ports[CHANNEL_HEARTBEAT]));
}
