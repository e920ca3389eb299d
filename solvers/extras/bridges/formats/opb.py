"""Reads pseudo-Boolean models in the OPB format: sums of literals, or of products of them, with whole coefficients.

O. Roussel and V. Manquinho, Input/Output Format and Solver Requirements for the Competitions of Pseudo-Boolean Solvers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from models.puzzle import FileReading, Puzzle, Remarks
from solvers.base.tuning import TUNING
from solvers.extras.bridges.evaluators.formulas import opb_violation
from solvers.extras.bridges.formats.saved_model import matching
from solvers.files.load import MAX_MODEL_VARIABLES, read_text
from solvers.show.printable import quotation

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import IntVar

TOKEN = re.compile(r";|>=|<=|=|(?:min|max):|[+-](?:[ \t]*[0-9]+)?(?![^\s;=<>])|[^\s;=<>]+|[<>]")
NUMBER = re.compile(r"[+-]?[0-9]{1,4000}|[+-]")
LITERAL = re.compile(r"~?[A-Za-z_][^~:]*")

COUNTS = re.compile(r"#(variable|constraint)s?\s*=\s*([0-9]{1,9})")
"""The pattern by which the first comment gives the numbers of variables and constraints."""

MAX_SUM = 2**62
"""The greatest sum of the absolute values of coefficients; CP-SAT refuses the model above it."""

Terms = dict[tuple[str, ...], int]
"""A sum: the coefficient of each product of literals, whose names are sorted; a literal alone is such a product."""


class OpbWord(NamedTuple):
    """A word of the file."""

    text: str
    line: int


class Statement(NamedTuple):
    """A constraint, or the objective, whose relation is "min:" or "max:" and whose bound is 0."""

    line: int
    terms: Terms
    relation: str
    bound: int


@dataclass
class OpbModel:
    """The content of a file."""

    statements: list[Statement] = field(default_factory=list)
    variables: dict[str, None] = field(default_factory=dict)
    """The names, in the order of the file; those x1, x2 ... that the header counts come first."""
    key: list[str] = field(default_factory=list)
    """The names in lines such as "* ind x1 x2"; empty if there is none."""
    warnings: list[str] = field(default_factory=list)


def opb(path: str, key: Sequence[str] = ()) -> Puzzle:
    """A pseudo-Boolean model in the OPB format, with linear sums or with products.

    key: the variables that make solutions different: names, or patterns with * and ?; all variables if left out

    The variables are labelled by their names. If all are called x and a number, those that the header counts are there
    even if no constraint names them. A comment "* ind x1 x2" names the key, as "c ind" in a CNF.

    Raises ValueError, which names the line, if the file is not in this format, and `InputError` if it cannot be read.
    """
    text = read_text(Path(path))
    content = _read(text, path)
    names = [*content.variables]
    key_names = {name for pattern in key for name in matching(pattern, names)} or set(content.key or names)
    translation = _Translation(names)
    for statement in content.statements:
        translation.add(statement)
    variable_by_name = {name: translation.variables[name] for name in names if name in key_names}
    parameters = {"key": tuple(key)} if key else {}
    place_by_name = {name: number for number, name in enumerate(names)}
    # It reads the text by itself, and says what an assignment violates.
    check = opb_violation(text)
    file = FileReading(["our reader of OPB"], violation=lambda values: check(lambda name: values[place_by_name[name]]))
    return Puzzle(
        path, parameters, translation.model, variable_by_name, remarks=Remarks(warnings=content.warnings), file=file
    )


def _read(text: str, path: str) -> OpbModel:
    """Parse the file; raise ValueError, which names the line, if it is not in this format.

    text: the file: statements, each up to its semicolon, which may stand in several lines or share one. Its first line
    may announce the numbers of variables and of constraints; comments that begin with "* ind" name the key. path: the
    path of the file, for warnings.
    """
    model = OpbModel()
    count_in_header = Counter[str]()
    key_words = list[OpbWord]()
    tokens: list[OpbWord] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("*"):
            if number == 1:
                count_in_header.update({name: int(count) for name, count in COUNTS.findall(line)})
            if line.split()[:2] == ["*", "ind"]:
                key_words += [OpbWord(word, number) for word in line.replace(";", " ").split()[2:]]
            continue
        for word in TOKEN.findall(line):
            tokens.append(OpbWord("".join(word.split()), number))
            if word == ";":
                model.statements.append(_statement(tokens[:-1], number, model.statements))
                tokens = []
    if tokens:
        raise ValueError(f"line {tokens[0].line} begins a constraint without its semicolon; is the file complete?")
    if not model.statements:
        raise ValueError("it holds no constraint such as +1 x1 +1 x2 >= 1 ; is this a model in OPB?")
    constraints = sum(not statement.relation.endswith(":") for statement in model.statements)
    if constraints > TUNING.max_clauses:
        raise ValueError(f"it has {constraints} constraints; at most {TUNING.max_clauses} are accepted")
    if count_in_header.get("constraint", constraints) != constraints:
        counts = f"the header has {count_in_header['constraint']} constraints, but {constraints} follow"
        model.warnings.append(f"{path}: {counts}; these are read")
    _name_variables(model, count_in_header["variable"], path)
    model.key += [_key_variable(token, model) for token in key_words if token.text != "0"]
    return model


def _name_variables(model: OpbModel, count_in_header: int, path: str) -> None:
    """Collect the names of the variables, with those that only the header counts; warn about these.

    The header's variables are x1, x2 and so on. If constraints name others, the header is passed over. model: takes the
    names and warnings; its statements are read already. count_in_header: the number in the header, or 0. path: the path
    of the file, for warnings. Raises ValueError if there are too many.
    """
    names_in_constraints = {
        literal.lstrip("~"): None
        for statement in model.statements
        for product in statement.terms
        for literal in product
    }
    count = max(len(names_in_constraints), count_in_header)
    if count > MAX_MODEL_VARIABLES:
        raise ValueError(f"it has {count} variables; at most {MAX_MODEL_VARIABLES} are accepted")
    names_of_header = {f"x{number}": None for number in range(1, count_in_header + 1)}
    if names_in_constraints.keys() <= names_of_header.keys():
        model.variables = names_of_header
        if unnamed := len(names_of_header) - len(names_in_constraints):
            subject = (
                f"{unnamed} of the {count_in_header} variables in the header"
                if unnamed > 1
                else "a variable in the header"
            )
            model.warnings.append(f"{path}: no constraint names {subject}; both values count as solutions")
    else:
        model.variables = names_in_constraints
        if count_in_header and count_in_header != len(names_in_constraints):
            sentence = (
                f"the header has {count_in_header} variables, but constraints name {len(names_in_constraints)} others"
            )
            model.warnings.append(f"{path}: {sentence}; these are read")


def _key_variable(token: OpbWord, model: OpbModel) -> str:
    """Return the name of a variable of the key, which may be given by its number; raise ValueError for others."""
    for name in (token.text, f"x{token.text}"):
        if name in model.variables:
            return name
    raise ValueError(f"line {token.line} names {quotation(token.text)}, which is no variable")


def _statement(tokens: list[OpbWord], line: int, before: Sequence[Statement]) -> Statement:
    """Parse a constraint or the objective, as a sum of products of literals, a relation and a bound.

    tokens: its words, without the semicolon. line: the line of the semicolon. before: the statements before it, of
    which one at most may be an objective. Raises ValueError, which names the line, if it is not understood.
    """
    if not tokens:
        raise ValueError(f"line {line} has a semicolon without a constraint")
    first = tokens[0]
    if first.text in ("min:", "max:"):
        if any(statement.relation.endswith(":") for statement in before):
            raise ValueError(f"line {first.line} gives a second objective")
        return Statement(first.line, _sum(tokens[1:]), first.text, 0)
    if first.text.startswith(("soft:", "[")):
        raise ValueError(f"line {first.line} has a soft constraint (WBO), which is not read")
    relation_places = [place for place, token in enumerate(tokens) if token.text in (">=", "=", "<=")]
    if not relation_places:
        raise ValueError(f"line {first.line} has no relation >= or = before its semicolon; is this a model in OPB?")
    relation = tokens[relation_places[0]]
    bound_tokens = tokens[relation_places[0] + 1 :]
    if len(bound_tokens) != 1 or not NUMBER.fullmatch(bound_tokens[0].text) or bound_tokens[0].text in ("+", "-"):
        raise ValueError(f"line {relation.line} needs one whole number behind {relation.text}")
    terms = _sum(tokens[: relation_places[0]])
    return Statement(first.line, terms, relation.text, int(bound_tokens[0].text))


def _sum(tokens: Sequence[OpbWord]) -> Terms:
    """Parse a sum of products of literals, each behind its coefficient; a coefficient of 1 may be left out.

    A product with a literal and its negation is 0; its variables are kept, with coefficient 0, so that they are known.
    Raises ValueError, which names the line, if a word is neither a number nor a literal.
    """
    terms: Terms = {}
    for coefficient, literals in _products(tokens):
        product = tuple(sorted(set(literals)))
        if not any(f"~{literal}" in product for literal in product):
            terms[product] = terms.get(product, 0) + coefficient
        else:
            terms |= {(literal,): terms.get((literal,), 0) for literal in product}
    return terms


def _products(tokens: Sequence[OpbWord]) -> Iterator[tuple[int, list[str]]]:
    """Yield (coefficient, literals) for each term of a sum; raise ValueError as `_sum` does.

    A number ends the term before it and begins the next one. Only the first term may have no number; its coefficient is
    1, and it has one literal. tokens: the words of the sum.
    """
    coefficient, literals = 1, list[str]()
    last_number: OpbWord | None = None
    for token in tokens:
        if NUMBER.fullmatch(token.text):
            if literals:
                yield coefficient, literals
            elif last_number:
                raise ValueError(
                    f"line {last_number.line}: no variable follows the number {quotation(last_number.text)}"
                )
            last_number = token
            coefficient = _integer(token.text)
            literals = []
        elif not LITERAL.fullmatch(token.text):
            raise ValueError(f"line {token.line} holds {quotation(token.text)}, neither a whole number nor a literal")
        elif literals and last_number is None:
            raise ValueError(f"line {token.line}: write a coefficient before {quotation(literals[0])}")
        else:
            literals.append(token.text)
    if literals:
        yield coefficient, literals
    elif last_number:
        raise ValueError(f"line {last_number.line}: no variable follows the number {quotation(last_number.text)}")


def _integer(text: str) -> int:
    """Return a coefficient; a sign without a number is that of 1."""
    return int(f"{text}1" if text in ("+", "-") else text)


class _Translation:
    """A CP-SAT model of the statements of a file."""

    def __init__(self, names: Sequence[str]) -> None:
        """Make a model with these variables."""
        from ortools.sat.python.cp_model import CpModel

        self.model = CpModel()
        self.variables: dict[str, IntVar] = {name: self.model.new_bool_var(name) for name in names}
        self._products: dict[tuple[str, ...], IntVar] = {}

    def add(self, statement: Statement) -> None:
        """Add a constraint or the objective; raise ValueError, which names the line, if its numbers are too large.

        The sum is that of literals with positive coefficients; see `_positive`.
        """
        terms, bound = self._positive(statement)
        if statement.relation in ("min:", "max:"):
            _check(statement, terms, 0)
            goal = sum(coefficient * literal for literal, coefficient in terms) - bound
            if statement.relation == "min:":
                self.model.minimize(goal)
            else:
                self.model.maximize(goal)
        elif statement.relation == "=":
            if not 0 <= bound <= sum(coefficient for _, coefficient in terms):
                self.model.add_bool_or([])  # false, as no sum of these coefficients is the bound
                return
            _check(statement, terms, bound)
            self.model.add(sum(coefficient * literal for literal, coefficient in terms) == bound)
        else:
            self._add_at_least(statement, terms, bound)

    def _add_at_least(self, statement: Statement, terms: list[tuple[Any, int]], bound: int) -> None:
        """Add that a sum with positive coefficients is at least ``bound``; terms: (literal, coefficient).

        A coefficient above the bound acts as the bound, so it is replaced by it. If then all equal the bound, this is a
        clause. statement: names the line if a number is too large.
        """
        if bound <= 0:
            return
        terms = [(literal, min(coefficient, bound)) for literal, coefficient in terms]
        if all(coefficient == bound for _, coefficient in terms):
            self.model.add_bool_or([literal for literal, _ in terms])
        elif sum(coefficient for _, coefficient in terms) < bound:
            self.model.add_bool_or([])
        else:
            _check(statement, terms, bound)
            self.model.add(sum(coefficient * literal for literal, coefficient in terms) >= bound)

    def _positive(self, statement: Statement) -> tuple[list[tuple[Any, int]], int]:
        """Return a statement as (terms, bound) with positive coefficients; a term is (literal, coefficient).

        A relation "<=" is turned into ">=" by negating both sides. The terms of one variable are combined. A term k *
        ~x is k - k * x, and a term -k * x is k * ~x - k: constants go into the bound. ``_append`` appends a term, of
        the negated variable if the coefficient is negative, and returns by what the bound grows. statement: its terms
        map a product, a tuple of names with ~ before negated ones, to the coefficient.
        """
        sign = -1 if statement.relation == "<=" else 1
        bound = sign * statement.bound
        coefficients: dict[str, int] = {}
        terms: list[tuple[Any, int]] = []
        for literals, value in statement.terms.items():
            if len(literals) > 1:
                bound += self._append(terms, self._product(literals), sign * value)
            elif literals[0].startswith("~"):  # ~x is 1 - x
                name = literals[0].removeprefix("~")
                coefficients[name] = coefficients.get(name, 0) - sign * value
                bound -= sign * value
            else:
                coefficients[literals[0]] = coefficients.get(literals[0], 0) + sign * value
        for name, coefficient in coefficients.items():
            bound += self._append(terms, self.variables[name], coefficient)
        return terms, bound

    @staticmethod
    def _append(terms: list[tuple[Any, int]], variable: IntVar, coefficient: int) -> int:
        """Append a term, of the negated variable if the coefficient is negative; return what the bound grows by."""
        if coefficient:
            terms.append((variable if coefficient > 0 else ~variable, abs(coefficient)))
        return max(0, -coefficient)

    def _product(self, literals: tuple[str, ...]) -> IntVar:
        """Return a variable that is the product of these literals, which is true if and only if all of them are.

        It is made once. literals: names, behind ~ if negated.
        """
        if literals not in self._products:
            product_variable = self.model.new_bool_var("")
            factors = [
                ~self.variables[literal[1:]] if literal.startswith("~") else self.variables[literal]
                for literal in literals
            ]
            self.model.add_bool_and(factors).only_enforce_if(product_variable)
            self.model.add_bool_or([product_variable, *(~factor for factor in factors)])
            self._products[literals] = product_variable
        return self._products[literals]


def _check(statement: Statement, terms: Sequence[tuple[Any, int]], bound: int) -> None:
    """Raise ValueError, which names the line, if the numbers of a sum are too large for CP-SAT's models."""
    if sum(coefficient for _, coefficient in terms) + bound > MAX_SUM:
        raise ValueError(f"line {statement.line}: its coefficients add up to more than 2^62, too much for a model")
