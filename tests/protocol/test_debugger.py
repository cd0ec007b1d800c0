# SPDX-License-Identifier: Apache-2.0
"""debug_request: front ends list the variables of the session and look into them, also while a cell runs."""
import json
import os
import re
import signal
import time
import xml.etree.ElementTree

import pytest
from debug_client import Debugger
from session import DEADLINE, stop, wait_until

STATE = """
#include <stdlib.h>
#include <string.h>
struct point { int x; double y; };
struct node { int value; struct node *next; unsigned low : 3, high : 5; struct point at; };
enum colour { RED, GREEN, BLUE };
int count = 42;
double ratio = 2.5;
char text[] = "hello";
char *name = "cgpu";
enum colour colour = BLUE;
struct point p = { 1, 2.5 };
struct node first = { .value = 1 }, second = { 2, &first, 3, 9, { 7, 8 } };
struct node *head = &second;
int small[5] = { 10, 11, 12, 13, 14 };
int big[1000], matrix[3][4] = { { 0, 1 }, { 2, 3 } }, huge[1000000];
struct point points[2] = { { 1, 2 }, { 3, 4 } };
double *squares = malloc(10 * sizeof(double));
struct node *fresh = calloc(1, sizeof *fresh);
int *none = NULL;
void *anything = &count;
int __internal = 1;
int square(int x) { return x * x; }
for (int i = 0; i < 1000; i++) big[i] = i;
for (int i = 0; i < 10; i++) squares[i] = i * i;
"""


def send(session, content, channel="control"):
    """Content of the reply, and what was said on iopub: [(type, content)]."""
    message = session.client.session.msg("debug_request", content)
    if channel == "control":
        session.client.control_channel.send(message)
        reply = session.client.get_control_msg(timeout=DEADLINE)
    else:
        session.client.shell_channel.send(message)
        reply = session.reply(message["header"]["msg_id"], time.monotonic() + DEADLINE)
    assert reply["msg_type"] == "debug_reply" and reply["parent_header"]["msg_id"] == message["header"]["msg_id"]
    said = []
    while not said or said[-1] != ("status", {"execution_state": "idle"}):
        m = session.client.get_iopub_msg(timeout=DEADLINE)
        if m["parent_header"].get("msg_id") == message["header"]["msg_id"]:
            said.append((m["msg_type"], m["content"]))
    assert said[0] == ("status", {"execution_state": "busy"})
    return reply["content"], said[1:-1]


def debug(session, command, channel="control", **arguments):
    """The reply to a command, in the shape of the protocol."""
    reply, said = send(session, {"type": "request", "seq": 17, "command": command, "arguments": arguments}, channel)
    assert reply["type"] == "response" and reply["request_seq"] == 17 and reply["command"] == command
    assert isinstance(reply["seq"], int) and isinstance(reply["body"], dict)
    assert [kind for kind, _ in said] == (["debug_event"] if command == "attach" else [])
    return reply


def body(session, command, **arguments):
    reply = debug(session, command, **arguments)
    assert reply["success"] is True and "message" not in reply, reply
    return reply["body"]


def refusal(session, command, **arguments):
    reply = debug(session, command, **arguments)
    assert reply["success"] is False, reply
    return reply["message"]


def variables(session):
    """{name: variable} of inspectVariables."""
    return {v["name"]: v for v in body(session, "inspectVariables")["variables"]}


def parts(session, variable, **arguments):
    """[(name, type, value)] of what a variable is made of."""
    assert variable["variablesReference"] > 0, variable
    return [(v["name"], v["type"], v["value"]) for v in listed(session, variable, **arguments)]


def listed(session, variable, **arguments):
    return body(session, "variables", variablesReference=variable["variablesReference"], **arguments)["variables"]


def rich(session, name):
    return body(session, "richInspectVariables", variableName=name)["data"]


