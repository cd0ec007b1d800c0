# SPDX-License-Identifier: Apache-2.0
"""Papermill's parameters for the kernels cgpu and cgpu-cpp: the injected cell is declarations of C or C++.

A parameter has the type that the cell tagged "parameters" declares for it where that type holds the value: -p x 3 for
`double x = 2.5;` is `double x = 3.0;`. Otherwise it has the type of the value. What cannot be said in C is a
ParameterError that names the parameter.

Papermill has no entry point for translators. It loads those of the group papermill.engine whenever it is imported, so
this module is registered as one, and registers its translators as it is loaded. The engine `cgpu` is papermill's own.
"""
import math
import re
import weakref
from dataclasses import dataclass

from papermill.engines import NBClientEngine
from papermill.exceptions import PapermillException
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators

__version__ = "0.1.0"

C_KEYWORDS = frozenset("""
    asm auto bool break case char const constexpr continue default do double else enum extern false float for goto if
    inline int long nullptr register restrict return short signed sizeof static static_assert struct switch thread_local
    true typedef typeof union unsigned void volatile while
    _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
    """.split())
CPP_KEYWORDS = (C_KEYWORDS - {"restrict", "typeof"}) | frozenset("""
    alignas alignof and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl
    concept consteval constinit const_cast decltype delete dynamic_cast explicit export friend mutable namespace new
    noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template this
    throw try typeid typename using virtual wchar_t xor xor_eq""".split())


@dataclass(frozen=True)
class Language:
    name: str
    keywords: frozenset
    null: str
    text: str  # the type of a str


C = Language("C", C_KEYWORDS, "NULL", "const char *")
CPP = Language("C++", CPP_KEYWORDS, "nullptr", "std::string")

MACRO = "#define"
# What may stand in front of a type and is kept whatever the type becomes.
SPECIFIERS = {"static", "inline", "constexpr", "volatile", "__device__", "__constant__", "__managed__"}
NUMBER_WORDS = {"signed", "unsigned", "short", "long", "int", "char"}
INTEGER_NAMES = {"size_t": 64, "uintptr_t": 64, "ssize_t": -64, "ptrdiff_t": -64, "intptr_t": -64,
                 **{f"{u}int{n}_t": n if u else -n for u in ("", "u") for n in (8, 16, 32, 64)}}  # below 0: signed
FLOAT_MAX = (2 - 2 ** -23) * 2.0 ** 127
POINTERS_TO_TEXT = {"const char *", "char const *", "char *"}
HEADERS = (("std::string_view", "string_view"), ("std::string", "string"), ("std::vector", "vector"),
           ("INFINITY", "math.h"), ("NAN", "math.h"))
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\000"}


class ParameterError(PapermillException):
    """A parameter that cannot be a variable of C."""


class NoWay(Exception):
    """Says why a value cannot be written in C; becomes a ParameterError once its parameter is known."""


# --- Literals ---

def integer_literal(value):
    if value == -2 ** 63:
        return "(-9223372036854775807LL - 1)"  # 9223372036854775808 is of no signed type
    return f"{value}{'ULL' if value >= 2 ** 63 else 'LL' if not -2 ** 31 <= value < 2 ** 31 else ''}"


def float_literal(value):
    """The shortest that is read as this very double."""
    if math.isfinite(value):
        return repr(value)
    return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"


def escape(text):
    """The inside of a string literal. What cannot be seen is written as the bytes of its UTF-8; three octal digits end
    by themselves, as \\x does not."""
    try:
        seen = [ESCAPES.get(c) or (c if c.isprintable() else "".join(f"\\{byte:03o}" for byte in c.encode()))
                for c in text]
    except UnicodeEncodeError:
        raise NoWay("it has half of a surrogate pair, which UTF-8 cannot hold") from None
    return "".join(seen).replace("??", "?\\?").replace("??", "?\\?")  # twice: no two of three may be a trigraph's


def text_literal(text, for_string=False):
    """for_string: of std::string, which may have a NUL inside."""
    literal = f'"{escape(text)}"'
    if "\0" not in text:
        return literal
    if not for_string:
        raise NoWay("it has a NUL character, which ends a string of C")
    return f"{{{literal}, {len(text.encode())}}}"


# --- A value in its own type ---

def integer_type(values):
    """The first of the three types that holds all values."""
    for name, low, high in (("int", -2 ** 31, 2 ** 31), ("long long", -2 ** 63, 2 ** 63),
                            ("unsigned long long", 0, 2 ** 64)):
        if all(low <= value < high for value in values):
            return name
    raise NoWay(f"{min(values) if min(values) < -2 ** 63 else max(values)} does not fit into the 64 bits that an "
                "integer may have; pass it as a float or, with -r, as a text")


def kind(value):
    """int, float, bool, str or NoneType; of classes that papermill's YAML knows no other is a scalar."""
    if type(value) in (int, float, bool, str, type(None)):
        return type(value)
    raise NoWay(f"a {type(value).__name__} cannot be passed: "
                "it must be a number, a text, true or false, null, a list or a dict")


