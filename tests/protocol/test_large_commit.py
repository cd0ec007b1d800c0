# SPDX-License-Identifier: Apache-2.0
"""The kernel answers while it commits a cell that has overwritten a lot of memory."""
import time

from session import DEADLINE


TRIES = 20


def ask_during_commit(kernel, byte):
    """Both answers to a question that is asked when the cell has written all, and the message that tells the cell's end."""
    cell = kernel.start(f'memset(large, {byte}, large_size);\nputs("written");')
    cell.wait_output("written")
    client = kernel.client
    client.control_channel.send(client.session.msg("kernel_info_request"))
    asked = client.kernel_info()
    answers = [client.get_control_msg(timeout=DEADLINE), kernel.reply(asked, time.monotonic() + DEADLINE)]
    idle = cell.wait().ok().messages[-1]
    assert idle["content"]["execution_state"] == "idle"
    assert [a["msg_type"] for a in answers] == ["kernel_info_reply"] * 2
    return answers, idle


def test_questions_during_a_commit_of_one_gibibyte(kernel):
    """On a busy machine the question itself may come after the commit, so it is asked in several."""
    kernel.run("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
               "size_t large_size = 1ul << 30;\nchar *large = malloc(large_size);\nmemset(large, 1, large_size);").ok()
    for byte in range(2, 2 + TRIES):
        answers, idle = ask_during_commit(kernel, byte)
        if all(a["header"]["date"] < idle["header"]["date"] for a in answers):
            break
    else:
        raise AssertionError("answered only after the commit")
    assert kernel.client.hb_channel.is_beating()
    assert kernel.run("large[0] + large[large_size - 1] + 0").ok().text == str(2 * byte)
    kernel.run("free(large);").ok()
