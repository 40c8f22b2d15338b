#!/usr/bin/env python3
"""Asks a PostgreSQL 15 what it says of documents, and writes it beside this file.

    containment.jsonl   stored @> wanted
    existence.jsonl     stored #> path ? keys[0], stored #> path ?| keys, stored #> path ?& keys
    paths.jsonl         stored #> path = wanted; jsonb_path_exists(stored, the path with [*], wanted)

Needs PostgreSQL 15's server programs (Debian: postgresql-15; PGBIN names their directory). Starts a private server in
a temporary directory on a Unix socket, asks it, and stops it. Run it as any user but root:

    python3 make-containment.py [directory to write to]
"""

import json
import os
import subprocess
import sys
import tempfile

PGBIN = os.environ.get("PGBIN", "/usr/lib/postgresql/15/bin")

# Every one of these is asked of every other.
CROSSED = [
    "{}", "[]", "null", "true", "1", "1.0", '"a"', "[1]", "[[1]]", "[null]", '["a"]', "[{}]", "[[]]", '{"a":1}', '{"a":null}',
    '{"a":{}}', '{"a":[]}', '{"a":[1]}', '{"a":{"b":1}}', '[{"a":1}]', '[1,[1]]', '{"a":[{"b":1}]}',
]

# stored, wanted: each pair is asked both ways.
PAIRS = [
    # numbers by value
    ("1", "1.00"), ("10", "1e1"), ("0", "-0"), ("0", "0.0"), ("-1", "-1.0"), ("0.1", "0.10"), ("1.5", "15e-1"), ("1", "true"), ("0", "false"), ("0", "null"),
    ("9007199254740993", "9007199254740992"), ("9007199254740993", "9007199254740993"),
    ("9223372036854775807", "9223372036854775806"), ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
    ("9007199254740992", "9007199254740992.0"), ("[1,2]", "[2.0]"), ('{"n":100}', '{"n":1e2}'), ('{"n":0.5}', '{"n":5e-1}'), ("1e300", "1e300"), ("1e300", "1e299"),
    # strings
    ('""', '""'), ('"a"', '"A"'), ('"a"', '"a "'), ('"1"', "1"), ('"true"', "true"), ('"null"', "null"), ('"é"', '"\\u00e9"'), ('"é"', '"e\\u0301"'), ('"a\\/b"', '"a/b"'),
    ('"\\ud83d\\ude00"', '"😀"'), ('"x"', '"xy"'), ('{"é":1}', '{"\\u00e9":1}'), ('"\\n"', '"\\u000a"'),
    # maps
    ('{"a":1,"b":2}', '{"a":1}'), ('{"a":1,"b":2}', '{"b":2,"a":1}'), ('{"a":1,"b":2}', '{"a":2}'), ('{"a":1}', '{"a":1,"b":null}'), ('{"a":null}', '{"b":null}'),
    ('{"a":{"b":{"c":1,"d":2}}}', '{"a":{"b":{"c":1}}}'), ('{"a":{"b":{"c":1}}}', '{"a":{"c":1}}'), ('{"a":{"b":1}}', '{"b":1}'), ('{"":1}', '{"":1}'), ('{"":{"":1}}', '{"":{}}'),
    ('{"a":{"b":[]}}', '{"a":{"b":{}}}'), ('{"a":{"b":{}}}', '{"a":{}}'), ('{"a":{"b":{}}}', '{"a":{"b":{}}}'), ('{"a":1}', '{"A":1}'), ('{"a":"1"}', '{"a":1}'),
    ('{"a":{"x":1},"b":{"x":2}}', '{"a":{"x":2}}'), ('{"a":true}', '{"a":true}'), ('{"a":true}', '{"a":false}'),
    # lists: any order, one item may serve twice
    ("[1,2,3]", "[3,1]"), ("[1,2,3]", "[1,1]"), ("[1,2,2]", "[1,2]"), ("[1]", "[1,1,1]"), ("[1,2]", "[1,3]"), ("[1,[2,3]]", "[[3]]"), ("[1,[2,3]]", "[2]"), ("[1,[2,3]]", "[[2],[3]]"),
    ("[[1,2],[3]]", "[[1,3]]"), ("[[1,2],[3,4]]", "[[2],[4],[1]]"), ("[[[1]]]", "[[1]]"), ("[[[1]]]", "[[[]]]"), ("[[]]", "[[[]]]"), ("[1,null]", "[null]"), ("[true]", "[1]"),
    ('[{"a":1},{"b":2}]', '[{"b":2}]'), ('[{"a":1},{"b":2}]', '[{"a":1,"b":2}]'), ('[{"a":1,"b":2}]', '[{"a":1},{"b":2}]'), ('[{"a":[1,2]}]', '[{"a":[2]}]'), ('[{"a":1}]', '{"a":1}'),
    ('["a","b"]', '["b","a","b"]'), ('["a","b"]', '"b"'), ('["a","b"]', '"c"'), ("[[1]]", "1"), ('[["a"]]', '"a"'), ("[1,2]", "2.0"), ("[null]", "null"), ("[false]", "false"), ("[]", "null"),
    # the special case of a bare scalar holds at the top level only
    ('{"a":[1,2]}', '{"a":1}'), ('{"a":["x"]}', '{"a":"x"}'), ("[[1,2]]", "[1]"), ('[{"a":[1]}]', '[{"a":1}]'), ("1", "[1]"), ('"a"', '["a"]'), ("null", "[]"), ("1", "[]"),
    # documents as they come
    ('{"commits":[{"author":{"email":"test@gmail.com","name":"t"},"sha":"1"},{"author":{"email":"o@x.org"}}],"size":2}', '{"commits":[{"author":{"email":"test@gmail.com"}}]}'),
    ('{"commits":[{"author":{"email":"test@gmail.com","name":"t"},"sha":"1"},{"author":{"email":"o@x.org"}}],"size":2}', '{"commits":[{"author":{"email":"test@gmail.com"},"sha":"2"}]}'),
    ('{"commits":[{"author":{"email":"a"},"sha":"1"},{"author":{"email":"b"},"sha":"2"}]}', '{"commits":[{"author":{"email":"a"},"sha":"2"}]}'),
    ('{"commits":[{"author":{"email":"a"},"sha":"1"},{"author":{"email":"b"},"sha":"2"}]}', '{"commits":[{"author":{"email":"a"}},{"sha":"2"}]}'),
    ('{"commits":[{"author":{"email":"a"}}]}', '{"commits":{"author":{"email":"a"}}}'), ('{"commits":[]}', '{"commits":[{}]}'), ('{"commits":[{"distinct":true}]}', '{"commits":[{"distinct":true}]}'),
    ('{"tags":["nosql","disk"],"owner":{"id":7,"teams":[{"n":"core"},{"n":"web"}]}}', '{"owner":{"teams":[{"n":"web"}]},"tags":["disk"]}'),
    ('{"tags":["nosql","disk"],"owner":{"id":7,"teams":[{"n":"core"},{"n":"web"}]}}', '{"owner":{"teams":["web"]}}'),
    ('{"foo":{"bar":"baz"}}', '{"bar":"baz"}'), ('{"foo":{"bar":"baz"}}', '{"foo":{}}'), ('{"foo":["bar",{"baz":[1,{"deep":null}]}]}', '{"foo":[{"baz":[{"deep":null}]}]}'),
    ('{"foo":["bar",{"baz":[1,{"deep":null}]}]}', '{"foo":[{"baz":[{"deep":0}]}]}'), ('[1,"1",null,true,{"a":[]},[]]', '[[],{"a":[]},true,null,"1",1]'),
]


