# SPDX-License-Identifier: Apache-2.0
"""Widgets of cells: what a browser shows is what the session holds, whatever a cell, a callback or a user does."""
import re

import pytest
from session import DEADLINE
from widget_front import VIEW, Front

CHANGED = '''
int calls;
void changed(cgpu_widget *w, void *data) { calls++; printf("%g %s", cgpu_value(w), (char *)data); }
'''


FOREVER = 'void ever(cgpu_widget *w, void *p) { puts("in"); fflush(stdout); for (;;) usleep(1000); }\n'


def until(path):
    """Code that goes on when there is such a file."""
    return f'while (access("{path}", 0)) usleep(1000);'


def held(path):
    """The same, of a cell that says that it runs."""
    return 'puts("in"); fflush(stdout); ' + until(path)


@pytest.fixture
def front(kernel):
    f = Front(kernel)
    f.run("%reset").ok()
    f.open.clear()
    del f.opened[:], f.closed[:], f.updates[:]
    return f


@pytest.fixture
def slider(front):
    """The id of a slider `s` from 0 to 10 that stands at 3 and has a callback."""
    front.run(CHANGED).ok()
    front.run('cgpu_widget *s = cgpu_slider_new("n", 0, 10, 3);\n'
              'cgpu_widget_on_change(s, changed, (void *)"hello");').ok()
    return front.model("FloatSliderModel")


def value(front, expression="cgpu_value(s)"):
    return float(front.run(f'printf("%g", (double)({expression}));').ok().stdout)


# ---- what they are ----

MODELS = [
    ('cgpu_slider_new("n", 0, 10, 3)', "FloatSlider", "FloatSliderView",
     {"value": 3, "min": 0, "max": 10, "step": 1, "description": "n", "readout_format": ".0f"}, "n: 3 (0 to 10)"),
    ('cgpu_slider_new(NULL, 0, 1, 0.25)', "FloatSlider", "FloatSliderView",
     {"value": 0.25, "max": 1, "step": 0.01, "readout_format": ".2f"}, "slider: 0.25 (0 to 1)"),
    ('cgpu_checkbox_new("on", 1)', "Checkbox", "CheckboxView", {"value": True, "description": "on"}, "on: yes"),
    ('cgpu_dropdown_new("c", texts, 2)', "Dropdown", "DropdownView",
     {"index": 0, "_options_labels": ["a", 'b"\n'], "description": "c"}, 'c: a (of a, b"\n)'),
    ('cgpu_textbox_new("who", "me")', "Text", "TextView", {"value": "me", "description": "who"}, "who: me"),
    ('cgpu_button_new("go")', "Button", "ButtonView", {"description": "go"}, "[go]"),
    ('cgpu_meter_new("m", 0, 5, 9)', "FloatProgress", "ProgressView",
     {"value": 5, "min": 0, "max": 5}, "m: 5 (0 to 5)"),
    ('cgpu_label_new("hi \u00e9")', "Label", "LabelView", {"value": "hi \u00e9"}, "hi \u00e9"),
    ('cgpu_output_new()', "Output", "OutputView", {"outputs": [], "msg_id": ""}, "output"),
    ('cgpu_anywidget("export default {}", "{\\"count\\": [1, {}]}")', "Any", "AnyView",
     {"_esm": "export default {}", "count": [1, {}]}, "widget of anywidget"),
]


@pytest.mark.parametrize("call, model, view, state, text", MODELS)
@pytest.mark.parametrize("language", ["", "%%cpp\n"])
def test_kinds(front, language, call, model, view, state, text):
    texts = 'const char *texts[] = {"a", "b\\"\\n"};\n'
    r = front.run(f"{language}{texts}cgpu_widget *w = {call}; cgpu_widget_show(w);").ok()
    assert not r.stderr and not r.stdout
    (comm,) = front.opened
    its = front.open[comm]
    assert its["_model_name"] == model + "Model" and its["_view_name"] == view
    assert its["_model_module"] == its["_view_module"] and its["_model_module_version"] == its["_view_module_version"]
    assert {k: its[k] for k in state} == state
    assert r.displays == [{VIEW: {"version_major": 2, "version_minor": 0, "model_id": comm}, "text/plain": text}]
    # The front end knows the model before it is to show it.
    kinds = [m["msg_type"] for m in r.messages]
    assert kinds.index("comm_open") < kinds.index("display_data")


