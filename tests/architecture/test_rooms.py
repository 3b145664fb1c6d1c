"""Folders stay small enough to be entered, and names far enough apart to be distinguished."""

import itertools
from collections import Counter

MODULES_IN_A_FOLDER = 14
# one short module for each command, however many there are
OPEN_ENDED = {"studies/commands"}


def one_letter_apart(a, b):
    """Whether one letter added, dropped or changed makes one name of the other."""
    if len(a) == len(b):
        return sum(x != y for x, y in zip(a, b, strict=True)) == 1
    short, long = sorted((a, b), key=len)
    return len(long) == len(short) + 1 and any(long[:k] + long[k + 1 :] == short for k in range(len(long)))


def folder_of(module):
    return module.where.rpartition("/")[0]


def test_folders_are_small(modules):
    counts = Counter(folder_of(m) for m in modules if not m.where.endswith("__init__.py"))
    crowded = {k: n for k, n in counts.items() if n > MODULES_IN_A_FOLDER and k not in OPEN_ENDED}
    assert not crowded, f"a folder has at most {MODULES_IN_A_FOLDER} modules; these have more: {crowded}"


def test_names_of_modules_in_a_folder_differ_by_more_than_a_letter(modules):
    names = {}
    for module in modules:
        where = module.where.removesuffix("/__init__.py").removesuffix(".py")
        folder, _, name = where.rpartition("/")
        names.setdefault(folder, set()).add(name)
    alike = [
        f"{folder}: {a} and {b}"
        for folder, here in names.items()
        for a, b in itertools.combinations(sorted(here), 2)
        if one_letter_apart(a, b)
    ]
    assert not alike, "names must differ by more than a letter:\n" + "\n".join(alike)


def test_no_module_is_named_like_a_test(modules):
    named = [m.where for m in modules if m.file.stem.startswith("test_") or m.file.stem.endswith("_test")]
    assert not named, f"pytest takes such names for tests: {named}"


def test_the_rules_tell_good_from_bad():
    assert one_letter_apart("on_worker", "on_workers")
    assert one_letter_apart("spec", "spic")
    assert not one_letter_apart("worker", "watchdog")
    assert not one_letter_apart("same", "same")
