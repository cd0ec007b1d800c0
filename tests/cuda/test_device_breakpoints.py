# SPDX-License-Identifier: Apache-2.0
"""Device code of the emulated device stops at breakpoints and steps line by line: one thread, its variables, its warp."""
import pytest
from debug_client import Debugger, Stops

pytestmark = pytest.mark.emulated

SCALE = """struct point { float x, y; int k[3]; };
__device__ __forceinline__ int twice(int v, float *q)
{
    int w = v * 2;
    *q += w;
    return w + 1;
}
__global__ void scale(int n, float a, float *x)
{
    __shared__ float tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    point p = {1.0f, 2.0f, {i, 2, 3}};

    if (i % 2 == 1) {
        float t = x[i] * a;
        tile[threadIdx.x] = t;
        for (int k = 0; k < 2; k++)
            t += twice(k, &p.x);
        x[i] = t + p.k[0];
    }
}
float *d;
cudaMallocManaged(&d, 64 * sizeof(float));
for (int i = 0; i < 64; i++)
    d[i] = i;
scale<<<2, 32>>>(64, 2.0f, d);
cudaDeviceSynchronize();
printf("%g %g\\n", d[1], d[49]);"""
OUTPUT = "7 151\n"
LAUNCH = 26
FIRST = "scale [block (0,0,0), thread (1,0,0)]"  # thread 0 does not come to what is inside of the branch


def name_of(cell):
    """Of the cell that has launched."""
    return cell.frames()[-1]["name"]


@pytest.fixture(scope="module")
def debugger(kernel):
    made = Debugger(kernel)
    # The device's header is made once, and the variables are those of an earlier cell.
    made.session.run(SCALE).ok()
    return made


def test_the_first_thread_that_comes_there_stops(debugger):
    path = debugger.breakpoints(SCALE, 16)
    cell = debugger.start(SCALE, 16)
    assert cell.stopped() == "breakpoint"
    assert cell.where() == [(FIRST, 16), (name_of(cell), LAUNCH)]
    assert cell.frames()[0]["source"]["path"] == path
    values = cell.values()
    assert values["t"] == "2.0" and values["i"] == "1" and values["n"] == "64" and values["a"] == "2.0"
    assert values["p"] == "{.x = 1.0, .y = 2.0, .k = {1, 2, 3}}"
    assert values["threadIdx"] == "(1, 0, 0)" and values["blockDim"] == "(32, 1, 1)" and values["gridDim"] == "(2, 1, 1)"
    found = cell.scope()
    assert [v["value"] for v in cell.listed(cell.listed(found["p"])["k"]).values()] == ["1", "2", "3"]
    assert found["tile"]["type"] == "float[32]"
    # One thread of a launch stops: the others pass by.
    assert cell.end().ok().stdout == OUTPUT
    # What device code is made of when nothing is optimised makes no variables of the session.
    assert "threadIdx" not in debugger.session.run("%gpu").ok().stdout


def test_functions_of_other_shapes(debugger):
    """A template, an anonymous namespace, a lambda, a method; each has a call of its own."""
    code = """struct adder { int by; __device__ int operator()(int v) const { return v + by; } };
namespace { template <typename T> __device__ T doubled(T v, adder a)
{
    auto more = [=](T w) {
        return a(w) + v;
    };
    return more(v);
} }
template <typename T> __global__ void fill_with(T *p)
{
    p[threadIdx.x] = doubled<T>(threadIdx.x, adder{7});
}
int *filled;
cudaMallocManaged(&filled, 32 * sizeof *filled);
fill_with<<<1, 32>>>(filled);
cudaDeviceSynchronize();
printf("%d\\n", filled[31]);"""
    cell = debugger.start(code, 1, 5)
    stops = []
    for _ in range(2):
        cell.stopped()
        stops.append([(name.split(" [block")[0], line) for name, line in cell.where()])
        cell.go()
    assert [[line for _, line in calls] for calls in stops] == [[5, 7, 11, 15], [1, 5, 7, 11, 15]]
    names = [name for name, _ in stops[1]]
    assert names[0] == "adder::operator()" and names[2].endswith("(anonymous namespace)::doubled<int>")
    assert names[3].endswith("fill_with<int>")
    assert cell.pending.wait().ok().stdout == "69\n"