def test_boxes(front):
    r = front.run('cgpu_widget *a = cgpu_label_new("a"), *b = cgpu_label_new("b");\n'
                  'cgpu_widget_show(cgpu_vbox(a, cgpu_hbox(b, a)));').ok()
    box, row = front.open[front.model("VBoxModel")], front.model("HBoxModel")
    a, b = front.opened[:2]
    assert box["children"] == [f"IPY_MODEL_{a}", f"IPY_MODEL_{row}"]
    assert front.open[row]["children"] == [f"IPY_MODEL_{b}", f"IPY_MODEL_{a}"]
    assert r.displays[0]["text/plain"] == "a\nb\na"


@pytest.mark.parametrize("call, text", [
    ("cgpu_widget_show(NULL)", "cgpu_widget_show: the widget is NULL"),
    ("cgpu_widget_show((cgpu_widget *)64)", "cgpu_widget_show: this is no widget or comm, or it was closed or freed"),
    ('cgpu_slider_new("x", 2, 1, 1)', "cgpu_slider_new: least is above most"),
    ('cgpu_slider_new("x", 0, NAN, 1)', "cgpu_slider_new: least, most and value must be finite"),
    ('cgpu_anywidget("", "{]")', "cgpu_anywidget: the state is no JSON object"),
    ('cgpu_anywidget("", "[1]")', "cgpu_anywidget: the state is no JSON object"),
    ('cgpu_widget_set(cgpu_button_new("b"), "disabled", "nope")', "cgpu_widget_set: this is no JSON: nope"),
    ('cgpu_set_value(cgpu_dropdown_new("d", NULL, 0), 0)', "cgpu_set_value: there is no option 0"),
    ('cgpu_set_value(cgpu_label_new("l"), 0)', "cgpu_set_value: a label has no number as its value"),
    ('cgpu_widget_output(cgpu_label_new("l"), cgpu_label_new("m"))',
     "cgpu_widget_output: this is no output of cgpu_output_new()"),
])
def test_what_is_wrong_is_told(front, call, text):
    assert front.run(call + ";").ok().stderr == text + "\n"


# ---- a cell changes them ----

def test_a_cell_reads_and_sets_the_value(front, slider):
    r = front.run('printf("%g ", cgpu_value(s)); cgpu_set_value(s, 7); printf("%g", cgpu_value(s));').ok()
    assert r.stdout == "3 7"
    assert front.open[slider]["value"] == 7 and front.updates == [(slider, {"value": 7})]
    # What a user could not choose is not chosen.
    front.run("cgpu_set_value(s, 70);").ok()
    assert front.open[slider]["value"] == 10 == value(front)
    front.run('cgpu_widget_set(s, "disabled", "true"); printf("%s", cgpu_widget_get(s, "disabled"));').ok()
    assert front.open[slider]["disabled"] is True
    front.run("cgpu_slider_step(s, 0.5);").ok()
    assert (front.open[slider]["step"], front.open[slider]["readout_format"]) == (0.5, ".1f")


def test_texts_and_choices(front):
    front.run('const char *options[] = {"one", "tw\\u00f6"};\n'
              'cgpu_widget *t = cgpu_textbox_new("t", ""), *d = cgpu_dropdown_new("d", options, 2),\n'
              '*c = cgpu_checkbox_new("c", 0);').ok()
    t, d, c = front.opened
    front.wait(front.set(t, value='a "quoted"\n\u20ac \U0001f600'))
    front.wait(front.set(d, index=1))
    front.wait(front.set(c, value=True))
    r = front.run('printf("%s|%g %s|%g", cgpu_value_text(t), cgpu_value(d), cgpu_value_text(d), cgpu_value(c));').ok()
    assert r.stdout == 'a "quoted"\n\u20ac \U0001f600|1 tw\u00f6|1'
    front.run('cgpu_set_text(t, "b\\"\\\\"); cgpu_set_value(d, 0); cgpu_set_value(c, 0);').ok()
    assert (front.open[t]["value"], front.open[d]["index"], front.open[c]["value"]) == ('b"\\', 0, False)


