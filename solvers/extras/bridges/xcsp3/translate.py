"""The process that reads a file in XCSP3 with PyCSP3's parser and leaves a CP-SAT model of it.

Importing PyCSP3 changes the command line, the operators of Python and what happens at the end of the process.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element
from xml.parsers import expat

from ortools.sat.python.cp_model import Domain

from solvers.extras.bridges.xcsp3.constraints import CONSTRAINTS, Arguments, Condition, distinct
from solvers.extras.bridges.xcsp3.terms import (
    DIFFERENCES,
    MAX_FORM_VALUE,
    FormWriter,
    LinearForm,
    Refused,
    negation,
    operation,
    total,
)
from solvers.show.printable import quotation

NO_ARGUMENTS = {"id", "class", "note", "as"}
"""The attributes that do not change the meaning of a constraint."""

SECTIONS = {"variables", "constraints", "objectives", "annotations"}
"""The elements of an instance."""

XCSP3_RECURSION_DEPTH = 20_000
"""The depth of calls that deep expressions need."""

SPACED = re.compile(r"\s*,\s*|(?<=\()\s+|\s+(?=\))")
"""White space inside brackets, with which the parser does not cope."""

MALFORMED = re.compile(r"[)\]}][\w%]|\(,|,,|,\)|^,|,$")
"""A place where something is missing or too much, and the parser does not say so."""

PARAMETER = re.compile(r"%(\d+|\.\.\.)")
"""A parameter of a group or of a slide."""

OPEN = re.compile(r"\[(?:\d+\.\.\d+)?\]")
"""An index of an array that is a range, or left out."""


PARSER: Any = object
"""The base of `ExpandingParser`, which has the methods of PyCSP3's parser once `parser_class` has joined the two."""


def is_double(text: str) -> bool:
    """Tell whether a text is a list of lists: in brackets, or an array with two ranges of indices."""
    if text.startswith("("):
        return True
    return len(text.split()) == 1 and len(OPEN.findall(text)) == 2