def test_steps_and_the_lanes_of_the_warp(debugger):
    cell = debugger.start(SCALE, 16)
    cell.stopped()
    assert cell.step() == 17
    assert cell.listed(cell.scope()["tile"])["[1]"]["value"] == "2.0"
    warp = {name: v["value"].split() for name, v in cell.scope(which=1).items()}
    assert warp["i"] == [str(i) if i % 2 else "-" for i in range(32)]
    assert warp["t"] == [f"{2.0 * i}" if i % 2 else "-" for i in range(32)]
    assert warp["n"] == ["64", "in", "all", "lanes"]
    assert cell.step() == 18 and cell.values()["k"] == "0"
    # Into the function that is called, out of it, and over the next call of it.
    assert cell.step("stepIn") == 4 and cell.where() == [
        ("twice [block (0,0,0), thread (1,0,0)]", 4), ("scale", 18), (name_of(cell), LAUNCH)]
    assert cell.values(frame=0)["v"] == "0"
    # A pointer to local memory of the thread, in the call above.
    found = cell.scope()["q"]
    assert found["value"].endswith("-> 1.0") and cell.listed(found)["*"]["value"] == "1.0"
    assert cell.step("stepOut") == 18
    lines = [cell.step() for _ in range(4)]
    assert lines == [17, 18, 17, 19] and cell.values()["t"] == "6.0"
    # The end of the thread is the end of the launch's line.
    while cell.where()[0][0] == FIRST:
        cell.step()
    assert cell.where() == [(name_of(cell), LAUNCH + 1)]
    assert cell.end().ok().stdout == OUTPUT


def test_a_step_into_a_launch(debugger):
    cell = debugger.start(SCALE, LAUNCH)
    cell.stopped()
    assert cell.step("stepIn") == 11 and cell.where()[0][0] == "scale [block (0,0,0), thread (0,0,0)]"
    assert cell.step("stepOut") == LAUNCH + 1
    assert cell.end().ok().stdout == OUTPUT


def test_a_thread_that_is_named(debugger):
    assert debugger.session.run("%focus block 1 thread (5, 0, 0)").ok().stdout == (
        "Block (1,0,0), thread (5,0,0) of a launch stops at breakpoints.\n")
    cell = debugger.start(SCALE, 6, 13)
    assert cell.stopped() == "breakpoint"
    # A line without code is the next one.
    assert cell.where()[0] == ("scale [block (1,0,0), thread (5,0,0)]", 14) and cell.values()["i"] == "37"
    for _ in range(2):
        assert cell.go().stopped() == "breakpoint" and cell.line() == 6
    assert cell.values()["v"] == "1" and cell.values(frame=1)["i"] == "37"
    assert cell.end().ok().stdout == OUTPUT
    for wrong in ["%focus block", "%focus thread x", "%focus 5", "%focus block 1,2,3,4", "%focus block (1"]:
        result = debugger.session.run(wrong)
        assert result.status == "error" and "write `%focus block 2,0,0 thread 37`" in result.evalue
    assert debugger.session.run("%focus").ok().stdout.startswith("Block (1,0,0)")
    assert "first thread" in debugger.session.run("%focus first").ok().stdout


def test_another_thread_is_chosen_while_one_stands(debugger):
    """As an expression that is evaluated, since no cell can be run meanwhile."""
    cell = debugger.start(SCALE, 16)
    cell.stopped()
    told = debugger.body("evaluate", expression="%focus thread 9")["result"]
    assert told == "Block (0,0,0), thread (9,0,0) of a launch stops at breakpoints."
    assert cell.step() in (16, 17) and cell.where()[0][0] == "scale [block (0,0,0), thread (9,0,0)]"
    assert cell.values()["i"] == "9"
    assert debugger.command("evaluate", expression="%focus thread")["success"] is False
    assert "first thread" in debugger.body("evaluate", expression="%focus first")["result"]
    assert cell.end().ok().stdout == OUTPUT


def test_the_line_of_a_kernel_is_where_its_body_begins(debugger):
    """And none of the host's lines behind it."""
    cell = debugger.start(SCALE, 8)
    cell.stopped()
    assert cell.where()[0] == ("scale [block (0,0,0), thread (0,0,0)]", 11)
    assert cell.end().ok().stdout == OUTPUT


def test_breakpoints_that_change_while_a_thread_stands(debugger):
    cell = debugger.start(SCALE, 18)
    cell.stopped()
    debugger.breakpoints(SCALE, 19, LAUNCH + 1)
    assert cell.go().stopped() == "breakpoint" and cell.line() == 19
    assert cell.go().stopped() == "breakpoint" and cell.where() == [(name_of(cell), LAUNCH + 1)]
    debugger.breakpoints(SCALE)
    assert cell.end().ok().stdout == OUTPUT