def test_a_loop_that_sets_often_sends_little_and_the_last(front):
    front.run('cgpu_widget *m = cgpu_meter_new("m", 0, 100000, 0);\n'
              'for (int i = 0; i <= 100000; i++) cgpu_set_value(m, i);').ok()
    m = front.model("FloatProgressModel")
    assert front.open[m]["value"] == 100000 and len(front.updates) < 500


def test_progress_is_seen_while_the_cell_runs(front, tmp_path):
    front.run('cgpu_widget *m = cgpu_meter_new("m", 0, 10, 0);').ok()
    m = front.model("FloatProgressModel")
    go = tmp_path / "go"
    running = front.start(f'cgpu_set_value(m, 5); {until(go)}')
    front.wait(running, "comm_msg")
    assert front.open[m]["value"] == 5
    go.touch()
    front.finish(running).ok()


# ---- a cell fails ----

def test_widgets_of_a_failed_cell_are_closed(front):
    r = front.run('cgpu_widget_show(cgpu_slider_new("n", 0, 10, 3)); *(volatile int *)0 = 1;')
    assert r.ename == "SegmentationFault" and len(front.opened) == 1
    assert front.closed == front.opened and not front.open
    kinds = [m["msg_type"] for m in r.messages]
    assert kinds.index("error") < kinds.index("comm_close")


def test_values_of_a_failed_cell_are_taken_back(front, slider, tmp_path):
    go = tmp_path / "go"
    running = front.start(f'cgpu_set_value(s, 8); cgpu_widget_set(s, "disabled", "true"); {until(go)} abort();')
    while not (front.open[slider]["value"] == 8 and front.open[slider].get("disabled")):
        front.hear()
    go.touch()
    assert front.finish(running).status == "error"
    assert front.open[slider]["value"] == 3 == value(front) and not front.open[slider].get("disabled")
    assert slider not in front.closed


def test_a_widget_that_a_failed_cell_has_freed_is_there(front, slider):
    assert front.run("cgpu_widget_free(s); abort();").status == "error"
    assert slider in front.open and slider not in front.closed
    assert front.text_of(front.set(slider, value=5)) == "5 hello"
    front.run("cgpu_widget_free(s);").ok()
    assert front.closed == [slider]


def test_an_interrupted_cell(front, slider):
    running = front.start("cgpu_set_value(s, 8); cgpu_set_value(s, 9); for (;;) usleep(1000);")
    front.wait(running, "comm_msg")
    front.kernel.interrupt()
    assert front.finish(running).ename == "Interrupted"
    assert front.open[slider]["value"] == 3 == value(front)


# ---- a user changes them ----

def test_a_user_moves_it(front, slider):
    moved = front.set(slider, value=7)
    kinds = [m["msg_type"] for m in front.wait(moved)]
    # As a cell: busy, what it prints, idle; and nothing of an execute_request.
    assert [k for k in kinds if k != "comm_msg"] == ["status", "stream", "status"]
    assert front.text_of(moved) == "7 hello"
    # Replies are in order, so one to the message would have come before that to the next cell.
    assert value(front) == 7 and value(front, "calls") == 1 and moved not in front.kernel.replies
    assert front.updates == [], "the browser knows what it has sent"


def test_other_browsers_hear_of_it(front, slider):
    moved = front.set(slider, value=7)
    echo = [m["content"]["data"] for m in front.wait(moved) if m["msg_type"] == "comm_msg"]
    assert echo == [{"method": "echo_update", "state": {"value": 7}, "buffer_paths": []}]


