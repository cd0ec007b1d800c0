# SPDX-License-Identifier: Apache-2.0
"""Comms of cells that are no widgets: messages with buffers both ways, and targets that a front end opens."""
import pytest
from widget_front import Front

ECHO = '''
int heard;
void echo(cgpu_comm *c, const cgpu_message *m, void *data)
{
	heard++;
	printf("%s %u", m->json, m->n_buffers);
	cgpu_comm_send_buffers(c, m->json, m->buffers, m->n_buffers);
}
'''


@pytest.fixture
def front(kernel):
    f = Front(kernel)
    f.run("%reset").ok()
    f.open.clear()
    del f.opened[:], f.closed[:], f.heard[:]
    f.run(ECHO).ok()
    return f


@pytest.fixture
def comm(front):
    front.run('cgpu_comm *c = cgpu_comm_open("my target", "{\\"x\\": [1]}"); cgpu_comm_on_message(c, echo, NULL);').ok()
    (it,) = front.opened
    return it


BUFFERS = [b"", b"abc", bytes(range(256)) * 4096]


def test_open_send_and_close(front, comm):
    assert front.open[comm] == {"x": [1]} and front.targets[comm] == "my target"
    assert front.kernel.ask("comm_info")["comms"] == {comm: {"target_name": "my target"}}
    front.run('cgpu_comm_send(c, "[1, \\"\\\\u20ac\\"]");\n'
              'cgpu_comm_send_buffers(c, "null", (cgpu_bytes[]){{"ab\\0", 3}, {NULL, 0}}, 2);').ok()
    assert front.heard == [(comm, [1, "\u20ac"], []), (comm, None, [b"ab\0", b""])]
    front.run("cgpu_comm_free(c);").ok()
    assert front.closed == [comm] and not front.open


def test_messages_with_buffers_go_both_ways(front, comm):
    sent = front.message(comm, {"a": 1.5}, BUFFERS)
    assert front.text_of(sent) == '{"a":1.5} 3'
    assert front.heard == [(comm, {"a": 1.5}, BUFFERS)]
    # Each one is its own: nothing is folded.
    both = [front.message(comm, {"n": n}) for n in range(20)]
    assert [front.text_of(m) for m in both] == [f'{{"n":{n}}} 0' for n in range(20)]


def test_buffers_of_many_megabytes(front, comm):
    large = bytes(12 << 20)
    front.wait(front.message(comm, {}, [large]))
    assert front.heard == [(comm, {}, [large])]


def test_a_front_end_closes_it(front, comm):
    front.wait(front.send("comm_close", {"comm_id": comm, "data": {}}))
    assert front.kernel.ask("comm_info")["comms"] == {}
    r = front.run('printf("%d", cgpu_comm_is_open(c)); cgpu_comm_send(c, "1"); cgpu_comm_free(c);').ok()
    assert r.stdout == "0" and r.stderr == "cgpu_comm_send: this is no widget or comm, or it was closed or freed\n"


def test_a_failed_cell_opens_and_closes_nothing(front, comm):
    assert front.run('cgpu_comm_open("other", "1"); cgpu_comm_free(c); abort();').status == "error"
    assert front.closed == [front.opened[1]] and set(front.open) == {comm}
    assert front.text_of(front.message(comm, {})) == "{} 0"


def test_a_front_end_opens_one(front):
    front.run('void opened(cgpu_comm *c, const cgpu_message *m, void *data)\n'
              '{ printf("%s", m->json); cgpu_comm_on_message(c, echo, NULL); cgpu_comm_send(c, "\\"hello\\""); }\n'
              'cgpu_comm_target("mine", opened, NULL);').ok()
    its = "0123-abcd"
    opening = front.send("comm_open", {"comm_id": its, "target_name": "mine", "data": {"k": 1}})
    early = front.message(its, {"early": 1})
    assert front.text_of(opening) == '{"k":1}'
    assert front.text_of(early) == '{"early":1} 0'
    assert front.heard == [(its, "hello", []), (its, {"early": 1}, [])] and front.closed == []
    assert front.kernel.ask("comm_info")["comms"] == {its: {"target_name": "mine"}}


