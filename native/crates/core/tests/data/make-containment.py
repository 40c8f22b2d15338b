#!/usr/bin/env python3
"""Writes containment.jsonl: documents, wanted documents, and what PostgreSQL 15 says of `stored @> wanted`.

Needs PostgreSQL 15's server programs (Debian: postgresql-15; PGBIN names their directory). Starts a private server in
a temporary directory on a Unix socket, asks it, and stops it. Run it as any user but root:

    python3 make-containment.py > containment.jsonl
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


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def main():
    cases = [(stored, wanted) for stored in CROSSED for wanted in CROSSED]
    cases += [case for stored, wanted in PAIRS for case in ((stored, wanted), (wanted, stored))]
    cases = list(dict.fromkeys(cases))
    with tempfile.TemporaryDirectory() as home:
        run(f"{PGBIN}/initdb", "-D", f"{home}/data", "-U", "tessera", "-E", "UTF8", "--no-locale", "-A", "trust")
        log = f"{home}/log"
        run(f"{PGBIN}/pg_ctl", "-D", f"{home}/data", "-w", "-l", log, "-o", f"-k {home} -c listen_addresses=''", "start", stdin=subprocess.DEVNULL)
        try:
            quoted = [[text.replace("'", "''") for text in case] for case in cases]
            values = ",".join(f"({n},'{stored}'::jsonb,'{wanted}'::jsonb)" for n, (stored, wanted) in enumerate(quoted))
            query = f"SELECT stored @> wanted FROM (VALUES {values}) AS cases (n, stored, wanted) ORDER BY n"
            answers = run(f"{PGBIN}/psql", "-h", home, "-U", "tessera", "-d", "postgres", "-XAt", "-f", "-", input=query).split()
        finally:
            run(f"{PGBIN}/pg_ctl", "-D", f"{home}/data", "-m", "immediate", "stop")
    if len(answers) != len(cases):
        sys.exit(f"{len(cases)} cases, {len(answers)} answers")
    for (stored, wanted), answer in zip(cases, answers):
        print(json.dumps({"stored": stored, "wanted": wanted, "expected": answer == "t"}, ensure_ascii=False))


main()