def test_device_code_of_an_earlier_cell(debugger):
    earlier = "__global__ void fill(int *p, int v)\n{\n    int own = v + threadIdx.x;\n    p[threadIdx.x] = own;\n}"
    path = debugger.breakpoints(earlier, 4)
    debugger.session.run(earlier).ok()
    cell = debugger.start("int *q;\ncudaMalloc(&q, 16);\nfill<<<1, 4>>>(q, 7);\ncudaDeviceSynchronize();")
    assert cell.stopped() == "breakpoint"
    assert cell.where() == [("fill [block (0,0,0), thread (0,0,0)]", 4), (name_of(cell), 3)]
    assert cell.frames()[0]["source"]["path"] == path
    assert cell.values()["own"] == "7" and cell.values(which=1)["own"].split()[:4] == ["7", "8", "9", "10"]
    # What the device has is seen: all that the pointer leads to, as far as it is written.
    assert cell.step() == 5
    found = cell.scope()["p"]
    assert found["value"].endswith("-> 7")
    assert [v["value"] for v in cell.listed(found).values()] == ["7", "8", "9", "10"]
    cell.end().ok()


@pytest.mark.parametrize("ending", ["Interrupted", "WorkerKilled"])
def test_a_cell_that_ends_while_its_device_code_stands(debugger, ending):
    session = debugger.session
    session.run("int kept = 1;").ok()
    worker = session.worker_pid()
    cell = debugger.start("kept = 2;\n" + SCALE, 17)
    assert cell.stopped() == "breakpoint"
    if ending == "Interrupted":
        session.interrupt()
    else:
        session.kill(worker)
    result = cell.pending.wait()
    assert result.ename == ending, result.shown
    assert session.run("kept").ok().results[0]["text/plain"] == "1"
    debugger.breakpoints("kept = 2;\n" + SCALE)


def test_a_debugger_that_leaves_lets_the_launch_go_on(fresh_kernel):
    debugger = Debugger(fresh_kernel)
    cell = debugger.start(SCALE, 18)
    cell.stopped()
    debugger.body("disconnect")
    assert cell.pending.wait().ok().stdout == OUTPUT


def test_a_fault_behind_a_stop_is_told_as_ever(debugger):
    code = SCALE.replace("x[i] = t", "x[i + 100000000] = t")
    cell = debugger.start(code, 16)
    cell.stopped()
    result = cell.end()
    assert result.status == "error" and "19" in result.shown
    debugger.breakpoints(code)


def test_expressions_of_device_code(debugger):
    """They are computed with what the thread has that stands."""
    cell = debugger.start(SCALE, 16)
    cell.stopped()
    wanted = {"n + i": "65", "x[i] * a": "2.0", "p.k[1]": "2", "p.x + p.y": "3.0", "tile[3]": "0.0",
              "blockIdx.x * blockDim.x + threadIdx.x": "1", "gridDim.x": "2", "sizeof(tile)": "128"}
    assert {e: debugger.body("evaluate", expression=e, frameId=1)["result"] for e in wanted} == wanted
    # The host's call has its own.
    assert debugger.body("evaluate", expression="d[2] + 1", frameId=2)["result"] == "3.0"
    assert "undeclared" in debugger.command("evaluate", expression="n + i", frameId=2)["message"]
    assert cell.end().ok().stdout == OUTPUT


def test_a_condition_in_device_code(debugger):
    """It is about the thread that is followed."""
    path = debugger.body("dumpCell", code=SCALE)["sourcePath"]
    debugger.body("setBreakpoints", source={"path": path}, breakpoints=[{"line": 18, "condition": "k == 1 && t > 0"}])
    cell = Stops(debugger, debugger.session.start(SCALE))
    assert cell.stopped() == "breakpoint" and cell.values()["k"] == "1"
    assert cell.end().ok().stdout == OUTPUT
    debugger.body("setBreakpoints", source={"path": path}, breakpoints=[])


def test_a_step_over_a_condition_that_is_false_goes_on(debugger):
    path = debugger.body("dumpCell", code=SCALE)["sourcePath"]
    debugger.body("setBreakpoints", source={"path": path}, breakpoints=[{"line": 16}, {"line": 5, "condition": "w == 100"}])
    cell = Stops(debugger, debugger.session.start(SCALE))
    cell.stopped()
    assert [cell.step(), cell.step(), cell.step()] == [17, 18, 17]
    debugger.body("setBreakpoints", source={"path": path}, breakpoints=[])
    assert cell.end().ok().stdout == OUTPUT