def test_a_click(front):
    front.run('int clicks; void clicked(cgpu_widget *w, void *p) { ++*(int *)p; cgpu_set_text(w, "again"); }\n'
              'cgpu_widget *b = cgpu_button_new("go"); cgpu_widget_on_change(b, clicked, &clicks);').ok()
    b = front.model("ButtonModel")
    front.wait(front.click(b))
    front.wait(front.click(b))
    assert value(front, "clicks") == 2 and front.open[b]["description"] == "again"


def test_a_callback_sets_another_widget(front, slider):
    front.run('cgpu_widget *l = cgpu_label_new("");\n'
              'void copy(cgpu_widget *w, void *to) \n'
              '{ char t[40]; sprintf(t, "at %g", cgpu_value(w)); cgpu_set_text(to, t); }\n'
              'cgpu_widget_on_change(s, copy, l);').ok()
    front.wait(front.set(slider, value=6))
    assert front.open[front.model("LabelModel")]["value"] == "at 6"


def test_a_function_that_is_defined_anew_is_called(front, slider):
    front.run(CHANGED.replace('"%g %s"', '"new %g %s"')).ok()
    assert front.text_of(front.set(slider, value=4)) == "new 4 hello"


def test_a_callback_that_faults_is_rolled_back(front, slider):
    front.run('int before;\nvoid bad(cgpu_widget *w, void *p)\n'
              '{ before = 1; puts("here"); fflush(stdout); *(volatile int *)0 = 1; }\n'
              'cgpu_widget_on_change(s, bad, NULL);').ok()
    moved = front.set(slider, value=9)
    error = front.error_of(moved)
    assert error["ename"] == "SegmentationFault" and "bad" in "\n".join(error["traceback"])
    assert front.text_of(moved) == "here\n"
    assert front.open[slider]["value"] == 3 == value(front) and value(front, "before") == 0
    front.run("cgpu_widget_on_change(s, changed, (void *)\"x\");").ok()
    assert front.text_of(front.set(slider, value=9)) == "9 x"


def test_a_callback_that_is_interrupted(front, slider):
    front.run(FOREVER + "cgpu_widget_on_change(s, ever, NULL);").ok()
    moved = front.set(slider, value=9)
    front.wait(moved, "stream")
    front.kernel.interrupt()
    assert front.error_of(moved)["ename"] == "Interrupted"
    assert front.open[slider]["value"] == 3 == value(front)


def test_a_worker_that_is_killed_in_a_callback(front, slider):
    front.run(FOREVER + "cgpu_widget_on_change(s, ever, NULL);").ok()
    worker = front.kernel.worker_pid()
    moved = front.set(slider, value=9)
    front.wait(moved, "stream")
    front.kernel.kill(worker)
    assert front.error_of(moved)["ename"] == "WorkerKilled"
    assert front.open[slider]["value"] == 3 == value(front)
    front.run('cgpu_widget_on_change(s, changed, (void *)"x");').ok()
    assert front.text_of(front.set(slider, value=2)) == "2 x"


def test_an_error_in_a_callback_aborts_no_cell(front, slider, tmp_path):
    front.run('void bad(cgpu_widget *w, void *p) { abort(); }\ncgpu_widget_on_change(s, bad, NULL);').ok()
    go = tmp_path / "go"
    first = front.start(held(go))
    front.wait(first, "stream")
    moved, second = front.set(slider, value=9), front.start("puts(\"second\");")
    go.touch()
    front.finish(first).ok()
    assert front.error_of(moved)["ename"] == "Aborted"
    assert front.finish(second).ok().stdout == "second\n"


# ---- beside a running cell ----

def test_updates_during_a_cell_are_folded_and_run_behind_it(front, slider, tmp_path):
    go = tmp_path / "go"
    running = front.start(f'{held(go)} printf("%d %g", calls, cgpu_value(s));')
    front.wait(running, "stream")
    moves = [front.set(slider, value=v) for v in (4, 5, 6, 7)]
    for m in moves[:-1]:
        assert [m["msg_type"] for m in front.wait(m)].count("status") == 2, "a folded one is over at once"
    go.touch()
    assert front.finish(running).ok().stdout == "in\n0 3"
    assert front.text_of(moves[-1]) == "7 hello"
    assert value(front, "calls") == 1 and value(front) == 7 == front.open[slider]["value"]