def common_type(values, language):
    """The type of the elements of an array."""
    kinds = {kind(value) for value in values}
    if kinds == {int}:
        return integer_type(values)
    if kinds <= {int, float}:
        if all(initializer("double", value, language) for value in values):
            return "double"
        raise NoWay("it has an integer that a double does not hold exactly, beside floats")
    if kinds == {bool}:
        return "bool"
    if kinds == {str}:
        return language.text
    raise NoWay(f"its elements are of different kinds ({', '.join(sorted(k.__name__ for k in kinds))}), or null: those "
                "of an array of C are all numbers, all texts, or all true and false")


def shape(value):
    """(dimensions, elements) of a list, whose lists must all be of one shape."""
    if not isinstance(value, list):
        return (), [value]
    if not value:
        raise NoWay("it is or has an empty list: an array of C has an element")
    parts = [shape(part) for part in value]
    if len({dimensions for dimensions, _ in parts}) > 1:
        raise NoWay("its lists have different lengths, which an array of C cannot have")
    return (len(value), *parts[0][0]), [element for _, elements in parts for element in elements]


def braces(value, write):
    """A list as an initializer, its elements as write() says."""
    return "{" + ", ".join(braces(v, write) for v in value) + "}" if isinstance(value, list) else write(value)


def array(element, dimensions, value, language):
    """(type of an element, dimensions, initializer) of a list."""
    return element, "".join(f"[{n}]" for n in dimensions), braces(value, lambda v: initializer(element, v, language))


def own(value, language, tag=""):
    """(type, dimensions, initializer) of a value for which no type is declared. tag: that of the struct of a dict."""
    if isinstance(value, dict):
        if not value:
            raise NoWay("an empty dict would be a struct without members")
        members, texts = "", []
        for name, part in value.items():
            check_name(name, language)
            part_type, dimensions, text = own(part, language)
            members += f" {declarator(part_type, name, dimensions)};"
            texts.append(f".{name} = {text}")
        return f"struct {tag}{' ' if tag else ''}{{{members} }}", "", f"{{{', '.join(texts)}}}"
    if isinstance(value, list):
        dimensions, elements = shape(value)
        if any(isinstance(element, dict) for element in elements):
            raise NoWay("a list of dicts cannot be passed; a dict of lists can")
        return array(common_type(elements, language), dimensions, value, language)
    if kind(value) is type(None):
        return "void *", "", language.null
    own_type = common_type([value], language)
    return own_type, "", initializer(own_type, value, language)


# --- A value in the type that is declared ---

def integer_range(name):
    words = name.split()
    bits = INTEGER_NAMES.get(name.removeprefix("std::"))
    if bits is None and words and set(words) <= NUMBER_WORDS:
        bits = 8 if "char" in words else 16 if "short" in words else 64 if "long" in words else 32
        bits *= 1 if "unsigned" in words else -1
    return bits and (range(-2 ** (-bits - 1), 2 ** (-bits - 1)) if bits < 0 else range(2 ** bits))


def number(name, value):
    """An initializer of a number; None where the value would change."""
    integers = integer_range(name)
    if integers:
        return integer_literal(int(value)) if isinstance(value, int) and value in integers else None
    if name in ("bool", "_Bool"):
        return ("false", "true")[value] if isinstance(value, int) and value in (0, 1) else None
    if isinstance(value, float):
        return None if name == "float" and FLOAT_MAX < abs(value) < math.inf else float_literal(value)
    exact = 2 ** 24 if name == "float" else 2 ** 53
    return float_literal(float(value)) if type(value) is int and -exact <= value <= exact else None


def initializer(name, value, language):
    """value as C for an object of the type; None where the type does not hold it."""
    if name in ("bool", "_Bool", "float", "double", "long double") or integer_range(name):
        return number(name, value)
    if name.endswith("*"):
        if value is None:
            return language.null
        return text_literal(value) if isinstance(value, str) and name in POINTERS_TO_TEXT else None
    if name in ("std::string", "std::string_view"):
        return text_literal(value, for_string=True) if isinstance(value, str) else None
    vector = re.fullmatch(r"std::vector<(.+)>", name)
    if vector:
        parts = [initializer(vector[1].strip(), v, language) for v in value] if isinstance(value, list) else [None]
        return None if None in parts else f"{{{', '.join(parts)}}}"
    if name == "auto" or isinstance(value, list) or name.startswith("struct ") and not isinstance(value, dict):
        return None
    # A struct or a typedef of the user: the compiler says whether the value fits.
    return own(value, language)[2]


