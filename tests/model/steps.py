# SPDX-License-Identifier: Apache-2.0
"""What a cell can do. A step is a function of the state and of a random source of its own: it changes the state and gives
the C text that does the same in the session. So a step means something in any state, and a sequence from which others
were taken away can be played too."""
import struct

from state import BLOCKS, BUFFERS, FUNCTIONS, ON_DEVICE, VARIABLES, WORDS, int32, pattern

STEPS = {}      # name: (weight, function)
LANGUAGES = {}  # name: "c" or "c++", where it means nothing in the other one


def step(weight, language=None):
    def add(function):
        STEPS[function.__name__] = (weight, function)
        if language:
            LANGUAGES[function.__name__] = language
        return function
    return add


def weights_of(language):
    """{name: weight} of the steps of a cell in it."""
    return {name: weight for name, (weight, _) in STEPS.items() if LANGUAGES.get(name, language) == language}


def size_of(random, largest=18):
    """Bytes; each power of two is as likely as the next."""
    power = random.randrange(largest)
    return random.randint(1 << power, 2 << power)


def part_of(random, content):
    """Start and length of a piece of it."""
    start = random.randrange(len(content))
    return start, random.randint(1, min(len(content) - start, 1 + size_of(random, 13)))


def changed(content, start, piece):
    return content[:start] + piece + content[start + len(piece):]


def any_of(random, pieces):
    return random.choice(sorted(pieces)) if pieces else None


# ---- heap ----

@step(10, "c")
def allocate(state, random):
    i, start = random.randrange(BLOCKS), random.randrange(251)
    size = size_of(random, 22 if random.random() < 0.02 else 18)
    call = random.choice(["malloc({0})", "calloc({0}, 1)", "aligned_alloc(64, ({0} + 63) / 64 * 64)", "realloc(NULL, {0})",
                          "memalign(4096, {0})"]).format(size)
    state.blocks[i] = bytes(size) if "calloc" in call else pattern(size, start)
    state.moved(f"b{i}")
    fill = "" if "calloc" in call else f"pattern(blocks[{i}].at, {size}, {start}); "
    return f"free(blocks[{i}].at); blocks[{i}] = (struct piece){{ {call}, {size} }}; {fill}"


@step(6, "c")
def resize(state, random):
    i, size, start = random.randrange(BLOCKS), size_of(random), random.randrange(251)
    old = state.blocks.get(i, b"")
    state.blocks[i] = old[:size] + pattern(size - len(old), start) if size > len(old) else old[:size]
    state.moved(f"b{i}")
    text = f"blocks[{i}] = (struct piece){{ realloc(blocks[{i}].at, {size}), {size} }}; "
    return text + (f"pattern(blocks[{i}].at + {len(old)}, {size - len(old)}, {start}); " if size > len(old) else "")


@step(8)
def release(state, random):
    i = random.randrange(BLOCKS)
    state.blocks.pop(i, None)
    state.moved(f"b{i}")
    return f"free(blocks[{i}].at); blocks[{i}] = (struct piece){{ 0 }}; "


@step(8)
def write(state, random):
    i = any_of(random, state.blocks)
    if i is None:
        return ""
    start, length = part_of(random, state.blocks[i])
    phase = random.randrange(251)
    state.blocks[i] = changed(state.blocks[i], start, pattern(length, phase))
    return f"pattern(blocks[{i}].at + {start}, {length}, {phase}); "


LARGE = 2  # so many of the blocks may be that large


@step(2, "c")
def allocate_large(state, random):
    """Large enough for a shadow copy in the kernel process, when it is overwritten as a whole."""
    i, size, start = random.randrange(LARGE), random.randint(4_200_000, 6_000_000), random.randrange(251)
    state.blocks[i] = pattern(size, start)
    state.moved(f"b{i}")
    return (f"free(blocks[{i}].at); blocks[{i}] = (struct piece){{ malloc({size}), {size} }}; "
            f"pattern(blocks[{i}].at, {size}, {start}); ")