def test_a_value_that_a_cell_sets_meanwhile_gives_way_to_the_users(front, slider, tmp_path):
    go = tmp_path / "go"
    running = front.start(f'{held(go)} cgpu_set_value(s, 1);')
    front.wait(running, "stream")
    moved = front.set(slider, value=8)
    front.wait(front.send("comm_info_request", {}))  # it has come
    go.touch()
    front.finish(running).ok()
    front.wait(moved)
    assert value(front) == 8 == front.open[slider]["value"]


def test_cells_and_callbacks_take_turns(front, slider, tmp_path):
    front.run('cgpu_widget *b = cgpu_button_new("b");\n'
              'char log_[100]; void click(cgpu_widget *w, void *p) { strcat(log_, "b"); }\n'
              'cgpu_widget_on_change(b, click, NULL);').ok()
    b = front.model("ButtonModel")
    go = tmp_path / "go"
    running = front.start(held(go))
    front.wait(running, "stream")
    cells = [front.start('strcat(log_, "c");') for _ in range(3)]
    clicks = [front.click(b) for _ in range(3)]
    front.wait(front.send("comm_info_request", {}))
    go.touch()
    for m in cells:
        front.finish(m).ok()
    for m in clicks:
        front.wait(m)
    assert front.run("puts(log_);").ok().stdout == "bcbcbc\n"


def test_too_many_messages_are_refused_and_the_kernel_goes_on(front, tmp_path):
    front.run('int clicks; void click(cgpu_widget *w, void *p) { clicks++; }\n'
              'cgpu_widget *b = cgpu_button_new("b"); cgpu_widget_on_change(b, click, NULL);').ok()
    b = front.model("ButtonModel")
    go = tmp_path / "go"
    running = front.start(held(go))
    front.wait(running, "stream")
    clicks = [front.click(b) for _ in range(600)]
    front.wait(clicks[-1])  # it is over at once, since there is no room
    go.touch()
    front.finish(running).ok()
    for m in clicks:
        front.wait(m)
    assert value(front, "clicks") == 512


# ---- states for a browser that is reloaded ----

def states(front):
    control = "c" * 32
    front.wait(front.send("comm_open", {"comm_id": control, "target_name": "jupyter.widget.control", "data": {}}))
    assert control not in front.closed
    front.wait(front.message(control, {"method": "request_states"}))
    (answer,) = [data for comm, data, _ in front.heard if comm == control]
    assert answer["method"] == "update_states" and answer["buffer_paths"] == []
    return answer["states"]


def test_states_are_told_also_while_a_cell_runs(front, slider, tmp_path):
    front.wait(front.set(slider, value=6))
    go = tmp_path / "go"
    running = front.start(held(go))
    front.wait(running, "stream")
    all_states = states(front)
    assert set(all_states) == {slider}
    its = all_states[slider]
    assert (its["model_name"], its["model_module"], its["model_module_version"]) == (
        "FloatSliderModel", "@jupyter-widgets/controls", "2.0.0")
    assert its["state"] == front.open[slider] and its["state"]["value"] == 6
    asked = front.message(slider, {"method": "request_state"})
    (answer,) = [m["content"]["data"] for m in front.wait(asked) if m["msg_type"] == "comm_msg"]
    assert answer == {"method": "update", "state": front.open[slider], "buffer_paths": []}
    go.touch()
    front.finish(running).ok()


def test_open_comms_are_listed(front, slider):
    assert front.kernel.ask("comm_info")["comms"] == {slider: {"target_name": "jupyter.widget"}}
    assert front.kernel.ask("comm_info", target_name="other")["comms"] == {}


# ---- the session goes elsewhere ----