class ExpandingParser(PARSER):  # type: ignore[misc]
    """PyCSP3's parser, once `parser_class` has joined the two; it expands groups and slides, and notes where it reads.

    `current` is the element that is read. `place_of` gives the line and the tag of an element.
    """

    def __init__(self, path: str) -> None:
        """Parse a file, first only for the lines of its elements, which PyCSP3's parser does not keep.

        path: the file. PyCSP3's parser, the base class, reads it, and calls the methods below.
        """
        self._lines: list[int] = []  # of all elements, in the order of the file
        self._numbers: dict[Element, int] = {}  # the line of each element
        self._origins: dict[Element, Element] = {}  # the template of each element that was made from one
        self.current: Element | None = None
        reader = expat.ParserCreate()
        reader.StartElementHandler = lambda tag, attributes: self._lines.append(reader.CurrentLineNumber)
        reader.Parse(Path(path).read_bytes(), True)
        super().__init__(path)

    def place_of(self, element: Element) -> str:
        """Return the line and the tag of an element, or of the template from which it was made."""
        origin = self.origin(element)
        return f"line {self._numbers.get(origin, 1)}: {origin.tag}"

    def origin(self, element: Element) -> Element:
        """Return the template from which an element was made, or the element itself."""
        return self._origins.get(element, element)

    def _track_current(self, elements: Iterable[Element]) -> Iterator[Element]:
        """Yield elements, each of which is current until the next one."""
        for self.current in elements:
            yield self.current

    def parse_variables(self, elements: Sequence[Element]) -> None:
        """Replace references, remove white space in brackets, refuse malformed texts, then parse the declarations.

        PyCSP3's parser calls this method first. An element with the attribute ``as`` gets the content of the element
        with that name, except for declarations, in which the parser replaces it. elements: those within <variables>.
        """
        self._numbers = dict(zip(self.tree.iter(), self._lines, strict=True))
        element_by_name = {element.get("id"): element for element in self.tree.iter() if element.get("id")}
        for element in self.tree.iter():
            target = element_by_name.get(element.get("as"))
            if element.tag not in ("var", "array", "domain") and target is not None:
                element.text, element[:] = target.text, [*target]
            element.text = text = SPACED.sub(lambda match: "," if "," in match[0] else "", element.text or "")
            is_balanced = all(text.count(opening) == text.count(closing) for opening, closing in ("()", "[]", "{}"))
            if MALFORMED.search(text) or not is_balanced:
                self.current = element
                raise Refused("its brackets and commas do not fit together")
        super().parse_variables(self._track_current(elements))

    def recursive_parsing_of_constraints(self, elt: Element, t: list[Any]) -> None:
        """Parse a constraint, or a block of them."""
        self.current = elt
        super().recursive_parsing_of_constraints(elt, t)

    def parse_objectives(self, elements: Sequence[Element]) -> None:
        """Parse the objective."""
        if len(elements) > 1:
            raise Refused("there are several objectives")
        self.current = next(iter(elements), None)
        super().parse_objectives(elements)

    def parse_annotations(self, elements: Sequence[Element]) -> None:
        """Parse nothing: annotations change no solution."""

    def parsing_of_constraints_inner(self, elt: Element, args: Any) -> Any:
        """Parse an element; a group or a slide becomes a block of the constraints for which it stands.

        A template has %0, %1 and so on in place of words, and %... for all words behind the greatest number. Each row
        of words makes a constraint. elt: the element. args: passed on to the parser's own method.

        A noOverlap is read here: as a matrix if both its parts are lists of lists, otherwise as lists.
        """
        from pycsp3.classes.auxiliary.enums import TypeCtr, TypeCtrArg
        from pycsp3.parser.xentries import XBlock, XCtr, XCtrArg

        if elt.tag == "noOverlap" and [part.tag for part in elt] == ["origins", "lengths"]:
            has_boxes = all(is_double((part.text or "").strip()) for part in elt)
            content_type = TypeCtrArg.MATRIX if has_boxes else TypeCtrArg.ORIGINS
            types = (TypeCtrArg.ORIGINS, TypeCtrArg.LENGTHS)
            contents = [self.parsing(content_type, part) for part in elt]
            return XCtr(TypeCtr.NO_OVERLAP, [*map(XCtrArg, types, contents)])
        if elt.tag not in ("group", "slide"):
            return super().parsing_of_constraints_inner(elt, args)
        template = elt[0] if elt.tag == "group" else elt[-1]
        self.current = template
        word_rows = [self._list_words(words) for words in elt[1:]] if elt.tag == "group" else self._windows(elt)
        highest = _highest_parameter(template)
        takes_more = any("%..." in text for text in _texts(template))
        for words in word_rows:
            if any("%" in word for word in words):
                raise Refused("an argument is a parameter")
            if len(words) <= highest or (len(words) > highest + 1 and not takes_more):
                raise Refused(f"it gets {len(words)} arguments in place of {highest + 1}")
        entries = [
            self.parsing_of_constraints_outer(self._fill_template(template, words, highest), args=None)
            for words in word_rows
        ]
        return XBlock(entries)

    def parsing_of_constraints_outer(self, elt: Element, args: Any) -> Any:
        """Parse an element with its attributes."""
        entry = super().parsing_of_constraints_outer(elt, args)
        entry.element = elt
        return entry

    def parsing(self, tc: Any, elt: Element, args: Any = None) -> Any:
        """Parse a part of a constraint; what PyCSP3's parser would read wrong is read here or refused.

        tc: the kind of the part, of PyCSP3's type TypeCtrArg, such as "condition". elt: its element. args: passed on to
        the parser's own method.
        """
        text = (elt.text or "").strip()
        match str(tc):
            case "condition":
                return self._condition(text)
            case "conditions":
                return [
                    # Each is in brackets, and may have brackets in it.
                    self._condition(condition_text)
                    for condition_text in re.findall(r"\(((?:[^()]|\([^()]*\))*)\)", text)
                ]
            case "matrix" if not is_double(text):  # no list of lists
                raise Refused("its matrix is not one")
            case "list" | "values" | "except" | "index" | "value" if not text:
                return []
        return super().parsing(tc, elt, args)

    def _condition(self, text: str) -> Any:
        """Parse a condition such as "(le,x)", "(in,{1,3})" or "(in,1..5)"; return (relation, right side).

        The brackets around it may be left out. The right side is a domain for a set or a range, otherwise what the
        parser returns for an expression.
        """
        from pycsp3.parser import methods

        symbol, _, right = text.removeprefix("(").partition(",")
        if text.startswith("(") and text.endswith(")"):
            right = right[:-1]
        if right.startswith("{"):
            ranges = [
                methods.parse_integer_or_interval(interval_text)
                for interval_text in right.strip("{} ").split(",")
                if interval_text.strip()
            ]
            return symbol.strip(), domain_of(ranges)
        if ".." in right:
            low, high = map(int, right.split(".."))
            return symbol.strip(), Domain(low, high)
        return symbol.strip(), methods.parse_expression(self, right.strip())

    def _list_words(self, list_element: Element) -> list[str]:
        """Return the words of a list, with arrays and repetitions such as 0x5 written out; others stay as they are."""
        from pycsp3.parser import methods

        words: list[str] = []
        for word in (list_element.text or "").split():
            is_array = self.map_for_arrays.get(word.partition("[")[0]) if "(" not in word else None
            words_found = methods.parse_sequence(self, word) if is_array or re.fullmatch(r"-?\d+x\d+", word) else [word]
            words += map(str, words_found)
        return words

    def _windows(self, slide: Element) -> list[list[str]]:
        """Return the words that each constraint of a slide gets.

        A constraint takes some words of each list (``collect``; of a single list, as many as it has parameters), which
        begin ``offset`` words behind those of the constraint before. A circular slide goes on at the first word behind
        the last one, and ends when the first list has begun anew; another slide ends when a list has too few words.

        slide: its elements are lists of words, and last the template.
        """
        word_lists = [self._list_words(list_element) for list_element in slide[:-1]]
        highest = _highest_parameter(slide[-1])
        if highest < 0:
            raise Refused("it has no parameter")
        lengths = [highest + 1]
        if len(word_lists) > 1:
            lengths = [int(list_element.get("collect", "1")) for list_element in slide[:-1]]
        offsets = [int(list_element.get("offset", "1")) for list_element in slide[:-1]]
        is_circular = slide.get("circular", "").strip().lower() == "true"
        windows = []
        for window_number in range(len(word_lists[0]) if word_lists and min(offsets) > 0 else 0):
            begins = [window_number * offset for offset in offsets]
            ends = [begin + length for begin, length in zip(begins, lengths, strict=True)]
            fits = all(end <= len(words) for end, words in zip(ends, word_lists, strict=True))
            if begins[0] >= len(word_lists[0]) or not (is_circular or fits):
                break
            spans = zip(word_lists, begins, ends, strict=True)
            window = [words[place % len(words)] for words, begin, end in spans for place in range(begin, end)]
            windows.append(window)
        return windows

    def _fill_template(self, template: Element, words: Sequence[str], highest: int) -> Element:
        """Return a template with words in place of its parameters %0, %1 and so on; it stays itself if it has none.

        words: those of the numbers from 0. highest: the greatest number of a parameter; %... stands for all words
        behind that one.
        """
        if not any("%" in text for text in _texts(template)):
            return template

        def word(match: re.Match[str]) -> str:
            """Return the words in place of a parameter."""
            if match[1] == "...":
                return " ".join(words[highest + 1 :])
            return words[int(match[1])]

        result = copy(template)
        self._origins[result] = self.origin(template)
        result.text = PARAMETER.sub(word, template.text or "")
        result[:] = [self._fill_template(part, words, highest) for part in template]
        return result


