# SPDX-License-Identifier: Apache-2.0
"""%replay shows again what a cell has shown, as it was to be seen: for a browser that was reloaded while the cell ran."""
import pytest


def test_text_displays_and_the_result_in_order(kernel):
    code = ('printf("one\\n");\ncgpu_display("text/html", "<b>two</b>", 10);\nfprintf(stderr, "three\\n");\nprintf("four\\n");\n'
            '7 * 6')
    first = kernel.run(code).ok()
    again = kernel.run("%replay").ok()
    assert first.results[0]["text/plain"] == "42"
    assert (again.stdout, again.stderr) == (first.stdout, first.stderr) == ("one\nfour\n", "three\n")
    assert again.displays == first.displays + first.results and again.results == []
    kinds = [m["header"]["msg_type"] for m in again.messages if m["header"]["msg_type"] in ("stream", "display_data")]
    assert kinds == ["stream", "display_data", "stream", "stream", "display_data"]


def test_of_a_number(kernel):
    one = kernel.run('printf("of the first");').ok()
    kernel.run("int between;").ok()
    assert kernel.run(f"%replay {one.count}").ok().stdout == "of the first"
    assert kernel.run("%replay").ok().stdout == "of the first"  # that cell has shown it, too
    nothing = kernel.run("between = 1;").ok()
    assert kernel.run("%replay").ok().stderr == f"In[{nothing.count}] has shown nothing.\n"


def test_an_error_is_text(kernel):
    failed = kernel.run('printf("before");\n*(volatile int *)0 = 1;')
    assert failed.ename == "SegmentationFault"
    again = kernel.run("%replay").ok()
    assert again.stdout == "before" and again.errors == 0
    assert "SegmentationFault" in again.stderr and "line 2" in again.stderr


def test_what_the_cell_has_cleared_is_gone(kernel):
    kernel.run('printf("gone\\n");\ncgpu_clear_output(0);\nprintf("stays\\n");\ncgpu_clear_output(1);').ok()
    assert kernel.run("%replay").ok().stdout == "stays\n"


def test_a_display_that_was_renewed_is_its_last_state(kernel):
    kernel.run('cgpu_display_id("bar", "text/plain", "0 %", 3);\nfor (int i = 1; i <= 10; i++) {\n  char text[8];\n'
               '  sprintf(text, "%d %%", 10 * i);\n  cgpu_display_update("bar", "text/plain", text, strlen(text));\n}').ok()
    again = kernel.run("%replay").ok()
    assert [d["text/plain"] for d in again.displays] == ["100 %"]


def test_what_a_flood_left_out_stays_left_out(kernel):
    flood = kernel.run('for (int i = 0; i < 3000000; i++) printf("%d\\n", i);').ok()
    again = kernel.run("%replay").ok()
    assert again.stdout == flood.stdout and "left out" in again.stdout


def test_memory_is_bounded_and_the_end_is_kept(kernel):
    kernel.run("%limit output 100MB").ok()
    kernel.run('static char line[1001];\nmemset(line, 120, 1000);').ok()
    kernel.run('for (int i = 0; i < 40000; i++) printf("%s %d\\n", line, i);').ok()
    again = kernel.run("%replay").ok()
    assert again.stderr.endswith("has shown more than is kept (16 MB); this is the end of it:\n")
    assert again.stdout.endswith("x 39999\n") and 10e6 < len(again.stdout) < 16.8e6
    kernel.run("%limit output 10MB").ok()


def test_of_many_cells_the_last_are_kept(kernel):
    first = kernel.run('printf("long ago");').ok().count
    for _ in range(64):
        kernel.run("1").ok()
    gone = kernel.run(f"%replay {first}")
    assert gone.evalue == f"%replay {first}: what In[{first}] has shown is not kept; the oldest that is kept is In[{first + 2}]"
    assert kernel.run(f"%replay {first + 3}").ok().displays[0]["text/plain"] == "1"


@pytest.mark.parametrize("args", ["x", "0", "-1", "3x", "1 2", "99999999999"])
def test_bad_numbers(kernel, args):
    refused = kernel.run(f"%replay {args}")
    assert refused.evalue == f"%replay {args}: it is the number of a cell that has run, as in %replay [N]"


def test_the_first_cell(start_kernel):
    assert start_kernel().run("%replay").evalue == "%replay: no cell has run before this one"


def test_silent_cells_are_not_kept(kernel):
    kernel.run('printf("heard");').ok()
    kernel.run('printf("not heard");', silent=True).ok()
    assert kernel.run("%replay").ok().stdout == "heard"