def test_undo_and_redo(front, slider):
    front.run('cgpu_widget *l = cgpu_label_new("l"); cgpu_set_value(s, 5);').ok()
    label = front.model("LabelModel")
    front.run("%undo").ok()
    assert front.closed == [label] and front.open[slider]["value"] == 3
    front.run("%redo").ok()
    assert front.open[slider]["value"] == 5 and front.open[label]["value"] == "l"
    front.wait(front.set(slider, value=8))
    front.run("%undo").ok()
    assert front.open[slider]["value"] == 3 == value(front), "what callbacks did goes with the cell before"


def test_undo_in_front_of_code(front, slider):
    front.run("cgpu_set_value(s, 5);").ok()
    front.run("%undo\nint k = 1;").ok()
    assert front.open[slider]["value"] == 3 == value(front)


def test_reset_and_its_undo(front, slider):
    front.run("%reset").ok()
    assert front.closed == [slider] and not front.open
    front.run("%undo").ok()
    assert front.open[slider]["value"] == 3
    assert front.text_of(front.set(slider, value=4)) == "4 hello"


def test_snapshots(front, slider):
    front.run("%snapshot save kept").ok()
    before = dict(front.open[slider])
    front.run('cgpu_widget_free(s); cgpu_widget *l = cgpu_label_new("l");').ok()
    label = front.model("LabelModel")
    front.run("%snapshot load kept").ok()
    assert front.closed == [slider, label] and front.open == {slider: before}
    assert front.text_of(front.set(slider, value=4)) == "4 hello"


def test_a_restarted_kernel_with_a_snapshot(start_kernel):
    kernel = start_kernel()
    first = Front(kernel)
    first.run(CHANGED).ok()
    first.run('cgpu_widget *s = cgpu_slider_new("n", 0, 10, 3);\n'
              'cgpu_widget_on_change(s, changed, (void *)"hello");').ok()
    first.run("%snapshot save kept").ok()
    kernel.manager.restart_kernel()
    kernel.client.wait_for_ready(timeout=DEADLINE)
    second = Front(kernel)
    assert second.kernel.ask("comm_info")["comms"] == {}
    second.run("%snapshot load kept").ok()
    assert second.open == first.open
    assert second.text_of(second.set(second.model("FloatSliderModel"), value=6)) == "6 hello"


# ---- outputs and functions ----

def test_output_of_a_callback_goes_to_its_place(front, slider):
    front.run("cgpu_widget *o = cgpu_output_new(); cgpu_widget_output(s, o);").ok()
    o = front.model("OutputModel")
    moved = front.set(slider, value=5)
    messages = front.wait(moved)
    seen = [(m["content"]["data"]["state"].get("msg_id") if m["msg_type"] == "comm_msg" else m["msg_type"])
            for m in messages if m["content"].get("comm_id") != slider]
    assert seen == ["status", moved, "stream", "", "status"]
    # The browser collects it, and that is no state of the session.
    outputs = [{"output_type": "stream", "name": "stdout", "text": "5 hello"}]
    front.wait(front.set(o, outputs=outputs))
    front.run("calls = 0;").ok()
    assert states(front)[o]["state"]["outputs"] == outputs


def test_an_error_of_a_callback_goes_to_its_place(front, slider):
    front.run("void bad(cgpu_widget *w, void *p) { abort(); }\n"
              "cgpu_widget *o = cgpu_output_new(); cgpu_widget_output(s, o); cgpu_widget_on_change(s, bad, NULL);").ok()
    o, moved = front.model("OutputModel"), front.set(slider, value=5)
    kinds = [m["content"]["data"]["state"]["msg_id"] if m["content"].get("comm_id") == o else m["msg_type"]
             for m in front.wait(moved)]
    assert kinds.index(moved) < kinds.index("error") < kinds.index("")


