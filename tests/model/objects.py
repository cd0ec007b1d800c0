# SPDX-License-Identifier: Apache-2.0
"""What a cell can do with the objects of definitions.cpp: steps as those of steps.py, in C++."""
from state import SHAPES, int32
from steps import step


def any_text(random):
    return "".join(random.choice("abcdefgh ") for _ in range(random.randrange(40)))


@step(4, "c++")
def append_text(state, random):
    added = any_text(random)
    state.text += added.encode()
    return f'text += "{added}"; '


@step(2, "c++")
def cut_text(state, random):
    at, n = random.randrange(len(state.text) + 1), random.randrange(30)
    state.text = state.text[:at] + state.text[at + n:]
    return f"text.erase({at}, {n}); "


@step(5, "c++")
def add_numbers(state, random):
    added = [random.randint(-1000, 1000) for _ in range(1 << random.randrange(9))]
    state.numbers = state.numbers + added
    state.moved("numbers")
    return f"numbers.insert(numbers.end(), {{ {', '.join(map(str, added))} }}); "


@step(2, "c++")
def sort_numbers(state, random):
    state.numbers = sorted(state.numbers)
    return "std::sort(numbers.begin(), numbers.end()); "


@step(2, "c++")
def change_numbers(state, random):
    k = random.randrange(1000)
    state.numbers = [n ^ k for n in state.numbers]
    return f"for (auto &n : numbers) n = [=](int32_t x) {{ return x ^ {k}; }}(n); "


@step(1, "c++")
def drop_numbers(state, random):
    state.numbers = []
    state.moved("numbers")
    return "numbers = std::vector<int32_t>(); "


@step(4, "c++")
def give_name(state, random):
    key, name = random.randrange(40), any_text(random)
    state.names[key] = name.encode()
    return f'names[{key}] = "{name}"; '


@step(2, "c++")
def forget_name(state, random):
    key = random.randrange(40)
    state.names.pop(key, None)
    return f"names.erase({key}); "


def put_shape(state, slot, shape):
    """A shape is destroyed when no slot has it any more."""
    old = state.shapes.get(slot)
    state.shapes.pop(slot, None)
    if shape is not None:
        state.shapes[slot] = shape
    if old is not None and old not in state.shapes.values():
        state.gone += 1


@step(4, "c++")
def make_shape(state, random):
    slot, kind, side = random.randrange(SHAPES), random.choice(["shape", "square"]), random.randrange(100)
    state.made += 1
    state.sides[state.made] = (kind, side)
    put_shape(state, slot, state.made)
    return f"shapes[{slot}] = std::make_shared<{kind}>({side}); "


@step(3, "c++")
def share_shape(state, random):
    slot, other = random.randrange(SHAPES), random.randrange(SHAPES)
    put_shape(state, slot, state.shapes.get(other))
    return f"shapes[{slot}] = shapes[{other}]; "


@step(2, "c++")
def drop_shape(state, random):
    slot = random.randrange(SHAPES)
    put_shape(state, slot, None)
    return f"shapes[{slot}].reset(); "


@step(2, "c++")
def grow_shape(state, random):
    slot, n = random.randrange(SHAPES), random.randrange(10)
    if slot in state.shapes:
        kind, side = state.sides[state.shapes[slot]]
        state.sides[state.shapes[slot]] = (kind, side + n)
    return f"if (shapes[{slot}]) shapes[{slot}]->side += {n}; "


@step(1, "c++")
def throw(state, random):
    """What was made on the way is destroyed again."""
    state.gone += 1
    return ('try { auto s = std::make_unique<square>(1); throw std::runtime_error("thrown"); } '
            "catch (const std::exception &) { } ")


@step(3, "c++")
def define_class(state, random):
    """Its variable, an inline function and a template of an earlier cell use the new one at once."""
    if "token" in state.defined | state.assigned or state.kept:
        return ""
    state.defined.add("token")
    state.worth = random.randint(-100, 100)
    state.priced = int32(2 * (state.coin * state.worth + 1))
    return (f"struct token {{ int32_t n; int32_t worth() const {{ return n * {state.worth}; }} }}; "
            "priced = twice_the_worth_of(coin); ")


@step(3, "c++")
def use_class(state, random):
    state.assigned.add("token")
    state.coin = random.randint(-1000, 1000)
    state.priced = int32(state.coin * state.worth + 1)
    return f"coin.n = {state.coin}; priced = worth_of(coin); "