# Every one of EXISTING's documents is asked for every list of keys, at every path of it.
EXISTING = [
    ("{}", [[]]), ("[]", [[]]), ("null", [[]]), ("1", [[]]), ('"a"', [[]]), ('""', [[]]), ("true", [[]]),
    ('{"a":1,"b":null}', [[], ["a"], ["b"], ["c"]]), ('{"a":{"b":{"c":1}}}', [[], ["a"], ["a", "b"]]), ('{"":1}', [[]]), ('{"é":{"a":"é"}}', [[], ["é"], ["é", "a"]]),
    ('["a","b",["c"],{"d":1},1,null]', [[], [0], [2], [3], [-2], [-6], [9]]), ('[["a","b"],["b"]]', [[], [0], [-1], [0, 1], [-3]]),
    ('{"tags":["a","b"],"owner":{"a":1},"name":"a"}', [[], ["tags"], ["owner"], ["name"], ["tags", 1], ["tags", -2], ["tags", "x"]]),
    ('{"1":"a","a":["1",1]}', [[], ["a"], ["1"]]), ('{"A":1,"a ":2}', [[]]),
]
KEYS = [["a"], ["b"], ["é"], ["a", "b"], ["a", "z"], ["z", "y"], ["a", "a"], ["1"], [""], []]