def test_output_of_a_cell_goes_to_a_place(front):
    r = front.run('cgpu_widget *o = cgpu_output_new(); puts("below");\n'
                  'cgpu_output_begin(o); puts("there"); cgpu_output_end();').ok()
    seen = [m["content"]["data"]["state"]["msg_id"] if m["msg_type"] == "comm_msg" else m["content"]["text"]
            for m in r.messages if m["msg_type"] in ("comm_msg", "stream")]
    assert seen == ["below\n", r.messages[0]["parent_header"]["msg_id"], "there\n", ""]


@pytest.mark.parametrize("language, name", [("", "c"), ("%%cpp\n", "cpp")])
def test_interact(front, language, name):
    front.run(f'{language}void f_{name}(double x, int n, float y) {{ printf("%g %d %g\\n", x, n, y); }}').ok()
    ranges = 'cgpu_range("x", 0, 1, 0.5), cgpu_range("n", 0, 10, 3), cgpu_range("y", 0, 2, 1.25)'
    r = front.run(f"{language}cgpu_interact(f_{name}, {ranges});").ok()
    box = front.open[front.model("VBoxModel")]
    x, n, y, o = (c.removeprefix("IPY_MODEL_") for c in box["children"])
    assert r.stdout == "0.5 3 1.25\n" and len(r.displays) == 1
    assert front.open[o]["_model_name"] == "OutputModel" and front.open[n]["step"] == 1
    moved = front.set(x, value=0.75)
    assert front.text_of(moved) == "0.75 3 1.25\n"
    assert [m["content"]["wait"] for m in front.wait(moved) if m["msg_type"] == "clear_output"] == [True]
    assert front.text_of(front.set(n, value=-2)) == "0.75 -2 1.25\n"
    assert front.text_of(front.set(y, value=0.5)) == "0.75 -2 0.5\n"
    front.run(f'{language}void f_{name}(double x, int n, float y) {{ puts("anew"); }}').ok()
    assert front.text_of(front.set(x, value=0)) == "anew\n"


def test_interact_with_what_cannot_be_called(front):
    front.run("void text(char *t) { } void two(int a, int b) { }").ok()
    for name, why in [("text", "f must be a function of one to four numbers"),
                      ("two", "f takes 2 numbers, and there are 1 ranges")]:
        assert why in front.run(f'cgpu_interact({name}, cgpu_range("x", 0, 1, 0));').ok().stderr


def test_interact_after_the_worker_has_gone(front):
    front.run('void f(int n) { printf("%d\\n", n); }').ok()
    front.run('cgpu_interact(f, cgpu_range("n", 0, 10, 3));').ok()
    n = front.model("FloatSliderModel")
    assert front.run("abort();").status == "error"
    assert front.text_of(front.set(n, value=4)) == "4\n"
    front.kernel.kill(front.kernel.zygote_pid())
    assert front.run("abort();").status == "error"
    assert front.text_of(front.set(n, value=5)) == "5\n"


def test_lambdas(front):
    front.run('%%cpp\ncgpu_widget *w = cgpu_slider_new("w", 0, 10, 1); int k = 2;\n'
              'cgpu_widget_on_change(w, [k = k](cgpu_widget *s) { printf("%g", k * cgpu_value(s)); });').ok()
    w = front.model("FloatSliderModel")
    assert front.text_of(front.set(w, value=4)) == "8"
    front.run('%%cpp\ncgpu_widget_on_change(w, [] { puts("bare"); });').ok()
    assert front.text_of(front.set(w, value=5)) == "bare\n"


def test_lambdas_of_several_cells(front):
    for n in (1, 2, 3):
        front.run(f'%%cpp\ncgpu_widget *w{n} = cgpu_slider_new("w", 0, 10, 1); int k{n} = {n};\n'
                  f'cgpu_widget_on_change(w{n}, [k = k{n}] {{ printf("{n}%d", k); }});').ok()
    assert [front.text_of(front.set(w, value=2)) for w in list(front.opened)] == ["11", "22", "33"]


