"""Writes reference.jsonl: texts, and what Python's ast.literal_eval makes of them.

    python3 reference.py > reference.jsonl

A line has the text, and its value with tags for the types, or null where
Python refuses the text, and whether it is what repr writes.
"""

import ast
import json
import warnings

warnings.simplefilter("ignore")

BACKSLASHES = [rf"'\{c}'" for c in "abcdefghijklmnopqrstuvwxyz0123456789'\"ABDEFGZ .-\\"]

TEXTS = [
    "None", "True", "False", "none", "null", "true", "NaN", "inf", "x", "", " ", "\n1\n", " 1", "1 ", "\t'a'\n\n", "\f1",
    "0", "00", "0_0", "007", "1_000", "1__0", "_1", "1_", "0x1F", "0X_ff", "0x", "0xg", "0o17", "0O8", "0b101", "0b2",
    "1.", ".5", "1.5e3", "1e5", "1E+5", "1e-5", "1e", "1.e1", "1_0.0_1e1_0", ".", "1..2", "1.2.3", "1e5.0", "0xe-1",
    "01.5", "08.5", "09e1", "-1", "+1", "- 1", "-1.5", "--1", "+-1", "-", "-True", "-'a'", "1abc", "1-2", "1 2",
    "123456789012345678901234567890", "-0", "-0.0",
    "'a'", '"a"', "'it\\'s'", '"it\'s"', "'a\"b'", "'''a'''", '"""a"b""c"""', "'''a\nb'''", "'''a\r\nb\rc'''", "'a\nb'",
    "'a\\\nb'", "'a\\\r\nb'", "'''a''", "''", '""', "''''''", "'a", '"a', "'", "'\\'", "'\\", "'a''b'", "'a' 'b'", "'a'\n'b'", "('a'\n'b')",
    "'a' \"b\" '''c'''", "r'\\n'", "R'a\\'b'", "r'\\'", "r'a\\\\'", "u'a'", "U'a'", "ur'a'", "b'a'", "B'\\xff'", "b'\\u0041'", "b'\u00e9'",
    "rb'\\n'", "bR'\\n'", "Rb'\\n'", "rbr'a'", "b'a' 'b'", "b'a' b'b'", "x'a'", "b'\\777'", "bb'a'",
    "'\\x41'", "'\\x4'", "'\\xg1'", "'\\101'", "'\\1011'", "'\\08'", "'\\377'", "'\\777'", "'\\u00e9'", "'\\u00e'", "'\\U0001F600'", "'\\U00110000'",
    "'\u00e9'", "'\u2019'", "'\U0001f600'", "'\\0'", "'\\q'", "'\\ '", "'\\N'",
    "[]", "[1]", "[1,]", "[1, 2]", "[,]", "[1,,2]", "[1 2]", "[", "]", "[1", "[1,", "[[1], []]", "[\n1,\n2\n]",
    "()", "(1)", "(1,)", "(1, 2)", "((1))", "((1,),)", "(,)", "(", "(1", "('a')", "(\n1\n,\n)",
    "{}", "{1: 2}", "{1: 2,}", "{'a': {'b': []}}", "{'a' 'b': 1}", "{1: 2, 1: 3}", "{[]: 1}", "{(1, 2): 3}", "{{}: 1}", "{,}", "{1:}", "{1}", "{:1}",
    "{1: 2 3: 4}", "{", "{1", "{1:", "{1: 2", "{'a': 1\n}", "{None: True}",
    "[1)", "(1]", "{1: 2]", "f'a'", "[1] [2]", "1 + 1", "a.b", "len([])", "[x for x in []]", "lambda: 0", "'a' % 1", "1 if 1 else 2",
    "{'1_0': {'Supporting Characters': \"Li's\", 'Description': 'a\\u2019b', 'Relationship': 'x \"y\" z'}}",
    "['4_0_0', '4_0_0#0']",
]


def tagged(v):
    if v is None:
        return ["None"]
    if isinstance(v, bool):
        return ["a boolean", str(v)]
    if isinstance(v, int):
        return ["an integer", str(v)]
    if isinstance(v, float):
        return ["a float", v]
    if isinstance(v, str):
        v.encode()  # halves of surrogate pairs are no characters
        return ["a string", v]
    if isinstance(v, bytes):
        return ["a byte string", v.hex()]
    if isinstance(v, list):
        return ["a list", [tagged(x) for x in v]]
    if isinstance(v, tuple):
        return ["a tuple", [tagged(x) for x in v]]
    if isinstance(v, dict):
        return ["a dict", [[tagged(k), tagged(x)] for k, x in v.items()]]
    raise ValueError(type(v))


REPRS = [repr(v) for v in (
    "it's", 'a"b\'c', "\t\r\n\x7f\\\x00\x1b", "\u00e9\u200b\xa0\U0001f600\U000e0001", "{'a': [1]}", 1e-07, 1e22, -1.5, 10**30,
    [None, True, -1], ((1,), ()), {"a": {"b": [(1, 2), {}]}, 3: None, None: "x", (1,): []}, "\u2028\ud7ff\u0130",
)]

for text in TEXTS + BACKSLASHES + REPRS:
    try:
        read = ast.literal_eval(text)
        value = tagged(read)
    except (ValueError, SyntaxError, TypeError, UnicodeError):
        read, value = None, None
    print(json.dumps({"text": text, "value": value, "repr": value is not None and repr(read) == text and not isinstance(read, bytes)}))
