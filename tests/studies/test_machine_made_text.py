"""Machine-made overrides and YAML files, `--cfg job` behind each: refused in sentences or resolved, within 2 s of CPU.

Each is a process of its own, forked from one that has loaded what a command loads, so that the user time the system
counts for it is that of the input beyond start-up.
"""

import contextlib
import io
import os
import random
from collections import Counter
from pathlib import Path

import pytest

from catenary.spec.keys import KeyTree
from optimise.spec.jobs import OptimiseJob
from studies.cli import main

MOST_USER_S = 2.0
CONF = Path(__file__).resolve().parents[2] / "conf"
LINE = (CONF / "catenary" / "bruni_2015.yaml").read_text(encoding="utf-8")
PANTOGRAPH = (CONF / "pantograph" / "dsa380.yaml").read_text(encoding="utf-8")
PATHS = KeyTree(OptimiseJob).paths
COMMANDS = ("simulate", "optimise", "sweep", "sensitivity", "export")
RAW = (
    "Traceback",
    "an error of the program",
    "Input should",
    "validation error",
    "pydantic",
    "NoneType",
    "object at 0x",
)
SCALARS = [
    "{{ span }}", "{{span}}", "9" * 401, "9" * 5000, "0x" + "f" * 4000, "-" + "1" * 330, "1e99999", ".nan", "-.inf",
    "!!timestamp 'x'", "!!int 'x'", "!!bool 'x'", "!!float x", "!!binary x", "!!set {a, b}", "!!omap 3", "!x y", "! y",
    "!!python/object/apply:os.system ['true']", "2026-13-45", "12:30:15", "1:" + "59:" * 400 + "59", "0x_", "0b_", "08",
    "1_000", "=", "<<", "~", "'", '"', "\\", "|", ">", "%", "@x", "`x", "&a 1", "*a", "${oc.env:HOME}", "[", "]",
     "{", "}",
    "[1, [2, [3]]]", "{a: {b: 1}}", "[[[]]]", "? x", "- 1", ": ", "a: b", "# c", "\t", "\\x00", '"\\0"', '"\\ud800"',
    '"\\e[2J"', "\u202e", "\ufeff", "é", "中", "😀", "x" * 100_000, "[" * 2000, "[" * 2000 + "]" * 2000, "{a: " * 2000,
    "(" * 2000, "choice(1,2)", "glob(*)", "float(3)", "1,2", "a=b", "null", "true", "{}", "[]", "275", "1e3", "-1",
    "0.5",
]  # fmt: skip
BIG = [
    lambda r: "[" + ",".join(["1.5"] * 20_000) + "]",
    lambda r: "[" + ",".join(str(r.random()) for _ in range(5_000)) + "]",
    lambda r: "{" + ",".join(f"k{i}: {i}" for i in range(10_000)) + "}",
    lambda r: "[" + ",".join(["[1]"] * 9_000) + "]",
    lambda r: "'" + "\\'" * 40_000 + "'",
]


def made_override(r: random.Random) -> str:
    """One override: a key that is known or nearly, and a value of any kind."""
    key = r.choice(PATHS)
    wrong = r.random()
    if wrong < 0.1:
        key = r.choice(
            [key[:-1], key + ".x", key + "." * r.randint(1, 50), "+" + key, "~" + key, "", "hydra.x", "é", "{"]
        )
    elif wrong < 0.15:
        key = ".".join(["catenary"] * r.randint(2, 2000))
    value = r.choice(BIG)(r) if r.random() < 0.05 else r.choice(SCALARS)
    if r.random() < 0.3:
        value = "[" + ",".join(r.choice(SCALARS)[:50] for _ in range(r.randint(0, 6))) + "]"
    return f"{key}={value}".replace("\0", "")[:120_000]