def test_a_callback_frees_its_widget(front):
    front.run('void gone(cgpu_widget *w, void *p) { puts("gone"); cgpu_widget_free(w); }\n'
              'cgpu_widget *b = cgpu_button_new("b"); cgpu_widget_on_change(b, gone, NULL);').ok()
    (b,) = front.opened
    assert front.text_of(front.click(b)) == "gone\n" and front.closed == [b]
    front.wait(front.click(b))


def test_a_message_comes_behind_what_was_set_before_it(front):
    front.run('cgpu_widget *w = cgpu_anywidget("", "{}");').ok()
    r = front.run('for (int i = 0; i < 5; i++) { char t[9]; sprintf(t, "%d", i); cgpu_widget_set(w, "a", t);\n'
                  'cgpu_comm_send(w, t); }').ok()
    said = [m["content"]["data"] for m in r.messages if m["msg_type"] == "comm_msg"]
    assert [d["content"] if d["method"] == "custom" else d["state"]["a"] for d in said] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_anywidget(front):
    front.run('void heard(cgpu_comm *c, const cgpu_message *m, void *p)\n'
              '{ printf("%s %u %.*s", m->json, m->n_buffers,\n'
              '(int)m->buffers[0].size, (const char *)m->buffers[0].at);\n'
              '  cgpu_comm_send(c, "{\\"got\\": 1}"); }\n'
              'void changed(cgpu_widget *w, void *p) \n'
              '{ printf("%s", cgpu_widget_get(w, "count")); cgpu_widget_set(w, "double", "[2]"); }\n'
              'cgpu_widget *w = cgpu_anywidget("export default {}", "{\\"count\\": 0}");\n'
              'cgpu_widget_on_change(w, changed, NULL); cgpu_comm_on_message(w, heard, NULL);').ok()
    w = front.model("AnyModel")
    assert front.text_of(front.set(w, count=5, other={"a": None})) == "5"
    assert front.open[w]["double"] == [2]
    assert front.text_of(front.custom(w, {"x": 1}, [b"bytes"])) == '{"x":1} 1 bytes'
    assert front.heard == [(w, {"method": "custom", "content": {"got": 1}}, [])]
    assert states(front)[w]["state"]["other"] == {"a": None}


# ---- bounds ----

def test_there_is_a_limit(front):
    r = front.run('cgpu_widget *last; int n = 0;\n'
                  'for (int i = 0; i < 1030; i++) if ((last = cgpu_label_new("x"))) n++; printf("%d", n);').ok()
    assert r.stdout == "1024" and r.stderr.startswith("cgpu_label_new: there are 1024 widgets, which is the limit\n")
    assert len(front.open) == 1024
    front.run("%reset").ok()
    assert not front.open


def test_a_state_that_is_too_large(front):
    r = front.run('char *big = malloc(5000001); memset(big, 97, 5000000); big[5000000] = 0; cgpu_label_new(big);').ok()
    assert r.stderr == "cgpu_label_new: a widget can have a state of 4 MB\n" and not front.open


def test_a_state_of_a_megabyte(front):
    front.run('char *big = malloc(2000001); memset(big, 97, 2000000); big[2000000] = 0;\n'
              'cgpu_widget *l = cgpu_label_new(big);').ok()
    assert len(front.open[front.model("LabelModel")]["value"]) == 2000000


def test_widgets_are_no_lost_blocks(front):
    front.run('void f(int n) { }').ok()
    front.run('cgpu_interact(f, cgpu_range("n", 0, 10, 3));').ok()
    assert re.search(r"- +- +static variables\n", front.run("%mem").ok().stdout)


def test_messages_that_are_no_good(front, slider):
    for data in (None, 5, {}, {"method": "update"}, {"method": "update", "state": 5}, {"method": "nonsense"},
                 {"method": "custom"}):
        front.wait(front.message(slider, data))
    front.wait(front.message("nobody", {"method": "update", "state": {}}))
    front.wait(front.send("comm_msg", {}))
    front.wait(front.send("comm_close", {"comm_id": 5}))
    assert value(front) == 3
    front.wait(front.set(slider, value="text"))
    assert value(front) == 0