PARAMETER_NUMBER = re.compile(r"%(\d+)")
"""A numbered parameter."""


def _texts(element: Element) -> list[str]:
    """Return the texts of an element and of all elements in it."""
    return [part.text or "" for part in element.iter()]


def _highest_parameter(template: Element) -> int:
    """Return the greatest number of a parameter such as %0 in a template; -1 if it has none."""
    numbers = PARAMETER_NUMBER.findall(" ".join(_texts(template)))
    return max(map(int, numbers), default=-1)


def domain_of(ranges: Iterable[int | range]) -> Domain:
    """Return integers and ranges as a domain; raise `Refused` for large numbers."""
    pairs = [[range_, range_] if isinstance(range_, int) else [range_.start, range_.stop - 1] for range_ in ranges]
    if any(abs(end) > MAX_FORM_VALUE for pair in pairs for end in pair):
        raise Refused("its numbers are too large")
    return Domain.from_intervals(pairs)


def parser_class() -> Any:
    """Return the class `ExpandingParser` joined with PyCSP3's parser, and repair two functions of PyCSP3.

    An index outside an array is refused. A table is parsed once for all constraints of a group that share it.
    """
    from pycsp3.parser import methods, xparser

    parse_indexes = methods.parse_indexes

    def parse_indexes_within(size: Sequence[int], suffix: str) -> list[Any]:
        """Return the indices and ranges of a compact form of an array, such as "x[2][0..3]"; suffix: its text.

        size: the length of the array along each axis. Raises `Refused` for an index outside the array, which PyCSP3's
        function may take for another one.
        """
        indexes: list[Any] = parse_indexes(size, suffix)
        ends = [index if isinstance(index, int) else index.stop - 1 for index in indexes]
        is_whole = re.fullmatch(rf"\w*(?:\[[^][]*\]){{{len(size)}}}", suffix)
        if not is_whole or not all(0 <= end < count for end, count in zip(ends, size, strict=True)):
            raise Refused(f"{quotation(suffix)} is outside its array")
        return indexes

    methods.parse_indexes = parse_indexes_within
    xparser.parse_tuples = lru_cache(1)(methods.parse_tuples)  # the constraints of a group share a table
    return type("Parser", (ExpandingParser, xparser.ParserXCSP3), {})


