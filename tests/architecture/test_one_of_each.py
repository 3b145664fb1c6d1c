"""One result type and one door: nothing else asks which solver ran or what a solution has; few types are left open."""

import ast

DOOR = "dynamics/solution.py"
MOST_OPEN = 30


def asks_for_solver(node):
    """Whether an expression compares a case's solver with something."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
    return any(side == "case.solver" or side.endswith(".case.solver") for side in sides)


def asks_what_it_has(node):
    """Whether an expression looks up an attribute of a solution by name."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr")
    return called and ast.unparse(node.args[0]).split(".")[-1] == "solution"


def test_what_a_solution_is_does_not_depend_on_its_solver(modules):
    offenders = [
        f"{module.where}:{node.lineno} {ast.unparse(node)}"
        for module in modules
        if module.where != DOOR
        for node in ast.walk(module.tree)
        if asks_for_solver(node) or asks_what_it_has(node)
    ]
    assert not offenders, "these ask which solver ran, or what its solution has:\n" + "\n".join(offenders)


def test_such_questions_are_found():
    for text in ("case.solver == 'periodic'", "'open_line' != run.case.solver", "getattr(solution, 'force', None)"):
        (node,) = [n for n in ast.walk(ast.parse(text)) if asks_for_solver(n) or asks_what_it_has(n)]
        assert ast.unparse(node) == text


def test_few_parameters_are_of_any_type(modules):
    found = [
        f"{module.where}:{argument.lineno} {argument.arg}"
        for module in modules
        for argument in ast.walk(module.tree)
        if isinstance(argument, ast.arg) and argument.annotation is not None
        if ast.unparse(argument.annotation) == "Any"
    ]
    assert len(found) <= MOST_OPEN, f"at most {MOST_OPEN} parameters may be of type Any:\n" + "\n".join(found)
