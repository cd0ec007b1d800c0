# SPDX-License-Identifier: Apache-2.0
"""The kernel answers while it commits a cell that has overwritten a lot of memory."""
import time

from session import DEADLINE


def test_questions_during_a_commit_of_one_gibibyte(kernel):
    kernel.run("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
               "size_t large_size = 1ul << 30;\nchar *large = malloc(large_size);\nmemset(large, 1, large_size);").ok()
    cell = kernel.start('memset(large, 2, large_size);\nputs("written");')
    cell.wait_output("written")
    client = kernel.client
    client.control_channel.send(client.session.msg("kernel_info_request"))
    asked = client.kernel_info()
    answers = [client.get_control_msg(timeout=DEADLINE), kernel.reply(asked, time.monotonic() + DEADLINE)]
    result = cell.wait().ok()
    idle = result.messages[-1]
    assert idle["content"]["execution_state"] == "idle"
    for answer in answers:
        assert answer["msg_type"] == "kernel_info_reply"
        assert answer["header"]["date"] < idle["header"]["date"], "answered only after the commit"
    assert client.hb_channel.is_beating()
    assert kernel.run("large[0] + large[large_size - 1] + 0").ok().text == "4"
    kernel.run("free(large);").ok()
