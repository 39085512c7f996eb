"""`match` statements, lowered to guarded calls.

Owns the lowering. Native class patterns read attributes behind the guards' back, so that a `match` becomes a chain
of `if` statements over `matching.match(subject, specification)`, which returns the captured names or None. A
specification is a tuple whose first item is the kind of the pattern; `matching.py` says how each is read. Must
not know how a pattern is matched.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from sandbox.policy import names
from sandbox.policy.base import PolicyBase, located


def _constant(value: object) -> ast.Constant:
    return ast.Constant(value)  # type: ignore[arg-type]


def _tuple(items: Iterable[ast.expr]) -> ast.Tuple:
    return ast.Tuple(list(items), ast.Load())


class PatternMixin(PolicyBase):
    """Lowers `match`."""

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:  # noqa: N802
        """The subject into a temporary, then one `if` a case."""
        subject = self.temporary()
        target = located(ast.Name(subject, ast.Store()), node)
        first = ast.Assign(targets=[target], value=self.visit(node.subject))
        chain: list[ast.stmt] = []
        cases = [self._case(case, subject) for case in node.cases]
        for case, (test, body) in zip(reversed(node.cases), reversed(cases), strict=True):
            statement = ast.If(test=test, body=body, orelse=chain)
            located(statement, case.pattern)
            chain = [statement]
        return [located(first, node), *chain]

    def _case(self, case: ast.match_case, subject: str) -> tuple[ast.expr, list[ast.stmt]]:
        captured: list[str] = []
        specification = self._pattern(case.pattern, captured)
        found = self.temporary()
        attempt = ast.NamedExpr(
            ast.Name(found, ast.Store()),
            ast.Call(ast.Name(names.MATCH, ast.Load()), [ast.Name(subject, ast.Load()), specification], []),
        )
        tests: list[ast.expr] = [ast.Compare(attempt, [ast.IsNot()], [_constant(None)])]
        if captured:
            tests.append(
                ast.List([self._binding(found, name) for name in dict.fromkeys(captured)], ast.Load())
            )
        if case.guard is not None:
            tests.append(self.visit(case.guard))
        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        located(test, case.pattern)
        ast.fix_missing_locations(test)
        return test, self.statements(case.body) or [located(ast.Pass(), case.pattern)]

    @staticmethod
    def _binding(found: str, name: str) -> ast.expr:
        value = ast.Subscript(ast.Name(found, ast.Load()), _constant(name), ast.Load())
        return ast.NamedExpr(ast.Name(name, ast.Store()), value)

    def _capture(self, node: ast.AST, name: str | None, captured: list[str]) -> ast.Constant:
        if name is None:
            return _constant(None)
        compiled = self.variable(node, name)
        captured.append(compiled)
        return _constant(compiled)

    def _patterns(self, patterns: list[ast.pattern], captured: list[str]) -> ast.Tuple:
        return _tuple(self._pattern(pattern, captured) for pattern in patterns)

    def _pattern(self, pattern: ast.pattern, captured: list[str]) -> ast.expr:
        match pattern:
            case ast.MatchValue():
                return _tuple([_constant("value"), self.visit(pattern.value)])
            case ast.MatchSingleton():
                return _tuple([_constant("singleton"), _constant(pattern.value)])
            case ast.MatchSequence():
                return _tuple([_constant("sequence"), self._patterns(pattern.patterns, captured)])
            case ast.MatchStar():
                return _tuple([_constant("star"), self._capture(pattern, pattern.name, captured)])
            case ast.MatchMapping():
                keys = _tuple(self.visit(key) for key in pattern.keys)
                inner = self._patterns(pattern.patterns, captured)
                rest = self._capture(pattern, pattern.rest, captured)
                return _tuple([_constant("mapping"), keys, inner, rest])
            case ast.MatchClass():
                return self._class(pattern, captured)
            case ast.MatchAs():
                inner_as = self._pattern(pattern.pattern, captured) if pattern.pattern else _constant(None)
                return _tuple([_constant("as"), inner_as, self._capture(pattern, pattern.name, captured)])
            case ast.MatchOr():
                return _tuple([_constant("or"), self._patterns(pattern.patterns, captured)])
        self.not_allowed(pattern)
        return _constant(None)

    def _class(self, pattern: ast.MatchClass, captured: list[str]) -> ast.expr:
        attributes = [_constant(self.attribute(pattern, name)[0]) for name in pattern.kwd_attrs]
        return _tuple(
            [
                _constant("class"),
                self.visit(pattern.cls),
                self._patterns(pattern.patterns, captured),
                _tuple(attributes),
                self._patterns(pattern.kwd_patterns, captured),
            ]
        )