class TranslatedFile:
    """A CP-SAT model of a parsed file, with the sum that represents each variable by name.

    `used` holds the names of those that a constraint or the objective names.
    """

    def __init__(self, parser: Any) -> None:
        """Declare the variables of a parsed file in a new model.

        Raises `Refused` for a variable that is no integer, or is declared twice. ``parser.vEntries`` has a variable or
        an array for each element within <variables>. `FormWriter` writes the model; a variable is a linear sum there.
        """
        self.writer = FormWriter()
        self.sums = dict[str, LinearForm]()
        self.used = set[str]()
        self.marks: dict[str, list[str]] = {}
        self._parser = parser
        self._names = dict[Element, str]()
        self._counts = Counter[str]()
        for element, entry in zip(parser.tree.findall("./variables/"), parser.vEntries, strict=True):
            parser.current = element
            # An array has variables, some of which may be None: those that have no domain.
            for variable in filter(None, getattr(entry, "variables", [entry])):
                if str(variable.type) != "integer":
                    raise Refused(f"{variable.id} is not an integer")
                if variable.id in self.sums:
                    raise Refused(f"{variable.id} is declared twice")
                self.sums[variable.id] = self.writer.add_variable(domain_of(variable.domain), variable.id)

    def term(self, parsed: Any) -> LinearForm:
        """Return the linear sum for a variable, an integer or an expression; raise `Refused` for anything else.

        parsed: as PyCSP3's parser returns it: an int, a variable, which has a domain, or a node of an expression: its
        type is an operator, and ``cnt`` has its operands as a list, or what a leaf stands for.
        """
        if isinstance(parsed, int):
            if abs(parsed) > MAX_FORM_VALUE:
                raise Refused("its numbers are too large")
            return LinearForm({}, parsed)
        if hasattr(parsed, "domain"):  # a variable
            self.used.add(parsed.id)
            return self.sums[parsed.id]
        if not hasattr(parsed, "cnt"):  # not an expression
            raise Refused(f"{quotation(str(parsed))} is no variable")
        name = str(parsed.type)
        if not isinstance(parsed.cnt, list):
            return self.term(parsed.cnt)
        if name in ("in", "notin"):
            truth = self._membership(*parsed.cnt)
            return truth if name == "in" else negation(truth)
        return operation(self.writer, name, [self.term(child) for child in parsed.cnt])

    def _membership(self, left: Any, values: Any) -> LinearForm:
        """Return the truth value of "the value of an expression is in a set of expressions"."""
        if str(values.type) != "set":
            raise Refused("in and notin need a set")
        left_term = self.term(left)
        return self.writer.any_true([self.writer.equals(left_term, self.term(value)) for value in values.cnt])

    def require(self, node: Any) -> None:
        """Require that an expression is true, that is, not 0.

        node: an expression of PyCSP3, with an operator as its type and its operands in ``cnt``; `term` returns its
        linear sum. A conjunction, a comparison and a disjunction become constraints of their own, without a new
        variable for their truth value. `DIFFERENCES` has the domain of left minus right for a comparison.
        """
        name = str(node.type)
        if name == "and":
            for child in node.cnt:
                self.require(child)
        elif name in DIFFERENCES and len(node.cnt) == 2:
            left, right = map(self.term, node.cnt)
            self.writer.require(left - right, DIFFERENCES[name])
        elif name == "or":
            terms = map(self.term, node.cnt)
            self.writer.require_any([self.writer.truth_value(term, DIFFERENCES["ne"]) for term in terms])
        else:
            self.writer.require(self.term(node), DIFFERENCES["ne"])

    def post(self, entries: Iterable[Any], classes: Sequence[str] = ()) -> None:
        """Add constraints and blocks of them to the model.

        entries: as PyCSP3's parser returns them; a block has ``subentries``. classes: the names that the blocks around
        them have in their attribute ``class``. For each class, ``marks`` lists the names of its constraints in the
        model. Raises `Refused` for a constraint, a part or an attribute that is not understood.
        """
        for entry in entries:
            classes_of_entry = [*classes, *entry.classes]
            if hasattr(entry, "subentries"):
                if unread := entry.attributes.keys() - NO_ARGUMENTS - {"circular"}:
                    raise Refused(f"its {min(unread)} is not understood")
                self.post(entry.subentries, classes_of_entry)
                continue
            self._parser.current = entry.element
            self.writer.place = self._name(entry.element)
            for name in classes_of_entry:
                self.marks.setdefault(name, []).append(self.writer.place)
            arguments = self._arguments(entry)
            if entry.element.tag == "intension":
                self.require(arguments.content("function"))
            elif entry.element.tag in CONSTRAINTS:
                CONSTRAINTS[entry.element.tag](self.writer, arguments)
            else:
                raise Refused("this constraint is not understood")
            if unread := arguments.unread():
                raise Refused(f"its {unread} is not understood")

    def _name(self, element: Element) -> str:
        """Return the name of the constraints of an element: its line and tag, and a number if others have these too."""
        origin = self._parser.origin(element)
        if origin not in self._names:
            name = self._parser.place_of(element).replace(": ", " ")
            self._counts[name] += 1
            number = self._counts[name]
            self._names[origin] = f"{name} {number}" if number > 1 else name
        return self._names[origin]

    def _arguments(self, entry: Any) -> Arguments:
        """Return the arguments of a constraint as the functions of `CONSTRAINTS` take them: its parts and attributes.

        An attribute is named "@rank" if the constraint has it, "list@startIndex" if its part <list> has it, and "list
        2@startIndex" if its second part <list> does.
        """
        element = entry.element
        parts = [*element] or [Element("function" if element.tag == "intension" else "list")]
        count_by_tag: dict[str, int] = {}
        attributes = {f"@{name}": text for name, text in element.attrib.items()}
        contents = []
        for part, argument in zip(parts, entry.ctr_args, strict=True):
            number = count_by_tag.get(part.tag, 0) + 1
            count_by_tag[part.tag] = number
            tag = part.tag if number == 1 else f"{part.tag} {number}"
            attributes |= {f"{tag}@{name}": text for name, text in part.attrib.items()}
            contents.append((part.tag, self._content(part.tag, argument.value)))
        # A first index of 0 is the default, so that no function needs to read it.
        attributes = {name: text for name, text in attributes.items() if text != "0" or "@start" not in name}
        used_attributes = {
            name: text for name, text in attributes.items() if name.partition("@")[2] not in NO_ARGUMENTS
        }
        return Arguments(contents, used_attributes, self.term)

    def _content(self, tag: str, content: Any) -> Any:
        """Return the content of an argument, of which some parts change form.

        The operator becomes a text, a condition our `Condition`, and what is no integer in the rows of a table, the
        parser's *, None. tag: of the argument's element.
        """
        if tag == "operator":
            return str(content)
        if tag == "condition":
            return self._condition(content)
        if tag == "conditions":
            return [self._condition(part) for part in content]
        if tag in ("supports", "conflicts") and content and isinstance(content[0], list):
            return [[value if isinstance(value, int) else None for value in row] for row in content]
        return content

    def _condition(self, parsed: tuple[str, Any]) -> Condition:
        """Return a parsed condition with a sum or a domain at its right."""
        symbol, right = parsed
        return Condition(symbol, right if isinstance(right, Domain) else self.term(right))

    def aim(self, objective: Any) -> None:
        """Set the objective of the model.

        objective: as PyCSP3's parser returns it: an expression (``root``), or terms with coefficients and a type, such
        as "sum", that joins the products; by the last type, "lex", their list is compared in lexicographic order.
        """
        self.writer.place = "objective"
        if hasattr(objective, "root"):
            objective_sum = self.term(objective.root)
        else:
            terms = [self.term(term) for term in objective.terms]
            factors = [self.term(coefficient) for coefficient in objective.coefficients or [1] * len(terms)]
            products = [self.writer.product(a, b) for a, b in zip(terms, factors, strict=True)]
            match str(objective.type):
                case "sum":
                    objective_sum = total(products)
                case "product":
                    objective_sum = operation(self.writer, "mul", products)
                case "minimum":
                    objective_sum = self.writer.smallest(products)
                case "maximum":
                    objective_sum = self.writer.greatest(products)
                case "nvalues":
                    objective_sum = distinct(self.writer, products)
                case _:
                    objective_sum = self._digits(products)
        self.writer.domain(objective_sum)  # refuses large numbers
        expression = self.writer.expression(objective_sum)
        if objective.minimize:
            self.writer.model.minimize(expression)
        else:
            self.writer.model.maximize(expression)

    def _digits(self, sums: Sequence[LinearForm]) -> LinearForm:
        """Return a sum that is ordered as the list of sums is in lexicographic order.

        The sums are its digits, in a mixed radix: the base of a digit is the number of values in its range.
        """
        number = LinearForm()
        for digit in sums:
            domain = self.writer.domain(digit)
            base = domain.max() - domain.min() + 1
            number = number * base + (digit - domain.min())
        return number


