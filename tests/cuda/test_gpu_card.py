# SPDX-License-Identifier: Apache-2.0
"""%gpu -l: the card with the device's memory, renewed in place; and the line that comes before memory is out."""
import re
import time

from session import DEADLINE

DEVICE_MEMORY = "512M"
SPIN = """__global__ void spin(int *p, int n) { for (int i = 0; i < n; i++) p[threadIdx.x] += i; }
int *d_n; cudaMalloc(&d_n, 128); cudaMemset(d_n, 0, 128);
char *held; cudaMalloc(&held, 64 << 20);"""


def cards(result):
    """The texts of the display and its renewals, and all ids of displays."""
    found = [m["content"] for m in result.messages if m["msg_type"] in ("display_data", "update_display_data")]
    return [c["data"]["text/plain"] for c in found], {c["transient"]["display_id"] for c in found}


def wait_card(pending, holds):
    """Until a renewal, while the cell runs, whose text is as `holds` wants it."""
    end = time.monotonic() + DEADLINE
    while not any(holds(text) for text in cards(pending.result)[0]):
        assert not pending.idle, pending.result.shown
        pending._next(end)


def wait_renewal(session, words):
    """Between cells."""
    end = time.monotonic() + DEADLINE
    while True:
        m = session.client.get_iopub_msg(timeout=max(0.001, end - time.monotonic()))
        if m["msg_type"] == "update_display_data" and words in m["content"]["data"]["text/plain"]:
            return m


def run_until_no_card(session, last):
    """Runs cells that change nothing until one shows no card. What changes late, as memory that is given back, shows once."""
    while shown := cards(session.run("1 + 1").ok())[0]:
        for text in shown:
            assert text != last, "the same card twice"
            last = text


def test_a24_the_memory_of_a_notebook_is_in_view_while_it_works(pair):
    """A24; what jupyter-resource-usage shows is in tests/protocol/test_messages.py."""
    first, second = pair
    shown = first.start("%gpu -l", cell_id="card").wait().ok()
    (text,), ids = cards(shown)
    html = shown.displays[0]["text/html"]
    assert "0 B of 512 MB allowed" in text and "<script" not in html and "0 B of 512 MB allowed" in html
    texts, same = cards(first.run(SPIN).ok())
    text = texts[-1]
    assert same == ids and "12 %  64 MB of 512 MB allowed" in text
    assert re.search(r"64 MB  held +In\[2\]\n +128 B  d_n +In\[2\]\n", text)

    # While a cell runs: what it takes, and that launches run. The cell is not disturbed: it keeps what it does.
    cell = first.start("%interrupt keep\nchar *more; cudaMalloc(&more, 32 << 20);\n"
                       "for (;;) { spin<<<1, 32>>>(d_n, 2000); cudaDeviceSynchronize(); }")
    wait_card(cell, lambda t: "96 MB of 512 MB" in t and re.search(r"32 MB  more +In\[3\]\n", t) and
              int(re.search(r"(\d+) %  of the time launches ran", t).group(1)) > 0)
    first.interrupt()
    result = cell.wait()
    assert result.ename == "Interrupted" and cards(result)[1] == ids
    assert all(m["parent_header"]["msg_id"] == cell.msg_id for m in result.messages)

    # Between cells only when something has changed, here by another notebook.
    second.run("char *other; cudaMalloc(&other, 16 << 20);").ok()
    renewal = wait_renewal(first, "16 MB  second.ipynb")
    assert renewal["parent_header"]["msg_id"] == shown.messages[0]["parent_header"]["msg_id"]
    run_until_no_card(first, renewal["content"]["data"]["text/plain"])

    # A cell that fails is rolled back, and so is the card.
    result = first.run("char *lost; cudaMalloc(&lost, 128 << 20);\n*(volatile int *)0 = 1;")
    assert result.ename == "SegmentationFault" and not [t for t in cards(result)[0] if "224 MB" in t]

    # It ends with its output: the cell is run again without it. Or when told; then it says so.
    first.start("2", cell_id="card").wait().ok()
    assert not cards(first.run("cudaFree(held);").ok())[0]
    (text,), again = cards(first.start("%gpu -l", cell_id="card").wait().ok())
    assert again == ids and "32 MB of 512 MB" in text
    (text,), _ = cards(first.run("%gpu -l off").ok())
    assert "not live any more" in text
    assert not cards(first.run("cudaFree(more);").ok())[0]
    assert "%gpu -l off" in first.run("%gpu -x").evalue


def test_a_cell_that_leaves_little_says_who_holds_most(pair):
    first, second = pair
    few = first.run("%limit gpu 100M\nchar *a, *b, *c; cudaMalloc(&a, 80 << 20); cudaMalloc(&b, 8 << 20);").ok()
    assert not few.stderr
    told = first.run("cudaMalloc(&c, 4 << 20);").ok().stderr
    assert told == ("device memory: 92 MB are in use, of 100 MB that this session may have. The largest: `a` 80 MB (In[1]), "
                    "`b` 8 MB (In[1]), `c` 4 MB (In[2]). Free what is not needed (cudaFree), or raise the limit: "
                    "%limit gpu SIZE.\n")
    # Once, until it falls below: also when the process has changed meanwhile.
    assert not first.run("char *d; cudaMalloc(&d, 1 << 20);").ok().stderr
    assert first.run("*(volatile int *)0 = 1;").ename == "SegmentationFault"
    assert not first.run("1").ok().stderr
    assert not first.run("cudaFree(c);").ok().stderr
    assert "are in use" in first.run("cudaMalloc(&c, 4 << 20);").ok().stderr
    # What the other notebooks leave counts, too.
    first.run("%limit gpu off\ncudaFree(b);").ok()
    second.run("char *other; cudaMalloc(&other, 420 << 20);").ok()
    assert "of 92 MB that other notebooks leave. The largest: `a` 80 MB" in first.run("cudaMalloc(&b, 3 << 20);").ok().stderr