def test_an_opening_that_fails_is_closed(front):
    front.run('void bad(cgpu_comm *c, const cgpu_message *m, void *data) { abort(); }\n'
              'cgpu_comm_target("bad", bad, NULL);').ok()
    opening = front.send("comm_open", {"comm_id": "one", "target_name": "bad", "data": {}})
    assert front.error_of(opening)["ename"] == "Aborted" and front.closed == ["one"]


def test_a_target_is_of_the_session(front):
    def is_taken(name):
        front.wait(front.send("comm_open", {"comm_id": name, "target_name": "mine", "data": {}}))
        return name not in front.closed

    assert not is_taken("a")
    assert front.run('cgpu_comm_target("mine", echo, NULL); abort();').status == "error"
    assert not is_taken("b")
    front.run('cgpu_comm_target("mine", echo, NULL);').ok()
    assert is_taken("c")
    front.run("%undo").ok()
    assert not is_taken("d") and "c" in front.closed
    front.run('cgpu_comm_target("mine", echo, NULL);').ok()
    front.run('cgpu_comm_target("mine", NULL, NULL);').ok()
    assert not is_taken("e")


def test_cpp(front):
    front.run('%%cpp\nint k = 3; cgpu_comm_target("cpp", [k = k](cgpu_comm *c, const cgpu_message *m) {\n'
              '    cgpu_comm_on_message(c, [k](cgpu_comm *, const cgpu_message *m) {\n'
              '        printf("%d %s", k, m->json); }); });').ok()
    front.wait(front.send("comm_open", {"comm_id": "x", "target_name": "cpp", "data": {}}))
    assert front.text_of(front.message("x", [1])) == "3 [1]"


@pytest.mark.parametrize("call, text", [
    ('cgpu_comm_open("", "1")', "cgpu_comm_open: the name of a target has 1 to 63 characters"),
    ('cgpu_comm_open("jupyter.widget", "{}")',
     "cgpu_comm_open: comms of this target are widgets: cgpu_slider_new() and its like, or cgpu_anywidget()"),
    ('cgpu_comm_open("t", "{\\"a\\":01}")', 'cgpu_comm_open: this is no JSON: {"a":01}'),
    ("cgpu_comm_send(NULL, \"1\")", "cgpu_comm_send: the widget is NULL"),
    ('cgpu_comm_send_buffers(cgpu_comm_open("t", "1"), "1", NULL, 300)',
     "cgpu_comm_send_buffers: a message has up to 256 buffers"),
])
def test_what_is_wrong_is_told(front, call, text):
    assert front.run(call + ";").ok().stderr == text + "\n"


@pytest.mark.parametrize("text, good", [
    ("null", 1), (" [1, -2.5e+3, true, false, {}, []] ", 1), ('"\\u00e9\\ud83d\\ude00"', 1),
    ('{"a": {"b": [1]}}', 1), ("0", 1), ("", 0), ("[1,]", 0), ("{a: 1}", 0), ("1 2", 0), ('"a', 0), ('"\\x"', 0),
    ('"\\u12"', 0), ("+1", 0), (".5", 0), ("1.", 0), ("nul", 0), ("1e999", 0),
    ("99999999999999999999", 0), ("-9223372036854775808", 1), ('"\\ud800"', 0), ('"\\udc00"', 0), ('"\\u0000"', 1),
    ("[" * 600 + "]" * 600, 0), ('{"a" 1}', 0), ('"\t"', 0),
])
def test_json(front, text, good):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    r = front.run(f'cgpu_comm_open("t", "{quoted}");').ok()
    assert (len(front.opened), bool(r.stderr)) == (good, not good)
