"""Modules, functions and parameter lists stay small enough to be read at once."""

import ast

MODULE_LINES = 300
FUNCTION_LINES = 60
PARAMETERS = 6


def parameter_names(function):
    """The parameters a caller fills: neither self or cls nor *args and **kwargs."""
    listed = function.args
    names = [argument.arg for argument in (*listed.posonlyargs, *listed.args, *listed.kwonlyargs)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def functions(module):
    return [d for d in module.definitions() if not isinstance(d.node, ast.ClassDef)]


def report(rule, offenders):
    return f"{rule}; these do not hold to it:\n" + "\n".join(offenders)


def test_modules_are_short(modules, modules_of_tests):
    lengths = [(module, len(module.text.splitlines())) for module in (*modules, *modules_of_tests)]
    offenders = [f"{module.where}: {lines} lines" for module, lines in lengths if lines > MODULE_LINES]
    assert not offenders, report(f"a module has at most {MODULE_LINES} lines", offenders)


def test_functions_are_short(modules):
    lengths = [
        (module, d, (d.node.end_lineno or d.node.lineno) - d.node.lineno + 1)
        for module in modules
        for d in functions(module)
    ]
    offenders = [
        f"{module.where}:{d.node.lineno} {d.path}: {lines} lines"
        for module, d, lines in lengths
        if lines > FUNCTION_LINES
    ]
    assert not offenders, report(f"a function has at most {FUNCTION_LINES} lines", offenders)


def test_public_functions_take_few_parameters(modules):
    counts = [(module, d, len(parameter_names(d.node))) for module in modules for d in functions(module) if d.public]
    offenders = [
        f"{module.where}:{d.node.lineno} {d.path}: {count} parameters"
        for module, d, count in counts
        if count > PARAMETERS
    ]
    assert not offenders, report(f"a public function takes at most {PARAMETERS} parameters", offenders)