@dataclass(frozen=True)
class Declared:
    """How the cell tagged "parameters" declares a name; a type of MACRO is that of a #define."""
    specifiers: str
    type: str
    dimensions: str

    @classmethod
    def parse(cls, type_text, dimensions):
        words = re.sub(r"(\w)\s*\*", r"\1 *", " ".join(type_text.split())).split(" ")
        specifiers = []
        while words and (words[0] in SPECIFIERS or words[0] == "const" and "*" not in type_text):
            specifiers.append(words.pop(0))
        return cls("".join(word + " " for word in specifiers), " ".join(words), "".join(dimensions.split()))

    def __str__(self):
        return f"{self.specifiers}{self.type}{self.dimensions}"

    def fit(self, value, language):
        """(type, dimensions, initializer); None where the declared type does not hold the value."""
        if not self.dimensions:
            text = initializer(self.type, value, language)
            return text and (self.type, "", text)
        if isinstance(value, str) and self.type == "char" and self.dimensions.count("[") == 1:
            room = self.dimensions.strip("[]")
            fits = room.isdecimal() and len(value.encode()) < int(room)
            return "char", self.dimensions if fits else "[]", text_literal(value)
        if not isinstance(value, list):
            return None
        dimensions, elements = shape(value)
        if any(initializer(self.type, element, language) is None for element in elements):
            return None
        return array(self.type, dimensions, value, language)


# --- The two cells ---

def check_name(name, language):
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name):
        raise NoWay(f"{name!r} is no name of {language.name}: letters of English, digits and _, with no digit in front")
    if name in language.keywords:
        raise NoWay(f"'{name}' is a keyword of {language.name}")


def declarator(type_name, name, dimensions):
    return f"{type_name}{'' if type_name.endswith('*') else ' '}{name}{dimensions}"


def declaration(name, value, declared, language):
    check_name(name, language)
    if declared and declared.type == MACRO:
        if isinstance(value, (list, dict)):
            raise NoWay(f"the parameters cell has it as a macro, which cannot be a {type(value).__name__}")
        text = text_literal(value) if isinstance(value, str) else own(value, language)[2]
        return f"{MACRO} {name} {f'({text})' if text.startswith('-') else text}"
    type_name, dimensions, text = declared and declared.fit(value, language) or own(value, language, name)
    return f"{declared.specifiers if declared else ''}{declarator(type_name, name, dimensions)} = {text};"


# A declaration is known if it has a line for itself, as parameters have: anything else needs a parser of C.
LINE = re.compile(r"""[ \t]*(?P<type>[A-Za-z_][\w:<>, ]*?(?:[ ]*\*[ ]*|[ ]+))(?P<name>[A-Za-z_]\w*)[ ]*"""
                  r"""(?P<dimensions>(?:\[[^\]]*\][ ]*)*)=[ ]*(?P<value>.+?)[ ]*;[ \t]*(?P<rest>(?://|/\*).*)?""")
DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]+(?P<value>.*?)[ \t]*(?P<rest>(?://|/\*).*)?")
MORE = re.compile(r",[ *]*[A-Za-z_]\w*[ ]*=")  # a second variable
NO_VARIABLE = {"typedef", "using", "extern", "return", "namespace", "template", "friend"}


def variables(source):
    """(name, Declared, value, help) of each line that declares a variable with an initializer, or a macro with a value."""
    found = []
    for line in source.split("\n"):
        macro = DEFINE.fullmatch(line)
        part = macro or LINE.fullmatch(line)
        if not part or not part["value"]:
            continue
        if not macro and (MORE.search(part["value"]) or part["type"].split()[0] in NO_VARIABLE):
            continue
        declared = Declared("", MACRO, "") if macro else Declared.parse(part["type"], part["dimensions"])
        said = (part["rest"] or "").lstrip("/* \t").removesuffix("*/").rstrip()
        found.append((part["name"], declared, part["value"], said))
    return found


class CTranslator(Translator):
    """Papermill asks inspect() for the names of the parameters cell, and then codify() for the cell behind it."""

    def __init__(self, language):
        self.language = language
        self.cell, self.declared = lambda: None, {}  # a weak reference: another notebook's types are of no use

    def comment(self, cmt_str):
        return f"// {cmt_str}"

    def codify(self, parameters, comment="Parameters"):
        """The injected cell. Raises ParameterError."""
        declared, lines = self.declared if self.cell() is not None else {}, []
        self.cell = lambda: None
        for name, value in parameters.items():
            try:
                lines.append(declaration(name, value, declared.get(name), self.language))
            except NoWay as why:
                raise ParameterError(f"parameter '{name}': {why}") from None
        code = re.sub(r'"(?:\\.|[^"\\])*"', "", "\n".join(lines))
        headers = dict.fromkeys(header for word, header in HEADERS if re.search(rf"\b{word}\b", code))
        return "".join(line + "\n" for line in (self.comment(comment), *(f"#include <{h}>" for h in headers), *lines))

    def inspect(self, parameters_cell):
        """Parameter of each name; [] where none is understood."""
        found = variables(parameters_cell["source"])
        self.cell, self.declared = weakref.ref(parameters_cell), {name: declared for name, declared, _, _ in found}
        return [Parameter(name, str(declared), value, text) for name, declared, value, text in found]


class Engine(NBClientEngine):
    """What --engine cgpu names: it runs notebooks as papermill does without that option."""


def register():
    """Other kernels of these languages are served as well, where papermill has nothing for them."""
    for translator, *names in ((CTranslator(C), "cgpu", "c"), (CTranslator(CPP), "cgpu-cpp", "c++")):
        for name in names:
            try:
                papermill_translators.find_translator(name, name)
            except PapermillException:
                papermill_translators.register(name, translator)


register()
