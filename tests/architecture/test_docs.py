"""Every public name says what it is and what it takes."""

import ast


def lacks_types(function):
    """The parameters without a type, and `return` when that has none."""
    listed = function.args
    every = [*listed.posonlyargs, *listed.args, *listed.kwonlyargs]
    every += [argument for argument in (listed.vararg, listed.kwarg) if argument]
    untyped = [a.arg for a in every if a.annotation is None and a.arg not in ("self", "cls")]
    return untyped + (["return"] if function.returns is None else [])


def is_special(definition):
    return definition.node.name.startswith("__")


def is_overload_or_setter(definition):
    names = {ast.unparse(decorator).split(".")[-1] for decorator in definition.node.decorator_list}
    return bool(names & {"overload", "setter"})


def test_modules_have_docstrings(modules):
    offenders = [module.where for module in modules if not ast.get_docstring(module.tree)]
    assert not offenders, "these modules have no docstring:\n" + "\n".join(offenders)


def test_public_names_have_docstrings(modules):
    offenders = [
        f"{module.where}:{d.node.lineno} {d.path}"
        for module in modules
        for d in module.definitions()
        # special methods mean what Python says they mean
        if d.public and not is_special(d) and not is_overload_or_setter(d) and not ast.get_docstring(d.node)
    ]
    assert not offenders, "these public names have no docstring:\n" + "\n".join(offenders)


def test_public_functions_are_typed(modules):
    lacking = [
        (module, d, lacks_types(d.node))
        for module in modules
        for d in module.definitions()
        if d.public and not isinstance(d.node, ast.ClassDef)
    ]
    offenders = [
        f"{module.where}:{d.node.lineno} {d.path}: {', '.join(names)}" for module, d, names in lacking if names
    ]
    assert not offenders, "these public functions lack types:\n" + "\n".join(offenders)