def murmur2(text, seed):
    """As JupyterLab computes it."""
    data, m, mask = text.encode(), 0x5bd1e995, 0xffffffff
    h = (seed ^ len(data)) & mask
    while len(data) >= 4:
        k = int.from_bytes(data[:4], "little") * m & mask
        h = (h * m & mask) ^ ((k ^ k >> 24) * m & mask)
        data = data[4:]
    if data:
        h = (h ^ int.from_bytes(data, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


@pytest.fixture(scope="module")
def state(start_kernel):
    """A session with variables; no test changes them."""
    session = start_kernel()
    session.run(STATE).ok()
    return session


# ---- the session of the debugger ----

def test_front_ends_are_told(kernel):
    info = kernel.ask("kernel_info")
    assert info["debugger"] is True and "debugger" in info["supported_features"]
    assert kernel.manager.kernel_spec.metadata["debugger"] is True


def test_begin_and_end(fresh_kernel):
    info = body(fresh_kernel, "debugInfo")
    assert info.pop("hashSeed") >= 0 and info.pop("tmpFilePrefix").endswith("/")
    assert info == {"isStarted": False, "hashMethod": "Murmur2", "tmpFileSuffix": ".cu", "breakpoints": [],
                    "stoppedThreads": [], "richRendering": True, "exceptionPaths": []}
    capabilities = body(fresh_kernel, "initialize", clientID="jupyterlab", adapterID="cgpu", pathFormat="path")
    assert capabilities["supportsConfigurationDoneRequest"] is True
    assert [f["filter"] for f in capabilities["exceptionBreakpointFilters"]] == ["fault"]
    assert not any(capabilities.get(name) for name in ("supportsStepBack", "supportsSetVariable", "supportsLogPoints"))
    assert body(fresh_kernel, "attach") == {}
    assert body(fresh_kernel, "debugInfo")["isStarted"] is True
    assert body(fresh_kernel, "configurationDone") == {}
    assert body(fresh_kernel, "threads") == {"threads": [{"id": 1, "name": "cells"}]}
    assert body(fresh_kernel, "modules", startModule=0) == {"modules": [], "totalModules": 0}
    assert body(fresh_kernel, "setExceptionBreakpoints", filters=[]) == {"breakpoints": []}
    for end in ("disconnect", "terminate"):
        body(fresh_kernel, "initialize")
        assert body(fresh_kernel, end, restart=False, terminateDebuggee=False) == {}
        assert body(fresh_kernel, "debugInfo")["isStarted"] is False
    assert fresh_kernel.run("1 + 1").ok().text == "2"


def test_the_event_comes_when_breakpoints_may_be_sent(kernel):
    _, said = send(kernel, {"type": "request", "seq": 3, "command": "attach", "arguments": {}})
    (kind, event), = said
    assert kind == "debug_event" and event["type"] == "event" and event["event"] == "initialized"


def test_messages_are_numbered(kernel):
    numbers = [debug(kernel, "debugInfo")["seq"] for _ in range(3)]
    assert numbers == list(range(numbers[0], numbers[0] + 3))


def test_on_shell_too(state):
    assert debug(state, "debugInfo", "shell")["success"]
    reply = debug(state, "evaluate", "shell", expression="count")
    assert reply["body"]["result"] == "42"


# ---- cells ----

@pytest.mark.parametrize("code", ["", "x", "int x = 1;", "// é, 日本\nint y;\n", "a" * 100001])
def test_a_cell_has_the_path_that_front_ends_compute(kernel, code):
    info = body(kernel, "debugInfo")
    path = info["tmpFilePrefix"] + str(murmur2(code, info["hashSeed"])) + info["tmpFileSuffix"]
    assert body(kernel, "dumpCell", code=code) == {"sourcePath": path}
    assert body(kernel, "source", source={"path": path}, sourceReference=0)["content"] == code


def test_the_suffix_is_that_of_the_language(start_kernel):
    session = start_kernel(kernelspec="cgpu-cpp")
    assert body(session, "debugInfo")["tmpFileSuffix"] == session.ask("kernel_info")["language_info"]["file_extension"]


def test_sources_that_are_kept_are_bounded(kernel):
    long = "x" * (300 << 10)
    path = body(kernel, "dumpCell", code=long)["sourcePath"]
    assert "dumpCell" in refusal(kernel, "source", source={"path": path})
    first = body(kernel, "dumpCell", code="int first;")["sourcePath"]
    for i in range(300):
        last = body(kernel, "dumpCell", code=f"int x{i};")["sourcePath"]
    assert first in refusal(kernel, "source", source={"path": first})
    assert body(kernel, "source", source={"path": last})["content"] == "int x299;"


def test_breakpoints_are_answered_one_by_one(kernel):
    path = body(kernel, "dumpCell", code="int a;\nint b;")["sourcePath"]
    told = body(kernel, "setBreakpoints", source={"path": path}, breakpoints=[{"line": 1}, {"line": -2}])["breakpoints"]
    assert [(b["verified"], b["line"], b["source"]["path"]) for b in told] == [(True, 1, path), (False, 0, path)]
    assert "number of a line" in told[1]["message"] and "message" not in told[0]
    assert body(kernel, "debugInfo")["breakpoints"] == [{"source": path, "breakpoints": [{"line": 1}]}]
    assert body(kernel, "setBreakpoints", source={"path": path}, breakpoints=[]) == {"breakpoints": []}
    assert body(kernel, "debugInfo")["breakpoints"] == []


def test_breakpoints_of_all_cells_are_bounded(kernel):
    """One that does not stop is not said to be there."""
    told = []
    for name, n in (("a", 200), ("b", 100), ("b", 56)):
        path = body(kernel, "dumpCell", code=f"int {name};")["sourcePath"]
        wanted = [{"line": i + 1} for i in range(n)]
        told.append(body(kernel, "setBreakpoints", source={"path": path}, breakpoints=wanted)["breakpoints"])
    assert [sum(b["verified"] for b in one) for one in told] == [200, 56, 56]
    assert told[1][56]["message"] == "There are too many breakpoints in all cells: remove some."
    for name in "ab":
        path = body(kernel, "dumpCell", code=f"int {name};")["sourcePath"]
        body(kernel, "setBreakpoints", source={"path": path}, breakpoints=[])


# ---- variables ----

def test_variables_with_types_and_values(state):
    found = variables(state)
    told = {name: (v["type"], v["value"]) for name, v in found.items()}
    assert told["count"] == ("int", "42") and told["ratio"] == ("double", "2.5")
    assert told["text"] == ("char[6]", '"hello"') and told["name"] == ("char *", '"cgpu"')
    assert told["colour"] == ("enum colour", "BLUE (2)")
    assert told["p"] == ("struct point", "{.x = 1, .y = 2.5}")
    assert told["small"] == ("int[5]", "{10, 11, 12, 13, 14}")
    assert told["huge"] == ("int[1000000]", "{0, 0, 0, 0, 0, 0, 0, 0, ... 1000000 items}")
    assert told["none"] == ("int *", "(int *) NULL")
    assert re.fullmatch(r"\(double \*\) 0x\w+ -> 0.0", told["squares"][1])
    # In the order of their definition, as %who has them, without functions and names of the compiler.
    assert list(found)[:3] == ["count", "ratio", "text"] and "square" not in found and "__internal" not in found
    assert all(v["evaluateName"] == name for name, v in found.items())
    for name in ("count", "text", "name", "colour", "none"):
        assert found[name]["variablesReference"] == 0, name
    assert found["p"]["namedVariables"] == 2 and found["huge"]["indexedVariables"] == 1000000


def test_members(state):
    found = variables(state)
    assert parts(state, found["p"]) == [("x", "int", "1"), ("y", "double", "2.5")]
    second = listed(state, found["second"])
    assert [(v["name"], v["type"]) for v in second] == [
        ("value", "int"), ("next", "struct node *"), ("low", "unsigned"), ("high", "unsigned"), ("at", "struct point")]
    assert [second[i]["value"] for i in (0, 2, 3, 4)] == ["2", "3", "9", "{.x = 7, .y = 8.0}"]
    assert parts(state, second[4]) == [("x", "int", "7"), ("y", "double", "8.0")]


def test_pointers(state):
    found = variables(state)
    # Of the struct behind it the type says no more than the name.
    head = listed(state, found["head"])
    assert [v["name"] for v in head] == ["value", "next", "low", "high", "at"]
    assert [head[i]["value"] for i in (0, 2, 3, 4)] == ["2", "3", "9", "{.x = 7, .y = 8.0}"]
    following = listed(state, head[1])
    assert following[0]["value"] == "1" and following[1]["variablesReference"] == 0
    assert parts(state, found["fresh"])[0] == ("value", "int", "0")
    # A block of the heap has as many as fit.
    assert parts(state, found["squares"]) == [(f"[{i}]", "double", f"{i * i}.0") for i in range(10)]
    (name, kind, value), = parts(state, found["anything"])
    assert (name, kind) == ("*", "void") and value.startswith("count")


def test_arrays_of_structs_and_of_arrays(state):
    found = variables(state)
    points = listed(state, found["points"])
    assert [(v["name"], v["type"], v["value"]) for v in points] == [
        ("[0]", "struct point", "{.x = 1, .y = 2.0}"), ("[1]", "struct point", "{.x = 3, .y = 4.0}")]
    assert parts(state, points[1]) == [("x", "int", "3"), ("y", "double", "4.0")]
    rows = listed(state, found["matrix"])
    assert [v["value"] for v in rows] == ["{0, 1, 0, 0}", "{2, 3, 0, 0}", "{0, 0, 0, 0}"]
    assert parts(state, rows[1], start=1, count=2) == [("[1]", "int", "3"), ("[2]", "int", "0")]


def test_long_arrays_are_ranges(state):
    found = variables(state)
    ranges = listed(state, found["big"])
    assert [v["name"] for v in ranges] == [f"[{i}..{i + 99}]" for i in range(0, 1000, 100)]
    assert ranges[2]["type"] == "int[100]" and ranges[2]["indexedVariables"] == 100
    assert parts(state, ranges[2]) == [(f"[{i}]", "int", str(i)) for i in range(200, 300)]
    wide = listed(state, found["huge"])
    assert len(wide) == 100 and wide[99]["name"] == "[990000..999999]"
    inner = listed(state, wide[99])
    assert len(inner) == 100 and inner[99]["name"] == "[999900..999999]"
    assert [v["name"] for v in listed(state, inner[99])][-1] == "[999999]"


def test_start_and_count(state):
    big = variables(state)["big"]
    assert parts(state, big, filter="indexed", start=500, count=2) == [("[500]", "int", "500"), ("[501]", "int", "501")]
    assert parts(state, big, start=999, count=50) == [("[999]", "int", "999")]
    assert parts(state, big, start=2000, count=50) == []
    assert parts(state, big, filter="named") == []
    assert len(parts(state, big, filter="indexed")) == 1000
    point = variables(state)["p"]
    assert parts(state, point, filter="indexed") == [] and len(parts(state, point, filter="named")) == 2
    assert parts(state, point, start=1, count=1) == [("y", "double", "2.5")]
    huge = parts(state, variables(state)["huge"], filter="indexed", start=0, count=0)
    assert len(huge) == 1001 and huge[-1] == ("...", "", "999000 more")


def test_the_same_part_has_the_same_reference(state):
    first, again = variables(state), variables(state)
    assert first == again
    assert listed(state, first["second"]) == listed(state, first["second"])


def test_a_name_is_evaluated(state):
    told = body(state, "evaluate", expression="p", context="repl", frameId=None)
    assert (told["result"], told["type"]) == ("{.x = 1, .y = 2.5}", "struct point")
    assert parts(state, told) == [("x", "int", "1"), ("y", "double", "2.5")]
    assert body(state, "evaluate", expression="count")["variablesReference"] == 0
    for other in ("count + 1", "nobody", "", "square", "__internal", "é" * 100):
        assert "run a cell" in refusal(state, "evaluate", expression=other)


def test_rich_forms(state):
    assert rich(state, "count") == {"text/plain": "42"}
    point = rich(state, "p")
    assert point["text/plain"] == "{.x = 1, .y = 2.5}" and set(point) == {"text/plain", "text/html"}
    rows = xml.etree.ElementTree.fromstring(point["text/html"]).findall("tr")
    assert [[cell.text for cell in row] for row in rows] == [["name", "type", "value"], ["x", "int", "1"], ["y", "double", "2.5"]]
    big = rich(state, "big")
    picture = xml.etree.ElementTree.fromstring(big["image/svg+xml"])
    texts = [e.text for e in picture.iter() if e.tag.endswith("}text")]
    assert texts == ["999", "0", "500 of 1,000 values"]
    path, = (e.get("d") for e in picture.iter() if e.tag.endswith("}path"))
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", path)]
    assert len(heights) == 500 and heights == sorted(heights, reverse=True)
    assert "800 more" in big["text/html"] and "data:image/svg+xml," in big["text/html"]
    assert "10 values" in rich(state, "squares")["image/svg+xml"]
    assert "[80 bytes on the heap" in rich(state, "squares")["text/plain"]
    assert "image/svg+xml" not in rich(state, "points") and "struct point" in rich(state, "points")["text/html"]
    reply = debug(state, "richInspectVariables", variableName="nobody", frameId=0)
    assert not reply["success"] and reply["body"] == {"data": {}, "metadata": {}} and "nobody" in reply["message"]


def test_text_of_a_cell_is_no_markup(kernel):
    kernel.run('struct { char *s; } marked = { "<b onclick=1>&" };').ok()
    shown = rich(kernel, "marked")["text/html"]
    assert "&lt;b onclick=1&gt;&amp;" in shown and "<b " not in shown
    kernel.run('char bytes[] = "\\xff\\xfe";').ok()
    assert variables(kernel)["bytes"]["type"] == "char[3]"


def test_numbers_that_are_none_in_a_picture(kernel):
    kernel.run("""
#include <math.h>
double odd[4] = { 1, NAN, INFINITY, 3 }, lost[2] = { NAN, NAN }, far[2] = { -1e308, 1e308 };
""").ok()
    svg = rich(kernel, "odd")["image/svg+xml"]
    assert ">3<" in svg and ">1<" in svg and "nan" not in svg and "inf" not in svg
    assert "image/svg+xml" not in rich(kernel, "lost") and "nan" not in rich(kernel, "far")["image/svg+xml"]


def test_variables_of_cpp(fresh_kernel):
    fresh_kernel.run("""%%cpp
#include <vector>
struct base { int inherited = 3; };
class thing : public base { public: int open = 7; thing *self = nullptr; private: double closed = 2; };
thing t;
thing *pt = new thing;
int number = 5;
int &ref = number;
std::vector<int> v{ 4, 5, 6 };
bool flag = true;
""").ok()
    found = variables(fresh_kernel)
    assert (found["flag"]["value"], found["number"]["value"]) == ("true", "5")
    members = [("base", "struct base", "{.inherited = 3}"), ("open", "int", "7"),
               ("self", "struct thing *", "(struct thing *) NULL"), ("closed", "double", "2.0")]
    assert parts(fresh_kernel, found["t"]) == members and parts(fresh_kernel, found["pt"]) == members
    assert parts(fresh_kernel, listed(fresh_kernel, found["t"])[0]) == [("inherited", "int", "3")]
    assert parts(fresh_kernel, found["ref"]) == [("*", "int", "5")]
    assert parts(fresh_kernel, found["v"]) == [("[0]", "int", "4"), ("[1]", "int", "5"), ("[2]", "int", "6")]


CONTAINERS = """%%cpp
#include <array>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>
struct person { std::string name; std::map<int, std::vector<double>> marks; };
"""
CONTAINERS_MADE = """std::vector<std::string> words = { "a", "a text that is longer than what fits into the object" };
std::map<std::string, int> ages = { { "x", 1 }, { "y", 2 } };
std::multimap<int, char> many = { { 1, 'a' }, { 1, 'b' } };
std::unordered_map<int, double> table = { { 7, 2.5 } };
std::set<long> ordered = { 3, 1, 2 };
std::list<int> linked = { 1, 2 };
std::forward_list<int> forward = { 4, 5 };
std::deque<int> queue(300, 8);
std::array<float, 2> fixed = { 1, 2 };
std::optional<int> some = 5, none;
std::tuple<int, std::string, double> mixed = { 1, "two", 3.0 };
std::unique_ptr<person> owned(new person{ "Ada", { { 1, { 1.5, 2 } } } });
std::shared_ptr<int> shared = std::make_shared<int>(9);
std::string_view view = "view";
std::wstring wide = L"wide";
"""
CONTAINERS_SHOWN = {
    "words": ('{"a", "a text that is longer than what fits into the object"}', ["[0]", "[1]"]),
    "ages": ('{"x": 1, "y": 2}', ['["x"]', '["y"]']),
    "many": ("{1: 'a' (97), 1: 'b' (98)}", ["[1]", "[1]"]),
    "table": ("{7: 2.5}", ["[7]"]),
    "ordered": ("{1, 2, 3}", ["[0]", "[1]", "[2]"]),
    "linked": ("{1, 2}", ["[0]", "[1]"]),
    "forward": ("{4, 5}", ["[0]", "[1]"]),
    "queue": ("{8, 8, 8, 8, 8, 8, 8, 8, ... 300 items}", [f"[{i}]" for i in range(300)]),
    "fixed": ("{1.0, 2.0}", ["[0]", "[1]"]),
    "some": ("5", ["[0]"]),
    "none": ("nullopt", []),
    "mixed": ('{1, "two", 3.0}', ["[0]", "[1]", "[2]"]),
    "view": ('"view"', []),
    "wide": ('L"wide"', []),
}


def see_containers(listed, found):
    """What a list of variables has of them; listed(variable): its parts by name, in order."""
    for name, (value, names) in CONTAINERS_SHOWN.items():
        assert found[name]["value"] == value, (name, found[name])
        assert [v["name"] for v in (listed(found[name]) if names else [])] == names, name
    name, marks = listed(found["owned"])
    assert (name["value"], marks["value"]) == ('"Ada"', "{1: {1.5, 2.0}}")
    one, = listed(marks)
    assert (one["name"], one["type"]) == ("[1]", "vector<double>") and [v["value"] for v in listed(one)] == ["1.5", "2.0"]
    pointer, = listed(found["shared"])
    assert pointer["value"].endswith("-> 9")


def test_containers_of_cpp(fresh_kernel):
    """By their elements, and not by what the C++ library makes them of."""
    fresh_kernel.run(CONTAINERS + CONTAINERS_MADE).ok()
    see_containers(lambda v: listed(fresh_kernel, v), variables(fresh_kernel))


def test_containers_of_a_call_that_stands(fresh_kernel):
    debugger = Debugger(fresh_kernel)
    code = CONTAINERS + "int look()\n{\n" + CONTAINERS_MADE + "    return owned->name.size();\n}\nlook()"
    cell = debugger.start(code, code.count("\n") - 1)
    assert cell.stopped() == "breakpoint"
    see_containers(lambda v: debugger.body("variables", variablesReference=v["variablesReference"])["variables"], cell.scope())
    assert cell.end().ok().results[0]["text/plain"] == "3"


@pytest.mark.cuda
def test_memory_of_the_device(fresh_kernel):
    fresh_kernel.run("""
__device__ float table[300];
__constant__ int limits[3] = { 1, 2, 3 };
__global__ void fill(float *p, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) p[i] = i * 0.5f;
    if (i < 300) table[i] = i;
}
float *d_x, *gone;
cudaMalloc(&d_x, 1000 * sizeof(float));
cudaMalloc(&gone, 100);
cudaFree(gone);
fill<<<4, 256>>>(d_x, 1000);
cudaDeviceSynchronize();
""").ok()
    found = variables(fresh_kernel)
    assert (found["limits"]["type"], found["limits"]["value"]) == ("int[3] (device)", "{1, 2, 3}")
    assert parts(fresh_kernel, found["limits"]) == [(f"[{i}]", "int", str(i + 1)) for i in range(3)]
    assert parts(fresh_kernel, found["table"], start=250, count=1) == [("[250]", "float", "250.0")]
    assert parts(fresh_kernel, listed(fresh_kernel, found["table"])[2])[-1] == ("[299]", "float", "299.0")
    assert parts(fresh_kernel, found["d_x"], start=998, count=5) == [("[998]", "float", "499.0"), ("[999]", "float", "499.5")]
    assert parts(fresh_kernel, listed(fresh_kernel, found["d_x"])[1])[0] == ("[100]", "float", "50.0")
    assert parts(fresh_kernel, found["gone"])[0][2].startswith("device memory that was freed")
    shown = rich(fresh_kernel, "d_x")
    assert "1,000 values" in shown["image/svg+xml"] and ">499.5<" in shown["image/svg+xml"]
    assert "4000 bytes on the device" in shown["text/plain"] and "1,000" in rich(fresh_kernel, "d_x")["text/html"]
    # Only between cells is there somebody who can be asked for it.
    cell = fresh_kernel.start('printf("on\\n"); for (;;) ;').wait_output("on")
    assert variables(fresh_kernel) == found
    assert parts(fresh_kernel, found["table"], start=0, count=1) == [("[0]", "float", "<on the device>")]
    assert parts(fresh_kernel, found["d_x"]) == [("*", "float", "<on the device>")]
    assert "text/plain" in rich(fresh_kernel, "d_x")
    fresh_kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    assert parts(fresh_kernel, found["table"], start=7, count=1) == [("[7]", "float", "7.0")]


@pytest.mark.cuda
def test_a_worker_that_does_not_answer_is_asked_once(fresh_kernel):
    count = 100
    fresh_kernel.run("\n".join(f"__device__ int v{i} = {i};" for i in range(count)) + "\nint *d; cudaMalloc(&d, 400000);").ok()
    worker = fresh_kernel.worker_pid()
    stop(worker)
    begin = time.monotonic()
    found = variables(fresh_kernel)
    assert [v["value"] for v in found.values()][:count] == ["<on the device>"] * count
    assert parts(fresh_kernel, found["d"]) == [("*", "int", "<on the device>")]
    assert "text/plain" in rich(fresh_kernel, "d")
    assert time.monotonic() - begin < count / 2
    os.kill(worker, signal.SIGCONT)
    assert wait_until(lambda: [v["value"] for v in variables(fresh_kernel).values()][:count] == [str(i) for i in range(count)])
    assert fresh_kernel.run("1").ok().text == "1"


# ---- while a cell runs, and behind it ----

def test_while_a_cell_runs(fresh_kernel):
    fresh_kernel.run(STATE).ok()
    cell = fresh_kernel.start('count = 43; p.x = 99; printf("on\\n"); for (;;) ;').wait_output("on")
    begin = time.monotonic()
    found = variables(fresh_kernel)
    # What the cell has done so far is no state of the session yet.
    assert found["count"]["value"] == "42" and parts(fresh_kernel, found["p"])[0] == ("x", "int", "1")
    assert parts(fresh_kernel, listed(fresh_kernel, found["big"])[9])[99] == ("[999]", "int", "999")
    assert parts(fresh_kernel, found["head"])[0] == ("value", "int", "2")
    assert body(fresh_kernel, "evaluate", expression="ratio")["result"] == "2.5"
    assert "image/svg+xml" in rich(fresh_kernel, "small")
    # Nobody says how large a block is while the worker is busy.
    assert parts(fresh_kernel, found["squares"]) == [("*", "double", "0.0")]
    assert time.monotonic() - begin < DEADLINE
    fresh_kernel.interrupt()
    assert cell.wait().ename == "Interrupted"
    # It was rolled back, so all is as it was.
    assert parts(fresh_kernel, found["p"])[0] == ("x", "int", "1")
    assert len(parts(fresh_kernel, found["squares"])) == 10


def test_a_panel_is_not_asked_to_ask_again(kernel):
    """JupyterLab lists the variables anew when it hears anything of a cell: what follows a list must not be of the cell."""
    cell = kernel.start('printf("on\\n"); for (;;) ;').wait_output("on")
    message = kernel.client.session.msg("debug_request", {"type": "request", "seq": 1, "command": "inspectVariables"})
    kernel.client.control_channel.send(message)
    assert kernel.client.get_control_msg(timeout=DEADLINE)["content"]["success"]
    asked = kernel.client.kernel_info()
    said = []
    while not said or said[-1]["parent_header"].get("msg_id") != asked:
        said.append(kernel.client.get_iopub_msg(timeout=DEADLINE))
    kernel.reply(asked, time.monotonic() + DEADLINE)
    assert {m["parent_header"]["msg_id"] for m in said[:-1]} == {message["header"]["msg_id"]}
    # The kernel is not taken for idle, nevertheless.
    assert [m["content"].get("execution_state") for m in said[:-1]] == ["busy", "idle", "busy"]
    kernel.interrupt()
    assert cell.wait().ename == "Interrupted"


def test_references_end_with_the_next_cell(fresh_kernel):
    fresh_kernel.run("struct { int a; } s = { 1 };\nint row[200];").ok()
    old = variables(fresh_kernel)
    inner = listed(fresh_kernel, old["row"])[0]
    fresh_kernel.run("s.a = 2; row[5] = 7;").ok()
    for stale in (old["s"], inner):
        reply = debug(fresh_kernel, "variables", variablesReference=stale["variablesReference"])
        assert reply["success"] is False and reply["message"] == "notAvailable" and reply["body"]["variables"] == []
        assert "list the variables again" in reply["body"]["error"]["format"]
    new = variables(fresh_kernel)
    assert new["s"]["value"] == "{.a = 2}" and parts(fresh_kernel, new["s"]) == [("a", "int", "2")]
    assert not {v["variablesReference"] for v in new.values()} & {old["s"]["variablesReference"], inner["variablesReference"]}
    assert fresh_kernel.run("*(volatile int *)0 = 1;").status == "error"
    assert parts(fresh_kernel, new["s"]) == [("a", "int", "2")]
    fresh_kernel.run("%undo").ok()
    assert debug(fresh_kernel, "variables", variablesReference=new["s"]["variablesReference"])["message"] == "notAvailable"
    assert variables(fresh_kernel)["s"]["value"] == "{.a = 1}"
    fresh_kernel.run("%reset").ok()
    assert variables(fresh_kernel) == {}


def test_a_redefined_variable_is_listed_once(fresh_kernel):
    fresh_kernel.run("int x = 1;").ok()
    fresh_kernel.run("double x = 2;").ok()
    assert [(v["name"], v["type"], v["value"]) for v in body(fresh_kernel, "inspectVariables")["variables"]] == [
        ("x", "double", "2.0")]


# ---- what a cell may try ----

def test_answers_are_bounded(fresh_kernel):
    lines = "\n".join(f"int v{i} = {i};" for i in range(1500))
    fresh_kernel.run(lines).ok()
    found = body(fresh_kernel, "inspectVariables")["variables"]
    assert len(found) == 1001 and (found[-1]["name"], found[-1]["value"]) == ("...", "500 more")
    assert found[999]["value"] == "999" and found[-1]["variablesReference"] == 0
    assert body(fresh_kernel, "evaluate", expression="v1499")["result"] == "1499"


def test_rings_and_wild_pointers(fresh_kernel):
    fresh_kernel.run("""
struct ring { struct ring *next, *wild; void *self; };
struct ring r = { .wild = (struct ring *)8 };
struct ring *high = (struct ring *)-8;
r.next = &r; r.self = &r.self;
char *endless = (char *)-1;
struct wide { char bytes[1 << 20]; int last; } *wide = (struct wide *)&r;
""").ok()
    found = variables(fresh_kernel)
    at, seen = found["r"], set()
    for _ in range(20):
        at, = [v for v in listed(fresh_kernel, at) if v["name"] == "next"]
        seen.add(at["variablesReference"])
    assert len(seen) == 1
    _, wild, own = listed(fresh_kernel, at)
    assert parts(fresh_kernel, wild) == [("*", "struct ring", "<not in session memory>")]
    assert parts(fresh_kernel, found["high"]) == [("*", "struct ring", "<not in session memory>")]
    assert parts(fresh_kernel, own)[0][1] == "void" and found["endless"]["value"].startswith("(char *) 0xffff")
    assert [name for name, _, _ in parts(fresh_kernel, found["wide"])] == ["bytes", "last"]


def test_a_presenter_that_dies_costs_no_list(fresh_kernel):
    fresh_kernel.run("struct { int a; } s = { 1 };").ok()
    assert variables(fresh_kernel)["s"]["value"] == "{.a = 1}"
    fresh_kernel.kill(fresh_kernel.presenter_pid())
    fresh_kernel.run("s.a = 2;").ok()
    found = variables(fresh_kernel)
    assert found["s"]["value"] == "{.a = 2}"
    fresh_kernel.kill(fresh_kernel.presenter_pid())
    assert parts(fresh_kernel, found["s"]) == [("a", "int", "2")]


# ---- what a front end may send ----

def test_unknown_commands_are_refused_with_what_there_is(kernel):
    for command in ("stepBack", "setVariable", "é" * 100, "inspectvariables"):
        message = refusal(kernel, command)
        assert "inspectVariables" in message and "richInspectVariables" in message and "stepOut" in message


def test_commands_for_a_cell_that_stands_say_that_none_does(kernel):
    for command in ("continue", "next", "stepIn", "stepOut", "stackTrace", "scopes"):
        reply = debug(kernel, command, threadId=1, frameId=1)
        assert reply["success"] is False and reply["message"] == "notStopped", reply
        assert reply["body"]["error"]["format"] == "no cell stands at a breakpoint"


@pytest.mark.parametrize("content", [
    {}, {"command": None}, {"command": 5}, {"command": ["variables"]}, {"command": ""}, {"arguments": {}},
    {"type": 1, "seq": "x", "command": {}, "arguments": "none"}])
def test_requests_without_a_command(kernel, content):
    reply, said = send(kernel, content)
    assert reply["success"] is False and reply["request_seq"] == 0 and "has a command" in reply["message"] and said == []


WRONG = [None, 5, -1, 1.5, True, "", "text", [], {}, [[]], {"path": 5}, "x" * 100000, 2**62, -2**63]
KEYS = {"variables": ["variablesReference", "start", "count", "filter"], "dumpCell": ["code"], "source": ["source"],
        "setBreakpoints": ["source", "breakpoints"], "richInspectVariables": ["variableName", "frameId"],
        "evaluate": ["expression", "frameId"], "inspectVariables": ["x"], "debugInfo": ["x"], "initialize": ["clientID"],
        "attach": ["x"], "disconnect": ["restart"], "setExceptionBreakpoints": ["filters"], "modules": ["startModule"],
        "stackTrace": ["threadId", "startFrame", "levels"], "scopes": ["frameId"], "next": ["threadId"]}


@pytest.mark.parametrize("command", KEYS)
def test_malformed_arguments(state, command):
    """Each is answered; none ends the kernel."""
    good = {"variables": {"variablesReference": variables(state)["big"]["variablesReference"]},
            "setBreakpoints": {"source": {"path": "a"}, "breakpoints": []}}.get(command, {})
    requests = [{"arguments": wrong} for wrong in WRONG] + [{}]
    requests += [{"arguments": {**good, key: wrong}} for key in KEYS[command] for wrong in WRONG]
    for request in requests:
        reply, _ = send(state, {"type": "request", "seq": 4, "command": command, **request})
        assert reply["request_seq"] == 4 and isinstance(reply["success"], bool)
        if not reply["success"]:
            why = reply["body"]["error"]["format"] if reply["message"] == "notStopped" else reply["message"]
            assert 10 < len(why) < 1000, reply
    assert state.run("count").ok().text == "42"


@pytest.mark.parametrize("command, arguments, says", [
    ("variables", {}, "variablesReference"),
    ("variables", {"variablesReference": "1"}, "variablesReference"),
    ("variables", {"variablesReference": 0}, "no variable was listed with the reference 0"),
    ("variables", {"variablesReference": 10**9}, "no variable was listed"),
    ("dumpCell", {}, "`code`"),
    ("source", {}, "`source.path`"),
    ("source", {"source": {"path": "/etc/passwd"}}, "no source is known as /etc/passwd"),
    ("setBreakpoints", {"breakpoints": []}, "`source.path`"),
    ("setBreakpoints", {"source": {"path": "x"}, "breakpoints": 1}, "`breakpoints`"),
    ("setBreakpoints", {"source": {"path": "x"}, "breakpoints": [{"line": 1}] * 1001}, "at most 1000"),
    ("richInspectVariables", {}, "`variableName`"),
    ("evaluate", {"expression": 1}, "`expression`"),
])
def test_refusals_say_what_is_missing(kernel, command, arguments, says):
    assert says in refusal(kernel, command, **arguments)


@pytest.mark.parametrize("arguments, says", [
    ({"start": -1}, "`start`"), ({"count": "5"}, "`count`"), ({"filter": "odd"}, "`filter`"), ({"start": 1.5}, "`start`")])
def test_refusals_of_ranges(state, arguments, says):
    big = variables(state)["big"]["variablesReference"]
    assert says in refusal(state, "variables", variablesReference=big, **arguments)


def test_breakpoints_of_any_shape(kernel):
    told = body(kernel, "setBreakpoints", source={"path": "x"}, breakpoints=[{}, 5, None, {"line": "1"}, {"line": 2}])
    assert [b["line"] for b in told["breakpoints"]] == [0, 0, 0, 0, 2]
    assert json.dumps(told)