# stored, path, wanted: asked with #>.
EQUAL = [
    (stored, path, wanted)
    for stored, path in [
        ('{"a":{"b":1}}', ["a", "b"]), ('{"a":{"b":1.0}}', ["a", "b"]), ('{"a":[1,"1",null]}', ["a", 0]), ('{"a":[1,"1",null]}', ["a", 1]), ('{"a":[1,"1",null]}', ["a", -1]),
        ('{"a":[1,"1",null]}', ["a", -3]), ('{"a":[1,"1",null]}', ["a", -4]), ('{"a":[1,"1",null]}', ["a", 3]), ('{"a":null}', ["a"]), ("{}", ["a"]), ("[[1,[2]],{\"b\":[]}]", [0, 1, 0]),
        ("[[1,[2]],{\"b\":[]}]", [1, "b"]), ("[[1,[2]],{\"b\":[]}]", [0, 1]), ('{"a":{"x":1,"y":[2]}}', ["a"]), ("1", ["a"]), ("1", [0]), ('{"a.b":1,"a":{"b":2}}', ["a.b"]),
    ]
    for wanted in ["1", "1.00", '"1"', "null", "2", "[2]", "[2.0]", "[]", '{"y":[2],"x":1}', '{"x":1}', "true"]
]

# stored, path: asked for every scalar. `*` is [*]; a key is asked of maps only and a position of lists only, as strict paths have it, but what is not there is passed over.
EVERY = [
    ('{"a":[{"b":1},{"b":2},{"c":1}]}', ["a", "*", "b"]), ('{"a":[{"b":1},{"b":2},{"c":1}]}', ["a", "*", "c"]), ('{"a":[{"c":1},{"b":"x"}]}', ["a", "*", "b"]), ('{"a":[]}', ["a", "*", "b"]),
    ('{"a":[null,{"b":null},{"b":true}]}', ["a", "*", "b"]), ("[1,2.0,\"x\",null,false]", ["*"]), ("[[1],[2,\"x\"],3]", ["*", "*"]), ("[[1],[2,\"x\"],3]", ["*", 1]), ("[[1],[2,\"x\"],3]", ["*", 0]),
    ('{"a":{"b":1}}', ["a", "b"]), ("{}", ["a", "*"]), ('{"a":[{"b":[{"c":1},{"c":"x"}]},{"b":[{"c":2}]}]}', ["a", "*", "b", "*", "c"]),
    ('{"a":[{"b":[{"c":1},{"c":"x"}]},{"b":[{"c":2}]}]}', ["a", 1, "b", "*", "c"]),
]
# Where lax paths, which look into lists without being told to, say something else.
STRICT_ONLY = [
    ('{"a":[[{"b":1}],{"b":[2]}]}', ["a", "*", "b", "*"]), ('{"a":{"b":1}}', ["a", "*", "b"]), ('{"a":[[{"b":1}]]}', ["a", "*", "b"]), ('{"a":[{"b":[1,2]}]}', ["a", "*", "b"]), ("1", ["*"]), ('{"a":1}', ["a", "*"]), ("[[1]]", ["*"]), ('{"a":[{"b":1}]}', ["a", "b"]), ("[1]", []), ("1", [0]),
]
SCALARS = ["1", "2", "1.0", '"x"', "null", "true", "false"]


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def array(texts):
    return "ARRAY[" + ",".join(quoted(str(text)) for text in texts) + "]::text[]"