def translate_file(path: str, kind: Any) -> Mapping[str, Any]:
    """Return the model of a file, as text, its variables and its marked constraints; or a "failure" in words.

    The result has ``model``; ``variables``, the index in the model by name; ``unused``, the names of variables in no
    constraint; and ``marks``, the names of constraints by class. path: the file. kind: the class of the parser.
    """
    # The parser is made before it is initialised, for its ``current`` element names the place of a failure.
    parser = kind.__new__(kind)
    parser.current = None
    try:
        parser.__init__(path)
        root = parser.tree.getroot()
        if root.tag != "instance" or not root.get("format", "XCSP3").startswith("XCSP3"):
            raise Refused('this is no XCSP3, which has the root <instance format="XCSP3">')
        for section in root:
            parser.current = section
            if section.tag not in SECTIONS:
                raise Refused("this part is not understood")
        translation = TranslatedFile(parser)
        translation.post(parser.cEntries)
        parser.current = next(iter(parser.tree.findall("./objectives/")), None)
        for objective in parser.oEntries:
            translation.aim(objective)
    except expat.ExpatError as error:
        return {"failure": f"this is no XML: {error}"}
    except Exception as error:
        where = f"{parser.place_of(parser.current)}: " if parser.current is not None else ""
        reason = str(error) if isinstance(error, Refused) else "this is not understood"
        return {"failure": f"{where}{reason}"}
    variables = {name: next(iter(term.terms)) for name, term in translation.sums.items()}
    unused_names = [name for name in translation.sums if name not in translation.used]
    model_text = str(translation.writer.model.proto)
    return {"model": model_text, "variables": variables, "unused": unused_names, "marks": translation.marks}


def main(*paths: str) -> None:
    """Translate files, each given with the file that gets the result as JSON, and end the process."""
    sys.argv = [sys.argv[0], "-nocompile"]  # what PyCSP3 does without a command line of its own
    sys.setrecursionlimit(XCSP3_RECURSION_DEPTH)
    kind = parser_class()
    for source, target in zip(paths[::2], paths[1::2], strict=True):
        Path(target).write_text(json.dumps(translate_file(source, kind)), encoding="utf-8")
    os._exit(0)  # nothing that PyCSP3 does at the end


if __name__ == "__main__":
    main(*sys.argv[1:])