@step(8)
def overwrite(state, random):
    """All of a block, the large ones before others."""
    large = [i for i in range(LARGE) if len(state.blocks.get(i, b"")) >= 4_200_000]
    i, start = any_of(random, large or state.blocks), random.randrange(251)
    if i is None:
        return ""
    state.blocks[i] = pattern(len(state.blocks[i]), start)
    return f"pattern(blocks[{i}].at, {len(state.blocks[i])}, {start}); "


@step(3)
def copy_block(state, random):
    i, j = any_of(random, state.blocks), any_of(random, state.blocks)
    if i is None:
        return ""
    length = random.randint(1, min(len(state.blocks[i]), len(state.blocks[j])))
    state.blocks[j] = state.blocks[i][:length] + state.blocks[j][length:]
    return f"memmove(blocks[{j}].at, blocks[{i}].at, {length}); "


@step(2)
def churn(state, random):
    """Blocks that come and go leave no trace."""
    return f"churn({random.randint(1, 300)}, {size_of(random, 16)}); "


@step(2)
def swap(state, random):
    i, j = random.randrange(BLOCKS), random.randrange(BLOCKS)
    for table, a, b in ((state.blocks, i, j), (state.where, f"b{i}", f"b{j}")):
        first, second = table.pop(a, None), table.pop(b, None) if a != b else None
        if a == b:
            second = first
        table.update({k: v for k, v in ((a, second), (b, first)) if v is not None})
    state.fresh |= {f"b{i}", f"b{j}"}
    return f"{{ struct piece t = blocks[{i}]; blocks[{i}] = blocks[{j}]; blocks[{j}] = t; }} "


# ---- linked structures and strings ----

@step(5)
def push(state, random):
    values = [random.randint(-1000, 1000) for _ in range(random.randint(1, 5))]
    state.list[:0] = reversed(values)
    state.moved("list")
    return "".join(f"push({v}); " for v in values)


@step(4)
def cut(state, random):
    position = random.randrange(20)
    if position < len(state.list):
        del state.list[position]
        state.moved("list")
    return f"cut({position}); "


@step(1)
def reverse(state, random):
    state.list.reverse()
    state.moved("list")
    return "reverse(); "


@step(1)
def drop_list(state, random):
    state.list.clear()
    state.moved("list")
    return "while (list) cut(0); "


@step(4)
def plant(state, random):
    key = random.randrange(100)
    state.tree[key] = state.tree.get(key, 0) + 1
    if len(state.tree) == 1:
        state.moved("tree")
    return f"plant({key}); "


@step(1)
def fell(state, random):
    state.tree.clear()
    state.moved("tree")
    return "fell(tree); tree = NULL; "


@step(4)
def word(state, random):
    i, text = random.randrange(WORDS), "".join(random.choice("abcdefgh ") for _ in range(random.randrange(60)))
    state.words[i] = text.encode()
    state.moved(f"w{i}")
    return f'free(words[{i}]); words[{i}] = strdup("{text}"); '


@step(3, "c")
def longer_word(state, random):
    i, text = any_of(random, state.words), random.choice(["tail", "of the string", "x"])
    if i is None:
        return ""
    state.words[i] += text.encode()
    state.moved(f"w{i}")
    return (f"words[{i}] = realloc(words[{i}], strlen(words[{i}]) + {len(text) + 1}); "
            f'strcat(words[{i}], "{text}"); ')


# ---- the device ----

@step(4, "c")
def device_allocate(state, random):
    i, size, value = random.randrange(BUFFERS), size_of(random, 20), random.randrange(256)
    state.buffers[i] = bytes([value]) * size
    state.moved(f"d{i}")
    return (f"cudaFree(buffers[{i}].at); cudaMalloc(&buffers[{i}].at, {size}); buffers[{i}].size = {size}; "
            f"cudaMemset(buffers[{i}].at, {value}, {size}); ")


@step(3)
def device_free(state, random):
    i = random.randrange(BUFFERS)
    state.buffers.pop(i, None)
    state.moved(f"d{i}")
    return f"cudaFree(buffers[{i}].at); buffers[{i}] = (struct piece){{ 0 }}; "