def lax(path):
    steps = "".join("[*]" if step == "*" else f".{json.dumps(step, ensure_ascii=False)}" if isinstance(step, str) else f"[{step}]" for step in path)
    return f"lax ${steps} ? (@ == $wanted)"


def strict(path):
    """Guards each step, as strict paths give up at the first thing that is not there."""
    steps = ""
    for step in path:
        if step == "*":
            steps += ' ? (@.type() == "array")[*]'
        elif isinstance(step, int):
            steps += f' ? (@.type() == "array" && @.size() > {step})[{step}]'
        else:
            key = json.dumps(step, ensure_ascii=False)
            steps += f' ? (@.type() == "object" && exists(@.{key})).{key}'
    return f"strict ${steps} ? (@ == $wanted)"


def containment():
    cases = [(stored, wanted) for stored in CROSSED for wanted in CROSSED]
    cases += [case for stored, wanted in PAIRS for case in ((stored, wanted), (wanted, stored))]
    for stored, wanted in dict.fromkeys(cases):
        yield {"stored": stored, "wanted": wanted}, f"{quoted(stored)}::jsonb @> {quoted(wanted)}::jsonb"


def existence():
    for stored, paths in EXISTING:
        for path in paths:
            for keys in KEYS:
                at = f"({quoted(stored)}::jsonb #> {array(path)})"
                yield {"stored": stored, "path": path, "op": "hasAny", "keys": keys}, f"{at} ?| {array(keys)}"
                yield {"stored": stored, "path": path, "op": "hasAll", "keys": keys}, f"{at} ?& {array(keys)}"
                if len(keys) == 1:
                    yield {"stored": stored, "path": path, "op": "has", "keys": keys}, f"{at} ? {quoted(keys[0])}"


def paths():
    for stored, path, wanted in EQUAL:
        yield {"stored": stored, "path": path, "wanted": wanted}, f"({quoted(stored)}::jsonb #> {array(path)}) = {quoted(wanted)}::jsonb"
    for shapes, ways in [(EVERY, [lax, strict]), (STRICT_ONLY, [strict])]:
        for stored, path in shapes:
            for way in ways:
                for wanted in SCALARS:
                    variables = f"jsonb_build_object('wanted', {quoted(wanted)}::jsonb)"
                    yield {"stored": stored, "path": path, "wanted": wanted}, f"jsonb_path_exists({quoted(stored)}::jsonb, {quoted(way(path))}::jsonpath, {variables})"


def answers(home, questions):
    """What PostgreSQL says of each; of what is not there it says nothing, which is no."""
    asked = "\n".join(f"SELECT coalesce(({question}), false);" for question in questions)
    return run(f"{PGBIN}/psql", "-h", home, "-U", "tessera", "-d", "postgres", "-XAtq", "-v", "ON_ERROR_STOP=1", "-f", "-", input=asked).split()


def main():
    directory = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as home:
        run(f"{PGBIN}/initdb", "-D", f"{home}/data", "-U", "tessera", "-E", "UTF8", "--no-locale", "-A", "trust")
        log = f"{home}/log"
        run(f"{PGBIN}/pg_ctl", "-D", f"{home}/data", "-w", "-l", log, "-o", f"-k {home} -c listen_addresses=''", "start", stdin=subprocess.DEVNULL)
        try:
            for name, cases in [("containment", containment()), ("existence", existence()), ("paths", paths())]:
                cases, questions = zip(*cases)
                said = answers(home, questions)
                if len(said) != len(cases):
                    sys.exit(f"{name}: {len(cases)} cases, {len(said)} answers")
                lines = dict.fromkeys(json.dumps({**case, "expected": answer == "t"}, ensure_ascii=False) for case, answer in zip(cases, said))
                with open(f"{directory}/{name}.jsonl", "w", encoding="utf-8") as file:
                    file.writelines(f"{line}\n" for line in lines)
        finally:
            run(f"{PGBIN}/pg_ctl", "-D", f"{home}/data", "-m", "immediate", "stop")


main()
