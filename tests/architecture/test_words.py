"""Plain English: no word of the old dialect in a message, docstring, comment, configuration file, page or test's name.

Names of keys that earlier versions wrote stay, as whole strings or in backticks; a sentence about them does not.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
THIS = Path(__file__).name  # it quotes what it forbids
# folders of modules, configuration files and pages that people read
SCOPE = ("catenary", "dynamics", "optimise", "studies", "examples", "conf", "docs", "tests", "outputs/README.md")
SCOPE += ("README.md", "CHANGELOG.md", "CITATION.cff", "Makefile", "pyproject.toml", ".ci/run")
READ = {".py", ".yaml", ".md", ".html", ".js", ".c", ".h", ".m"}
VENDORED = ("docs/assets",)
CHECKED_BY_NAME = re.compile(r"^\s*def (test_\w+)", re.MULTILINE)
BLOCKS = re.DOTALL | re.MULTILINE
OFFENDERS_SHOWN = 60

# what nobody in the field writes so, and what to write in its place
DIALECT = {
    r"anew": "again, from the start",
    r"asked for again": "requested again",
    r"at work(?: on)?": "running, evaluating",
    r"begun": "started",
    r"besides?": "alongside, next to, compared with, in addition to",
    r"blam(?:e|es|ed|ing)": "suspect",
    r"dear(?:er|est)?": "expensive; penalised",
    r"(?:fore|un)?told|foretells?": "given, reported, known; predicted",
    r"(?:go|goes|going|gone|went) on(?! record)": "resume, continue",
    r"(?:hang|hangs|hung) on": "depend on",
    r"how-manieth": "attempt number",
    r"in the end": "finally",
    r"(?<!there )(?:is|are|was|were|be) none": "is not …, is missing",
    r"(?<!there )(?:is|are|was|were) no(?! longer| more| less| such)": "is not a …",
    r"lessons?": "warm-start data",
    r"(?:let|lets|letting) go": "release",
    r"mattered": "importance of …",
    r"mend(?:s|ed|ing)?": "fix, correct",
    r"noticed": "detected",
    r"papers? 00\d": "the source by its name: PACDIN, PantoCat, Gil et al., Arnold & Simeon",
    r"ones? own|one's own": "your own, the user's",
    r"(?<!for a )strands?": "batch, continuation",
    r"faces": "half-spaces, sides",
    r"(?:take|takes|taken|taking|took) over": "copy, adopt, use",
    r"(?:tell|tells|telling) (?:\w+ )?apart": "distinguish",
    r"thrice|whence|lest|thereby|thereupon|therein": "three times, from where, so that not",
    r"to and fro": "back and forth",
    r"to be had": "available",
    r"trust(?:s|ed)?": "off-design table; accept",
    r"under way": "in flight, running",
    r"what can be said": "the subject itself: checks of …",
    r"readings": "what is prescribed, interpretation",
    r"worlds?": "conditions",
}
# a participle is no sentence: the actor named, and the verb first
PARTICIPLES = (
    r"(?:Asked|Begun|Called|Chosen|Compared|Copied|Found|Given|Kept|Made|Measured|Missed|Noticed|Pressed|Refused|Said|Sent"
    r"|Shown|Stopped|Taken|Told|Written)"
    r"(?:[:,;]| (?:after|again|as|at|before|by|from|in|once|only|to|until|when|where|with)\b)"
)

PHRASES = re.compile("|".join(rf"(?P<p{n}>\b(?:{words})\b)" for n, words in enumerate(DIALECT)), re.IGNORECASE)


def found_in(text: str) -> Iterator[str]:
    """Yield what is wrong with a text, with what to write in its place."""
    plain = re.sub(r"``?[\w.*]+``?|\bNone\b|(?:trust|told)\.[\w*]+|\btold: input", "_", text)
    plain = re.sub(r"^ *[\w, ]+ : .*$", "", plain, flags=re.MULTILINE)  # names and types of parameters
    for match in PHRASES.finditer(re.sub(r"\s+#? *", " ", plain)):
        yield f"'{match.group(0)}': write {list(DIALECT.values())[int(str(match.lastgroup)[1:])]}"


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every comment and of every string with a blank; pages without what stands as code.

    Names of tests are read as sentences; other files are read whole.
    """
    source = path.read_text("utf-8")
    if path.suffix == ".md":
        source = re.sub(
            r"^ *```.*?^ *```|`[^`\n]+`", lambda code: "\n" * code[0].count("\n") + "_", source, flags=BLOCKS
        )
        yield from enumerate(source.splitlines(), start=1)
    elif path.suffix == ".yaml":
        yield from ((number, line.partition("#")[2]) for number, line in enumerate(source.splitlines(), start=1))
    elif path.suffix != ".py":
        yield from enumerate(source.splitlines(), start=1)
    else:
        for name in CHECKED_BY_NAME.finditer(source):
            yield source.count("\n", 0, name.start(1)) + 1, name[1].replace("_", " ")
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        yield from ((token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT)
        yield from strings_of(ast.parse(source))


def strings_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string with a blank, an underscore for each value that an f-string inserts."""
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        values = node.values if isinstance(node, ast.JoinedStr) else [] if id(node) in parts else [node]
        text = "".join(v.value if isinstance(v, ast.Constant) and isinstance(v.value, str) else "_" for v in values)
        if " " in text and isinstance(node, ast.expr):
            yield node.lineno, text


def files_of(place: str) -> list[Path]:
    """List the modules, programs, configuration files and pages of a folder, or the page itself."""
    at = ROOT / place
    found = sorted(p for p in at.rglob("*") if p.suffix in READ) if at.is_dir() else [at]
    named = {path: path.relative_to(ROOT).as_posix() for path in found}
    return [path for path, name in named.items() if not name.startswith(VENDORED) and path.name != THIS]


@pytest.mark.parametrize("place", SCOPE)
def test_texts_are_plain_english(place):
    offenders, files = [], files_of(place)
    for path in files:
        for line, text in texts_of(path):
            offenders += [f"{path.relative_to(ROOT)}:{line}: {wrong}" for wrong in found_in(text)]
            if path.suffix == ".py" and re.match(PARTICIPLES, text):
                offenders.append(f"{path.relative_to(ROOT)}:{line}: begin with a verb or a noun, not with a participle")
    assert files, f"{place} holds nothing to read"
    shown = "\n".join(offenders[:OFFENDERS_SHOWN])
    assert not offenders, f"{len(offenders)} phrases are not plain English:\n{shown}"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("the workers are begun anew", 2),
        ("set beside the\n    # nominal line", 1),
        ("`told` and trust.speeds are keys, there is none, None is none", 1),
        ("it goes on record, and goes\non", 1),
        ("told.0.values: input is read, as in paper 002", 1),
        ("trust : OffDesignSpec\n    interfaces, the nearest face, reading order", 0),
    ],
)
def test_the_search_finds_the_dialect_and_nothing_else(text, count):
    assert len(list(found_in(text))) == count