@step(3, "c")
def device_write(state, random):
    i = any_of(random, state.buffers)
    if i is None:
        return ""
    start, length = part_of(random, state.buffers[i])
    phase = random.randrange(251)
    state.buffers[i] = changed(state.buffers[i], start, pattern(length, phase))
    return (f"{{ unsigned char *t = malloc({length}); pattern(t, {length}, {phase}); "
            f"cudaMemcpy(buffers[{i}].at + {start}, t, {length}, cudaMemcpyHostToDevice); free(t); }} ")


def add(state, random):
    """The arguments of an entry that adds to the first bytes of a buffer; None: there is no buffer."""
    i, k = any_of(random, state.buffers), random.randrange(256)
    if i is None:
        return None
    length = random.randint(1, min(len(state.buffers[i]), 20000))
    state.buffers[i] = bytes(b + k & 255 for b in state.buffers[i][:length]) + state.buffers[i][length:]
    return f"buffers[{i}].at, {length}, {k}"


@step(3)
def launch(state, random):
    arguments = add(state, random)
    return arguments and f"add<<<{random.randint(1, 3)}, 64>>>({arguments}); " or ""


@step(1)
def launch_by_device(state, random):
    arguments = add(state, random)
    return arguments and f"add_by_another<<<1, 1>>>({arguments}); " or ""


@step(2)
def launch_astray(state, random):
    """Of another buffer's pointer: nobody can tell before the launch where it writes."""
    i, j, k = any_of(random, state.buffers), any_of(random, state.buffers), random.randrange(256)
    if i is None or i == j:
        return ""
    length = random.randint(1, min(len(state.buffers[i]), 20000))
    state.buffers[i] = bytes(b + k & 255 for b in state.buffers[i][:length]) + state.buffers[i][length:]
    return f"add_at<<<1, 64>>>(buffers[{j}].at, buffers[{i}].at - buffers[{j}].at, {length}, {k}); "


@step(2)
def device_copy(state, random):
    i, j = any_of(random, state.buffers), any_of(random, state.buffers)
    if i is None or i == j:
        return ""
    length = random.randint(1, min(len(state.buffers[i]), len(state.buffers[j])))
    state.buffers[j] = state.buffers[i][:length] + state.buffers[j][length:]
    return f"cudaMemcpy(buffers[{j}].at, buffers[{i}].at, {length}, cudaMemcpyDeviceToDevice); "


@step(2)
def device_read(state, random):
    i, j = any_of(random, state.buffers), any_of(random, state.blocks)
    if i is None or j is None:
        return ""
    length = random.randint(1, min(len(state.buffers[i]), len(state.blocks[j])))
    state.blocks[j] = state.buffers[i][:length] + state.blocks[j][length:]
    return f"cudaMemcpy(blocks[{j}].at, buffers[{i}].at, {length}, cudaMemcpyDeviceToHost); "


@step(2)
def launch_on_variable(state, random):
    start = random.randrange(ON_DEVICE)
    length, k = random.randint(1, ON_DEVICE - start), random.randrange(256)
    added = bytes(b + k & 255 for b in state.on_device[start:start + length])
    state.on_device = changed(state.on_device, start, added)
    return f"add_variable<<<1, 64>>>({start}, {length}, {k}); "


# ---- definitions ----

# type: (C text of an initialiser, its bytes), from a random source
TYPES = {
    "int": lambda r: ("{0}", "i", [r.randint(-2**31, 2**31 - 1)]),
    "unsigned char": lambda r: ("{0}", "B", [r.randrange(256)]),
    "long": lambda r: ("{0}L", "q", [r.randint(-2**40, 2**40)]),
    "double": lambda r: ("{0}", "d", [r.randint(-1000, 1000) / 8]),
    "float": lambda r: ("{0}f", "f", [r.randint(-1000, 1000) / 8]),
    "int[20]": lambda r: ("{{ {0}, {1}, [7] = {2} }}", "2i20xi48x", [r.randrange(1000) for _ in range(3)]),
    "struct { int a; float b; }": lambda r: ("{{ .b = {1}f, .a = {0} }}", "if", [r.randrange(1000), r.randrange(9) / 2]),
}