def made_yaml(r: random.Random) -> bytes:
    """A line or pantograph whose text was changed somewhere, or something else altogether."""
    text = r.choice([LINE, PANTOGRAPH])
    kind = r.randint(0, 9)
    lines = text.splitlines()
    if kind <= 4:  # values changed
        at = r.sample(range(len(lines)), r.randint(1, 4))
        for k in at:
            value = r.choice(BIG)(r) if r.random() < 0.1 else r.choice(SCALARS)
            lines[k] = f"{lines[k].partition(':')[0]}: {value}"
    elif kind == 5:  # lines doubled, dropped, moved, indented
        for _ in range(r.randint(1, 5)):
            k = r.randrange(len(lines))
            lines[k] = r.choice(
                ["", " " + lines[k], lines[k].strip(), r.choice(lines), "---", "...", f"{lines[k]}\n{lines[k]}"]
            )
    elif kind == 6:  # something added
        lines.append(
            r.choice(["? [1, 2]\n: 3", "? {a: 1}\n: 3", "1: 2", "null: 1", "<<: {span_length: 60}", "a: &a [*a]"])
        )
        lines.append("x: " + r.choice(SCALARS))
    elif kind == 7:  # bytes changed
        raw = bytearray("\n".join(lines).encode())
        for _ in range(r.randint(1, 20)):
            raw[r.randrange(len(raw))] = r.randrange(256)
        return bytes(raw)
    elif kind == 8:  # large
        return r.choice([
            "".join(f"key_{k}: {k}.5\n" for k in range(28_000)), "x:\n" + "  - 1.5\n" * 45_000,
            text + "y: [" + "1.5, " * 19_000 + "1]\n", text + "\n".join(f"z{k}: 1" for k in range(9_000)),
            "a0: &a0 [x, x]\n" + "".join(f"a{k + 1}: &a{k + 1} [*a{k}, *a{k}]\n" for k in range(20)),
            "#" * 400_000, "x: '" + "y" * 400_000 + "'", "- " * 200_000, "? " * 100_000, "x: |\n" + "  y\n" * 90_000,
        ]).encode()  # fmt: skip
    else:  # foreign
        return r.choice([
            b"", b"\0" * 1000, bytes(range(256)) * 20, b"\x89HDF\r\n\x1a\n" + b"\0" * 500, b"PK\x03\x04", b"\xff\xfe",
            r.randbytes(2000), text.encode("utf-16"), b'{"a": [1, 2', b"%YAML 9.9\n---\na: 1",
        ])  # fmt: skip
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def run_apart(arguments: list[str]) -> tuple[int, str, float]:
    """Exit code, what was said, and user time [s] of a command in a process that is forked for it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            try:
                code = main(arguments)
            except BaseException as error:
                said.write(f"Traceback: {error!r}")
                code = 99
        with open(write, "w", encoding="utf-8", errors="backslashreplace") as pipe:
            pipe.write(said.getvalue()[:50_000])
        os._exit(code)
    os.close(write)
    with open(read, encoding="utf-8") as pipe:
        said = pipe.read()
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), said, used.ru_utime


def hold(count: int, seed: int) -> tuple[Counter, float]:
    """Give that many inputs; how they ended, and the longest user time [s]."""
    assert main(["simulate", "--cfg", "job"]) == 0  # loads what every command loads
    r, outcomes, longest = random.Random(seed), Counter(), 0.0
    for _ in range(count):
        command = [r.choice(COMMANDS)]
        kind = r.random()
        if kind < 0.15:
            command += [f"speed_kmh={r.uniform(60.0, 250.0):.1f}", f"catenary.description='{r.choice(SCALARS[-12:])}'"]
        elif kind < 0.55:
            command += [made_override(r) for _ in range(r.randint(1, 3))]
        else:
            content = made_yaml(r)
            Path("made.yaml").write_bytes(content)
            command.append(f"{r.choice(['catenary', 'pantograph'])}=made.yaml")
        code, said, user = run_apart([*command, "--cfg", "job"])
        shown = [text[:200] for text in command]
        assert code in (0, 2), (code, said, shown)
        assert not any(word in said for word in RAW), (said, shown)
        assert code == 0 or ("problem" in said and "  - " in said), (said, shown)
        assert all(len(line) < 2100 for line in said.splitlines()), shown
        assert user < MOST_USER_S, (user, shown)
        outcomes["refused" if code else "resolved"] += 1
        longest = max(longest, user)
    assert sorted(os.listdir()) in ([], ["made.yaml"])
    return outcomes, longest


def test_machine_made_text_is_refused_or_resolved(folder):
    outcomes, _ = hold(60, seed=1)
    assert outcomes["refused"] > 30 and outcomes["resolved"] > 2, outcomes


@pytest.mark.validate
@pytest.mark.timeout(3600)
def test_two_thousand_machine_made_texts_are_refused_or_resolved(folder):
    outcomes, longest = hold(2000, seed=2)
    print(dict(outcomes), f"longest {longest:.2f} s of user time beyond start-up")
    assert outcomes["refused"] > 1000 and outcomes["resolved"] > 20, outcomes