def initialiser(random, kind):
    text, layout, values = TYPES[kind](random)
    return text.format(*values), struct.pack("=" + layout, *values)


def declarator(kind, name):
    base, _, count = kind.partition("[")
    return f"{base} {name}" + (f"[{count}" if count else "")


@step(4, "c")
def define(state, random):
    """A variable, made again with the same or another type. A cell that defines a name does not use it before: what is in
    place at its first statement is the language's matter, not the transaction's."""
    i, kind = random.randrange(VARIABLES), random.choice(sorted(TYPES))
    if f"v{i}" in state.defined | state.assigned or state.kept:
        return ""
    state.defined.add(f"v{i}")
    text, content = initialiser(random, kind)
    if state.variables.get(i, ("",))[0] != kind or kind.startswith("struct"):
        state.moved(f"v{i}")
    state.variables[i] = (kind, content)
    return f"{declarator(kind, f'v{i}')} = {text}; variables[{i}] = (struct variable){{ &v{i}, sizeof(v{i}) }}; "


@step(4)
def assign(state, random):
    i = any_of(random, [i for i, (kind, _) in state.variables.items() if "[" not in kind and "{" not in kind])
    if i is None:
        return ""
    kind = state.variables[i][0]
    text, content = initialiser(random, kind)
    state.variables[i] = (kind, content)
    state.assigned.add(f"v{i}")
    return f"v{i} = {text}; "


@step(3)
def define_function(state, random):
    i, a, b = random.randrange(FUNCTIONS), random.randint(-100, 100), random.randint(-100, 100)
    if f"f{i}" in state.defined | state.assigned or state.kept:
        return ""
    state.defined |= {f"f{i}", f"a{i}"}
    state.functions[i] = (a, b)
    return f"int32_t f{i}(int32_t x) {{ return x * {a} + {b}; }} "


@step(3)
def call(state, random):
    i, x = random.randrange(FUNCTIONS), random.randint(-1000, 1000)
    if f"f{i}" in state.defined:
        return ""
    state.assigned.add(f"f{i}")
    a, b = state.functions[i]
    state.answers[i] = int32(x * a + b)
    return f"answers[{i}] = f{i}({x}); "


@step(2)
def tick(state, random):
    state.ticks += 1
    return "ticks = tick(); "


# ---- what leaves no trace, or the same as plain code ----

@step(1)
def child(state, random):
    """What a forked child writes is its own."""
    i = any_of(random, state.blocks)
    if i is None:
        return ""
    end = random.choice(["_exit(0)", "*(volatile int *)0 = 1", "abort()"])
    return (f"{{ pid_t p = fork(); if (!p) {{ memset(blocks[{i}].at, 0xee, {len(state.blocks[i])}); ticks = -1; "
            f"free(malloc(5000000)); {end}; }} waitpid(p, NULL, 0); }} ")


@step(1)
def jump(state, random):
    state.ticks += 1
    return "if (!setjmp(back)) { ticks = tick(); longjmp(back, 1); } "


@step(0.5)
def checkpoint(state, random):
    """What the cell has done so far is kept, also when it fails later. Not what it defines, which is not tested here."""
    if state.defined:
        return ""
    fresh = set(state.fresh)
    state.kept = state.next()
    state.kept.fresh = fresh
    return "cgpu_checkpoint(); "


@step(1)
def refused(state, random):
    """A request that cannot be granted is a result, not a fault."""
    return random.choice(["{ void *p; if (cudaMalloc(&p, 1ull << 45) != cudaErrorMemoryAllocation) abort(); "
                          "cudaGetLastError(); } ",
                          "{ void *volatile p = malloc(SIZE_MAX / 2); if (p) abort(); } ",
                          "{ void *volatile p = calloc(SIZE_MAX / 2, 8); if (p) abort(); } "])
