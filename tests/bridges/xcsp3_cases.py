"""Small instances of XCSP3, one for each form of a constraint, with the same rule as a predicate in Python.

A case is (variables, constraints, predicate). The predicate takes the values of each variable or array, an array as a
tuple, of tuples if it has two dimensions.
"""

from collections.abc import Callable, Mapping
from itertools import combinations, pairwise

Case = tuple[str, str, Callable[..., object]]


def tag(name: str, *lists: str, attributes: str = "", **parts: object) -> str:
    """A constraint with some lists and with further elements, an underscore at whose end is left out."""
    inner = "".join(f"<list> {one} </list>" for one in lists)
    inner += "".join(f"<{part.rstrip('_')}> {text} </{part.rstrip('_')}>" for part, text in parts.items())
    return f"<{name} {attributes}>{inner}</{name}>"


def intension(text: str) -> str:
    return f"<intension> {text} </intension>"


def div(a: int, b: int) -> int:
    return int(a / b)


def mod(a: int, b: int) -> int:
    return a - b * int(a / b)


def differ(values: object) -> bool:
    listed = [*values]  # type: ignore[misc]
    return len(set(listed)) == len(listed)


def word(values: object) -> str:
    return "".join(map(str, values))  # type: ignore[call-overload]


def apart(starts: object, lengths: object, ignored: bool = True) -> bool:
    tasks = [*zip(starts, lengths, strict=True)]  # type: ignore[call-overload]
    return all(a + d <= b or b + e <= a or (ignored and 0 in (d, e)) for (a, d), (b, e) in combinations(tasks, 2))


def boxes_apart(boxes: object, sides: object, ignored: bool = True) -> bool:
    both = [*zip(boxes, sides, strict=True)]  # type: ignore[call-overload]
    return all(
        any(p + s <= q or q + t <= p for p, s, q, t in zip(a, d, b, e, strict=True)) or (ignored and 0 in (*d, *e))
        for (a, d), (b, e) in combinations(both, 2)
    )


def peak(starts: object, lengths: object, heights: object) -> int:
    tasks = [*zip(starts, lengths, heights, strict=True)]  # type: ignore[call-overload]
    return max(int(sum(h for s, d, h in tasks if s <= time < s + d)) for time in range(-1, 12))


def load(bins: object, sizes: object, number: int) -> int:
    both = [*zip(bins, sizes, strict=True)]  # type: ignore[call-overload]
    return int(sum(size for one, size in both if one == number))


def circuit(successors: tuple[int, ...], size: int | None = None, first: int = 0) -> bool:
    moved = [place for place, one in enumerate(successors, first) if one != place]
    if not moved or not all(first <= one < first + len(successors) for one in successors):
        return False
    place, seen = moved[0], set[int]()
    while place not in seen:
        seen.add(place)
        place = successors[place - first]
    return seen == {*moved} and place == moved[0] and size in (None, len(moved))


def inverse(direct: tuple[int, ...], back: tuple[int, ...], first: int = 0) -> bool:
    return all(first <= j < first + len(back) and back[j - first] == i for i, j in enumerate(direct, first))


def at(row: tuple[int, ...], place: int) -> int:
    return row[place] if 0 <= place < len(row) else -99


def precedes(row: tuple[int, ...], values: tuple[int, ...]) -> bool:
    first = [row.index(value) if value in row else 99 for value in values]
    return all(a < b or b == 99 for a, b in pairwise(first))


TABLE = "(0,1,2)(1,1,1)(2,0,0)(5,5,5)"
ROWS = {(0, 1, 2), (1, 1, 1), (2, 0, 0)}
AUTOMATON = {"transitions": "(a,0,a)(a,1,b)(b,0,c)(b,1,b)(c,0,c)", "start": "a", "final": "b c"}
NONDETERMINISTIC = {"transitions": "(a,0,a)(a,1,a)(a,1,b)(b,0,c)(b,1,c)", "start": "a", "final": "c"}
DIAGRAM = "(r,0,n1)(r,1,n2)(r,2,n2)(n1,2,n3)(n2,2,n4)(n3,0,t)(n4,0,t)(n4,1,t)"

DEFAULT: Mapping[str, Case] = {
    "intension, relation": ("x 0..3; y 0..3", intension("lt(x,y)"), lambda x, y: x < y),
    "intension, spaces": ("x 0..3; y 0..3", intension("le( add( x , 1 ) , y )"), lambda x, y: x + 1 <= y),
    "intension, div": ("x -5..5; y -2..3", intension("eq(div(x,y),-2)"), lambda x, y: y and div(x, y) == -2),
    "intension, mod": ("x -5..5; y -2..3", intension("eq(mod(x,y),-1)"), lambda x, y: y and mod(x, y) == -1),
    "intension, if": (
        "x 0..3; y 0..3; z 0..3",
        intension("eq(if(lt(x,y),x,z),2)"),
        lambda x, y, z: (x if x < y else z) == 2,
    ),
    "extension, supports": ("x[3] 0..2", tag("extension", "x[]", supports=TABLE), lambda x: x in ROWS),
    "extension, short conflicts": (
        "x[3] 0..2",
        tag("extension", "x[]", conflicts="(0,*,1)(*,*,2)"),
        lambda x: x[2] != 2 and (x[0], x[2]) != (0, 1),
    ),
    "regular": (
        "x[4] 0..1",
        tag("regular", "x[]", **AUTOMATON),
        lambda x: word(x).strip("0") in ("1", "11", "111", "1111"),
    ),
    "mdd": (
        "x[3] 0..2",
        tag("mdd", "x[]", transitions=DIAGRAM),
        lambda x: x[1] == 2 and (x[2] == 0 or (x[2] == 1 and x[0] > 0)),
    ),
    "allDifferent, matrix, except": (
        "x[2][3] 0..2",
        tag("allDifferent", matrix="x[][]", except_="0"),
        lambda x: all(differ(v for v in line if v) for line in [*x, *zip(*x, strict=True)]),
    ),
    "allDifferent, lists": (
        "x[2] 0..2; y[2] 0..2",
        tag("allDifferent", "x[]", "y[]", "y[0] x[0]"),
        lambda x, y: differ([x, y, (y[0], x[0])]),
    ),
    "ordered, lengths": (
        "x[3] 0..5",
        tag("ordered", "x[]", lengths="1 2", operator="le"),
        lambda x: x[0] + 1 <= x[1] and x[1] + 2 <= x[2],
    ),
    "lex, matrix": (
        "x[2][3] 0..1",
        tag("lex", matrix="x[][]", operator="le"),
        lambda x: [*x] == sorted(x) and [*zip(*x, strict=True)] == sorted(zip(*x, strict=True)),
    ),
    "sum, coefficients and right side are variables": (
        "x[2] 0..2; c[2] -1..1; y -2..2",
        tag("sum", "x[]", coeffs="c[]", condition="(eq,y)"),
        lambda x, c, y: x[0] * c[0] + x[1] * c[1] == y,
    ),
    "count, variable values": (
        "x[3] 0..2; v[2] 0..2",
        tag("count", "x[]", values="v[]", condition="(ge,2)"),
        lambda x, v: sum(one in v for one in x) >= 2,
    ),
    "cardinality, ranges, closed": (
        "x[4] 0..3",
        '<cardinality><list> x[] </list><values closed="true"> 0 2 3 </values>'
        "<occurs> 0..1 1..2 1 </occurs></cardinality>",
        lambda x: x.count(0) <= 1 and 1 <= x.count(2) <= 2 and x.count(3) == 1 and 1 not in x,
    ),
    "element, matrix that is not square": (
        "x[3][2] 0..1; i -1..3; j 0..2",
        tag("element", matrix="x[][]", index="i j", value="1"),
        lambda x, i, j: 0 <= i < 3 and j < 2 and x[i][j] == 1,
    ),
    "channel, lists of different lengths": (
        "x[2] 0..3; y[3] 0..2",
        tag("channel", "x[]", "y[]"),
        lambda x, y: inverse(x, y),
    ),
    "noOverlap, zero not ignored": (
        "s[3] 0..3",
        tag("noOverlap", attributes='zeroIgnored="false"', origins="s[]", lengths="0 2 1"),
        lambda s: apart(s, (0, 2, 1), False),
    ),
    "noOverlap, boxes": (
        "x[2] 0..2; y[2] 0..2",
        tag("noOverlap", origins="(x[0],y[0])(x[1],y[1])", lengths="(2,1)(1,2)"),
        lambda x, y: boxes_apart(zip(x, y, strict=True), ((2, 1), (1, 2))),
    ),
    "cumulative, variables": (
        "s[2] 0..2; d[2] 0..2; h[2] 1..2; c 1..3",
        tag("cumulative", origins="s[]", lengths="d[]", heights="h[]", condition="(le,c)"),
        lambda s, d, h, c: peak(s, d, h) <= c,
    ),
    "binPacking, more bins than items": (
        "x[2] 0..3",
        tag("binPacking", "x[]", sizes="5 3", condition="(le,5)"),
        lambda x: x[0] != x[1],
    ),
    "circuit, size": ("x[4] 0..3", tag("circuit", "x[]", size="3"), lambda x: circuit(x, 3)),
    "slide, circular": (
        "x[4] 0..2",
        '<slide circular="true"><list> x[] </list><intension> ne(%0,%1) </intension></slide>',
        lambda x: all(a != b for a, b in pairwise((*x, x[0]))),
    ),
    "group in a block": (
        "x[3] 0..2; y 0..2",
        "<block><group><sum><list> %0 %1 y </list><condition> (le,%2) </condition></sum>"
        "<args> x[0..1] 3 </args><args> x[1] x[2] 2 </args></group></block>",
        lambda x, y: x[0] + x[1] + y <= 3 and x[1] + x[2] + y <= 2,
    ),
}
"""The cases that each run of the tests counts."""

THOROUGH: Mapping[str, Case] = {
    "intension, gt": ("x 0..3; y 0..3", intension("gt(x,y)"), lambda x, y: x > y),
    "intension, ge": ("x 0..3; y 0..3", intension("ge(sub(x,y),1)"), lambda x, y: x - y >= 1),
    "intension, ne": ("x 0..3; y 0..3", intension("ne(mul(x,y),2)"), lambda x, y: x * y != 2),
    "intension, eq of three": ("x 0..3; y 0..3; z 1..2", intension("eq(x,y,z)"), lambda x, y, z: x == y == z),
    "intension, neg": ("x -2..2; y -2..2", intension("eq(neg(x),y)"), lambda x, y: -x == y),
    "intension, abs": ("x -2..2; y -2..2", intension("eq(abs(x),y)"), lambda x, y: abs(x) == y),
    "intension, sqr": ("x -2..2; y 0..4", intension("eq(sqr(x),y)"), lambda x, y: x * x == y),
    "intension, pow": ("x -2..2; y -1..3", intension("le(pow(x,y),1)"), lambda x, y: y >= 0 and x**y <= 1),
    "intension, dist": ("x 0..4; y 0..4", intension("eq(dist(x,y),2)"), lambda x, y: abs(x - y) == 2),
    "intension, min": (
        "x 0..3; y 0..3; z 0..3",
        intension("eq(min(x,y,z),1)"),
        lambda x, y, z: min(x, y, z) == 1,
    ),
    "intension, max": ("x 0..3; y 0..3", intension("eq(max(x,add(y,1)),3)"), lambda x, y: max(x, y + 1) == 3),
    "intension, and": ("x 0..3; y 0..3", intension("and(lt(x,3),gt(y,x))"), lambda x, y: x < 3 and y > x),
    "intension, or": ("x 0..3; y 0..3", intension("or(eq(x,3),gt(y,x))"), lambda x, y: x == 3 or y > x),
    "intension, not": ("x 0..3; y 0..3", intension("not(or(eq(x,3),gt(y,x)))"), lambda x, y: not (x == 3 or y > x)),
    "intension, xor": (
        "x 0..3; y 0..3; b 0..1",
        intension("xor(eq(x,3),gt(y,x),b)"),
        lambda x, y, b: ((x == 3) + (y > x) + b) % 2,
    ),
    "intension, iff": ("x 0..3; y 0..3", intension("iff(eq(x,3),gt(y,x))"), lambda x, y: (x == 3) == (y > x)),
    "intension, imp": ("x 0..3; y 0..3", intension("imp(gt(y,1),eq(x,3))"), lambda x, y: y <= 1 or x == 3),
    "intension, in": ("x 0..4; y 0..3", intension("in(x,set(1,3,y))"), lambda x, y: x in (1, 3, y)),
    "intension, notin": ("x 0..4; y 0..3", intension("notin(add(x,y),set(1,3))"), lambda x, y: x + y not in (1, 3)),
    "intension, reified": ("x 0..3; b 0..1", intension("eq(b,le(x,1))"), lambda x, b: b == (x <= 1)),
    "intension, nested": (
        "x 0..3; y 0..3; z 0..3",
        intension("eq(add(x,mul(y,2),neg(z)),sub(max(x,z),1))"),
        lambda x, y, z: x + 2 * y - z == max(x, z) - 1,
    ),
    "intension, or with an undefined part": (
        "x 0..3; y 0..2",
        intension("or(eq(y,0),eq(div(x,y),1))"),
        lambda x, y: y and div(x, y) == 1,
    ),
    "intension, Boolean variable": ("b 0..1; y 0..2", intension("and(b,lt(y,2))"), lambda b, y: b and y < 2),
    "intension, constant": ("x 0..2", intension("le(x,1)") + intension("eq(3,3)"), lambda x: x <= 1),
    "extension, conflicts": ("x[3] 0..2", tag("extension", "x[]", conflicts=TABLE), lambda x: x not in ROWS),
    "extension, short supports": (
        "x[3] 0..2",
        tag("extension", "x[]", supports="(0,*,1)(*,*,2)"),
        lambda x: x[2] == 2 or (x[0], x[2]) == (0, 1),
    ),
    "extension, unary supports": ("x 0..6", tag("extension", "x", supports="0 2..3 5"), lambda x: x in (0, 2, 3, 5)),
    "extension, unary conflicts": ("x 0..6", tag("extension", "x", conflicts="0 5 9"), lambda x: x not in (0, 5)),
    "extension, spaces": (
        "x 0..2; y 0..2",
        tag("extension", "x y", supports="( 0 , 1 ) ( 2, * )"),
        lambda x, y: x == 2 or (x, y) == (0, 1),
    ),
    "extension, no conflict": ("x 0..2; y 0..2", tag("extension", "x y", conflicts=""), lambda x, y: True),
    "extension, no support": ("x 0..2; y 0..2", tag("extension", "x y", supports=""), lambda x, y: False),
    "extension, group": (
        "x[3] 0..2",
        "<group><extension><list> %0 %1 </list><supports> (0,1)(1,2)(2,2) </supports></extension>"
        "<args> x[0] x[1] </args><args> x[1] x[2] </args></group>",
        lambda x: {*pairwise(x)} <= {(0, 1), (1, 2), (2, 2)},
    ),
    "regular, not deterministic": (
        "x[4] 0..2",
        tag("regular", "x[]", **NONDETERMINISTIC),
        lambda x: 2 not in x and x[2] == 1,
    ),
    "mdd, long path": ("x[2] 0..1", tag("mdd", "x[]", transitions="(r,0,a)(r,1,a)(a,1,t)"), lambda x: x[1] == 1),
    "allDifferent": ("x[3] 0..3", "<allDifferent> x[] </allDifferent>", lambda x: differ(x)),
    "allDifferent, except": (
        "x[3] 0..3",
        tag("allDifferent", "x[]", except_="0 2"),
        lambda x: differ(v for v in x if v not in (0, 2)),
    ),
    "allDifferent, expressions": (
        "x[3] 0..3",
        "<allDifferent> add(x[0],1) mul(x[1],2) x[2] </allDifferent>",
        lambda x: differ((x[0] + 1, 2 * x[1], x[2])),
    ),
    "allDifferent, matrix": (
        "x[2][2] 0..2",
        tag("allDifferent", matrix="(x[0][0],x[0][1])(x[1][0],x[1][1])"),
        lambda x: all(differ(line) for line in [*x, *zip(*x, strict=True)]),
    ),
    "allDifferent, lists, except": (
        "x[2] 0..2; y[2] 0..2",
        tag("allDifferent", "x[]", "y[]", except_="(0,0)(1,2)"),
        lambda x, y: x != y or x in ((0, 0), (1, 2)),
    ),
    "allEqual": ("x[3] 0..3", "<allEqual> x[] </allEqual>", lambda x: len({*x}) == 1),
    "allEqual, except": ("x[3] 0..3", tag("allEqual", "x[]", except_="0"), lambda x: len({*x} - {0}) <= 1),
    "allEqual, expressions": ("x[2] 0..3", "<allEqual> add(x[0],1) x[1] </allEqual>", lambda x: x[0] + 1 == x[1]),
    "ordered, lt": ("x[3] 0..3", tag("ordered", "x[]", operator="lt"), lambda x: x[0] < x[1] < x[2]),
    "ordered, ge": ("x[3] 0..3", tag("ordered", "x[]", operator="ge"), lambda x: x[0] >= x[1] >= x[2]),
    "ordered, gt": ("x[3] 0..3", tag("ordered", "x[]", operator="gt"), lambda x: x[0] > x[1] > x[2]),
    "ordered, variable lengths": (
        "x[2] 0..3; d 0..2",
        tag("ordered", "x[]", lengths="d", operator="lt"),
        lambda x, d: x[0] + d < x[1],
    ),
    "lex, lt": ("x[2] 0..2; y[2] 0..2", tag("lex", "x[]", "y[]", operator="lt"), lambda x, y: x < y),
    "lex, le, three lists": (
        "x[2] 0..1; y[2] 0..1; z[2] 0..1",
        tag("lex", "x[]", "y[]", "z[]", operator="le"),
        lambda x, y, z: x <= y <= z,
    ),
    "lex, gt": ("x[3] 0..1; y[3] 0..1", tag("lex", "x[]", "y[]", operator="gt"), lambda x, y: x > y),
    "lex, ge": ("x[3] 0..1; y[3] 0..1", tag("lex", "x[]", "y[]", operator="ge"), lambda x, y: x >= y),
    "lex, integers": ("x[2] 0..2", tag("lex", "x[]", "1 1", operator="le"), lambda x: x <= (1, 1)),
    "lex, matrix, lt": (
        "x[2][2] 0..2",
        tag("lex", matrix="x[][]", operator="lt"),
        lambda x: x[0] < x[1] and (x[0][0], x[1][0]) < (x[0][1], x[1][1]),
    ),
    "precedence": ("x[4] 0..2", "<precedence> x[] </precedence>", lambda x: precedes(x, (0, 1, 2))),
    "precedence, values": (
        "x[4] 0..2",
        tag("precedence", "x[]", values="2 0"),
        lambda x: precedes(x, (2, 0)),
    ),
    "precedence, covered": (
        "x[4] 0..2",
        '<precedence><list> x[] </list><values covered="true"> 1 0 </values></precedence>',
        lambda x: precedes(x, (1, 0)) and {0, 1} <= {*x},
    ),
    "sum, le": ("x[3] 0..2", tag("sum", "x[]", condition="(le,3)"), lambda x: sum(x) <= 3),
    "sum, coefficients": (
        "x[3] 0..2",
        tag("sum", "x[]", coeffs="2 -1 3", condition="(gt,4)"),
        lambda x: 2 * x[0] - x[1] + 3 * x[2] > 4,
    ),
    "sum, repeated coefficients": (
        "x[3] 0..2",
        tag("sum", "x[]", coeffs="2x2 1", condition="(eq,4)"),
        lambda x: 2 * x[0] + 2 * x[1] + x[2] == 4,
    ),
    "sum, in a range": ("x[3] 0..2", tag("sum", "x[]", condition="(in,2..3)"), lambda x: sum(x) in (2, 3)),
    "sum, in a range of one": ("x[3] 0..2", tag("sum", "x[]", condition="(in,2..2)"), lambda x: sum(x) == 2),
    "sum, in a set": ("x[3] 0..2", tag("sum", "x[]", condition="(in,{1,4})"), lambda x: sum(x) in (1, 4)),
    "sum, not in a set": ("x[3] 0..2", tag("sum", "x[]", condition="(notin,{1,4})"), lambda x: sum(x) not in (1, 4)),
    "sum, ne a variable": ("x[2] 0..2; y 0..4", tag("sum", "x[]", condition="(ne,y)"), lambda x, y: sum(x) != y),
    "sum, expressions": (
        "x[3] 0..2",
        tag("sum", "mul(x[0],x[1]) eq(x[2],1)", condition="(ge,2)"),
        lambda x: x[0] * x[1] + (x[2] == 1) >= 2,
    ),
    "sum, the same variable twice": (
        "x 0..4; y 0..4",
        tag("sum", "x x y", condition="(lt,5)"),
        lambda x, y: 2 * x + y < 5,
    ),
    "count, at least": ("x[3] 0..2", tag("count", "x[]", values="1", condition="(ge,2)"), lambda x: x.count(1) >= 2),
    "count, at most": ("x[3] 0..2", tag("count", "x[]", values="1", condition="(lt,2)"), lambda x: x.count(1) < 2),
    "count, exactly": ("x[3] 0..2", tag("count", "x[]", values="1", condition="(eq,1)"), lambda x: x.count(1) == 1),
    "count, exactly a variable": (
        "x[3] 0..2; k 0..4",
        tag("count", "x[]", values="1", condition="(eq,k)"),
        lambda x, k: x.count(1) == k,
    ),
    "count, among": (
        "x[3] 0..3",
        tag("count", "x[]", values="1 3", condition="(eq,2)"),
        lambda x: x.count(1) + x.count(3) == 2,
    ),
    "count, a range of values": (
        "x[3] 0..3",
        tag("count", "x[]", values="0 2..3", condition="(eq,2)"),
        lambda x: 3 - x.count(1) == 2,
    ),
    "group, ranges": (
        "x[3] 0..3",
        "<group><sum><list> %0 %1 </list><condition> (in,%2) </condition></sum>"
        "<args> x[0] x[1] 2..3 </args><args> x[1] x[2] -1..1 </args></group>",
        lambda x: x[0] + x[1] in (2, 3) and x[1] + x[2] <= 1,
    ),
    "group, ranges of occurrences": (
        "x[4] 0..2",
        "<group><cardinality><list> x[] </list><values> 0 2 </values><occurs> %0 %1 </occurs></cardinality>"
        "<args> 1..2 1 </args></group>",
        lambda x: 1 <= x.count(0) <= 2 and x.count(2) == 1,
    ),
    "element, rank": (
        "x[3] 0..2; i 0..2",
        '<element><list startIndex="0"> x[] </list><index rank="any"> i </index><value> 1 </value></element>',
        lambda x, i: x[i] == 1,
    ),
    "allDifferent, start": (
        "x[3] 0..2",
        '<allDifferent><list startIndex="0"> x[] </list></allDifferent>',
        lambda x: differ(x),
    ),
    "count, in a range": (
        "x[3] 0..2",
        tag("count", "x[]", values="1", condition="(in,1..2)"),
        lambda x: x.count(1) in (1, 2),
    ),
    "count, expressions": (
        "x[3] 0..2",
        tag("count", "eq(x[0],x[1]) eq(x[1],x[2])", values="1", condition="(eq,1)"),
        lambda x: (x[0] == x[1]) != (x[1] == x[2]),
    ),
    "nValues": ("x[3] 0..2", tag("nValues", "x[]", condition="(eq,2)"), lambda x: len({*x}) == 2),
    "nValues, except": (
        "x[3] 0..2",
        tag("nValues", "x[]", except_="0", condition="(le,1)"),
        lambda x: len({*x} - {0}) <= 1,
    ),
    "nValues, variable": ("x[3] 0..2; k 0..3", tag("nValues", "x[]", condition="(gt,k)"), lambda x, k: len({*x}) > k),
    "nValues, not all equal": ("x[3] 0..2", tag("nValues", "x[]", condition="(gt,1)"), lambda x: len({*x}) > 1),
    "cardinality": (
        "x[4] 0..2",
        tag("cardinality", "x[]", values="0 2", occurs="1 2"),
        lambda x: x.count(0) == 1 and x.count(2) == 2,
    ),
    "cardinality, variable occurrences": (
        "x[3] 0..2; k[2] 0..2",
        tag("cardinality", "x[]", values="0 2", occurs="k[]"),
        lambda x, k: (x.count(0), x.count(2)) == k,
    ),
    "cardinality, variable values": (
        "x[3] 0..2; v[2] 0..2",
        tag("cardinality", "x[]", values="v[]", occurs="1 2"),
        lambda x, v: x.count(v[0]) == 1 and x.count(v[1]) == 2,
    ),
    "minimum": ("x[3] 0..3", tag("minimum", "x[]", condition="(eq,1)"), lambda x: min(x) == 1),
    "minimum, variable": ("x[2] 0..3; y 0..3", tag("minimum", "x[]", condition="(lt,y)"), lambda x, y: min(x) < y),
    "minimum, in a range": ("x[3] 0..4", tag("minimum", "x[]", condition="(in,1..2)"), lambda x: min(x) in (1, 2)),
    "maximum": ("x[3] 0..3", tag("maximum", "x[]", condition="(ne,2)"), lambda x: max(x) != 2),
    "maximum, expressions": (
        "x[2] 0..3",
        tag("maximum", "add(x[0],1) mul(x[1],2)", condition="(le,3)"),
        lambda x: max(x[0] + 1, 2 * x[1]) <= 3,
    ),
    "minimumArg": (
        "x[3] 0..2; i 0..2",
        tag("minimumArg", "x[]", condition="(eq,i)"),
        lambda x, i: x[i] == min(x),
    ),
    "maximumArg, first": (
        "x[3] 0..2; i 0..2",
        tag("maximumArg", "x[]", attributes='rank="first"', condition="(eq,i)"),
        lambda x, i: x.index(max(x)) == i,
    ),
    "maximumArg, last": (
        "x[3] 0..2",
        tag("maximumArg", "x[]", attributes='rank="last"', condition="(ge,1)"),
        lambda x: 2 - x[::-1].index(max(x)) >= 1,
    ),
    "element": ("x[3] 0..2; i -1..3", tag("element", "x[]", index="i", value="2"), lambda x, i: at(x, i) == 2),
    "element, integers": (
        "i 0..5; y 0..5",
        tag("element", "3 1 4 1", index="i", value="y"),
        lambda i, y: at((3, 1, 4, 1), i) == y,
    ),
    "element, start": (
        "x[3] 0..2; i 0..4; y 0..2",
        '<element><list startIndex="1"> x[] </list><index> i </index><value> y </value></element>',
        lambda x, i, y: at(x, i - 1) == y,
    ),
    "element, condition": (
        "x[3] 0..3; i 0..2",
        tag("element", "x[]", index="i", condition="(in,1..2)"),
        lambda x, i: x[i] in (1, 2),
    ),
    "element, le a variable": (
        "x[2] 0..3; i 0..1; y 0..3",
        tag("element", "x[]", index="i", condition="(le,y)"),
        lambda x, i, y: x[i] <= y,
    ),
    "element, matrix of integers": (
        "i 0..2; j 0..2; y 0..9",
        tag("element", matrix="(1,2,3)(4,5,6)", index="i j", value="y"),
        lambda i, j, y: i < 2 and y == 3 * i + j + 1,
    ),
    "element, matrix, starts": (
        "x[2][2] 0..1; i 0..3; j 0..3",
        '<element><matrix startRowIndex="1" startColIndex="2"> x[][] </matrix>'
        "<index> i j </index><value> 1 </value></element>",
        lambda x, i, j: 1 <= i <= 2 and j >= 2 and x[i - 1][j - 2] == 1,
    ),
    "element, without an index": ("x[3] 0..2; y 1..3", tag("element", "x[]", value="y"), lambda x, y: y in x),
    "channel, one list": ("x[4] 0..3", "<channel> x[] </channel>", lambda x: inverse(x, x)),
    "channel, two lists": ("x[3] 0..3; y[3] 0..2", tag("channel", "x[]", "y[]"), lambda x, y: inverse(x, y)),
    "channel, starts": (
        "x[3] 1..3; y[3] 0..3",
        '<channel><list startIndex="1"> x[] </list><list startIndex="1"> y[] </list></channel>',
        lambda x, y: inverse(x, y, 1),
    ),
    "channel, value": (
        "x[4] 0..1; v 0..4",
        tag("channel", "x[]", value="v"),
        lambda x, v: v < 4 and x == tuple(int(place == v) for place in range(4)),
    ),
    "noOverlap": ("s[3] 0..3", tag("noOverlap", origins="s[]", lengths="1 2 1"), lambda s: apart(s, (1, 2, 1))),
    "noOverlap, zero ignored": (
        "s[3] 0..3",
        tag("noOverlap", origins="s[]", lengths="0 2 1"),
        lambda s: apart(s, (0, 2, 1)),
    ),
    "noOverlap, variable lengths": (
        "s[2] 0..3; d[2] 0..2",
        tag("noOverlap", origins="s[]", lengths="d[]"),
        lambda s, d: apart(s, d),
    ),
    "noOverlap, arrays of boxes": (
        "p[2][2] 0..1; d[2][2] 0..2",
        tag("noOverlap", attributes='zeroIgnored="false"', origins="p[][]", lengths="d[][]"),
        lambda p, d: boxes_apart(p, d, False),
    ),
    "noOverlap, boxes, zero ignored": (
        "p[2][2] 0..1; d[2] 0..2",
        tag("noOverlap", origins="p[][]", lengths="(d[0],1)(d[1],2)"),
        lambda p, d: boxes_apart(p, ((d[0], 1), (d[1], 2))),
    ),
    "noOverlap, three dimensions": (
        "p[2][3] 0..1",
        tag("noOverlap", origins="p[][]", lengths="(1,1,1)(1,1,1)"),
        lambda p: p[0] != p[1],
    ),
    "cumulative": (
        "s[3] 0..3",
        tag("cumulative", origins="s[]", lengths="2 1 2", heights="2 1 1", condition="(le,2)"),
        lambda s: peak(s, (2, 1, 2), (2, 1, 1)) <= 2,
    ),
    "cumulative, lt": (
        "s[3] 0..3",
        tag("cumulative", origins="s[]", lengths="2 1 2", heights="2 1 1", condition="(lt,3)"),
        lambda s: peak(s, (2, 1, 2), (2, 1, 1)) < 3,
    ),
    "cumulative, ends": (
        "s[2] 0..2; e[2] 0..4",
        tag("cumulative", origins="s[]", lengths="2 1", ends="e[]", heights="1 2", condition="(le,2)"),
        lambda s, e: e == (s[0] + 2, s[1] + 1) and peak(s, (2, 1), (1, 2)) <= 2,
    ),
    "cumulative, many tasks": (
        "s[2] 0..3; d 1..2",
        tag("cumulative", origins="s[] 0x60", lengths="d 2 1x60", heights="1 1 0x60", condition="(lt,2)"),
        lambda s, d: peak(s, (d, 2), (1, 1)) < 2,
    ),
    "binPacking, lt": (
        "x[3] 0..2",
        tag("binPacking", "x[]", sizes="2 1 2", condition="(lt,4)"),
        lambda x: all(load(x, (2, 1, 2), number) < 4 for number in x),
    ),
    "binPacking, limits": (
        "x[3] 0..3",
        tag("binPacking", "x[]", sizes="2 1 2", limits="3 2 0"),
        lambda x: 3 not in x and all(load(x, (2, 1, 2), number) <= (3, 2, 0)[number] for number in range(3)),
    ),
    "binPacking, variable limits": (
        "x[2] 0..1; c[2] 0..4",
        tag("binPacking", "x[]", sizes="2 1", limits="c[]"),
        lambda x, c: all(load(x, (2, 1), number) <= c[number] for number in range(2)),
    ),
    "binPacking, loads": (
        "x[3] 0..2; c[2] 0..5",
        tag("binPacking", "x[]", sizes="2 1 2", loads="c[]"),
        lambda x, c: 2 not in x and all(load(x, (2, 1, 2), number) == c[number] for number in range(2)),
    ),
    "binPacking, a condition for each bin": (
        "x[3] 0..1",
        tag("binPacking", "x[]", sizes="2 1 2", conditions="(le,3)(in,1..4)"),
        lambda x: load(x, (2, 1, 2), 0) <= 3 and 1 <= load(x, (2, 1, 2), 1) <= 4,
    ),
    "binPacking, ge": (
        "x[3] 0..2",
        tag("binPacking", "x[]", sizes="2 1 2", condition="(ge,2)"),
        lambda x: all(load(x, (2, 1, 2), number) >= 2 for number in x),
    ),
    "knapsack": (
        "x[3] 0..2; p 0..9",
        "<knapsack><list> x[] </list><weights> 2 1 3 </weights><condition> (le,5) </condition>"
        "<profits> 1 2 3 </profits><condition> (gt,p) </condition></knapsack>",
        lambda x, p: 2 * x[0] + x[1] + 3 * x[2] <= 5 and x[0] + 2 * x[1] + 3 * x[2] > p,
    ),
    "circuit": ("x[4] 0..3", "<circuit> x[] </circuit>", lambda x: circuit(x)),
    "circuit, start": (
        "x[3] 0..3",
        '<circuit><list startIndex="1"> x[] </list></circuit>',
        lambda x: circuit(x, first=1),
    ),
    "circuit, variable size": (
        "x[3] 0..2; k 0..4",
        tag("circuit", "x[]", size="k"),
        lambda x, k: circuit(x, k),
    ),
    "instantiation": (
        "x[3] 0..2",
        tag("instantiation", "x[1..2]", values="1 2") + intension("gt(x[0],0)"),
        lambda x: x[1:] == (1, 2) and x[0],
    ),
    "instantiation, star": ("x[3] 0..2", tag("instantiation", "x[]", values="1 * 2"), lambda x: (x[0], x[2]) == (1, 2)),
    "clause": ("b[3] 0..1", "<clause> b[0] not(b[1]) b[2] </clause>", lambda b: b[0] or not b[1] or b[2]),
    "slide": (
        "x[4] 0..2",
        "<slide><list> x[] </list><intension> lt(add(%0,%1),%2) </intension></slide>",
        lambda x: x[0] + x[1] < x[2] and x[1] + x[2] < x[3],
    ),
    "slide, offset": (
        "x[4] 0..2",
        '<slide><list offset="2"> x[] </list><intension> lt(%0,%1) </intension></slide>',
        lambda x: x[0] < x[1] and x[2] < x[3],
    ),
    "slide, two lists": (
        "x[3] 0..1; y[2] 0..1",
        '<slide><list collect="2"> x[] </list><list> y[] </list><intension> eq(add(%0,%1),%2) </intension></slide>',
        lambda x, y: x[0] + x[1] == y[0] and x[1] + x[2] == y[1],
    ),
    "slide, table": (
        "x[4] 0..1",
        "<slide><list> x[] </list><extension><list> %0 %1 </list><conflicts> (1,1) </conflicts></extension></slide>",
        lambda x: (1, 1) not in pairwise(x),
    ),
    "group, all arguments": (
        "x[2][3] 0..2",
        "<group><allDifferent> %... </allDifferent><args> x[0][] </args><args> x[][1] </args></group>",
        lambda x: differ(x[0]) and x[0][1] != x[1][1] and True,
    ),
    "group, the rest of the arguments": (
        "x[3] 0..2; y 0..4",
        "<group><sum><list> %... </list><condition> (eq,%0) </condition></sum><args> y x[0] x[1] </args>"
        "<args> 2 x[1..2] </args></group>",
        lambda x, y: y == x[0] + x[1] and x[1] + x[2] == 2,
    ),
    "group, operators": (
        "x[3] 0..3",
        "<group><intension> eq(dist(%0,%1),%2) </intension>"
        "<args> x[0] x[1] 1 </args><args> x[1] x[2] 2 </args></group>",
        lambda x: abs(x[0] - x[1]) == 1 and abs(x[1] - x[2]) == 2,
    ),
    "blocks with classes": (
        "x[3] 0..2",
        '<block class="clues"><block class="symmetry-breaking other"><intension> lt(x[0],x[1]) </intension></block>'
        '<intension class="redundant-constraints"> ne(x[0],2) </intension></block>'
        "<intension> ne(x[2],x[1]) </intension>",
        lambda x: x[0] < x[1] != x[2],
    ),
    "part of an array": (
        "x[2][3] 0..1",
        tag("sum", "x[0][1..2] x[1][]", condition="(eq,2)") + intension("eq(x[0][0],1)"),
        lambda x: x[0][1] + x[0][2] + sum(x[1]) == 2 and x[0][0] == 1,
    ),
    "domains with holes": ("x -3 0 5..6; y 1 3", intension("lt(x,y)"), lambda x, y: x < y),
    "domains of one value": ("x 4; y 1..6", intension("lt(x,y)"), lambda x, y: x < y),
    "sum, in a set of ranges": (
        "x[3] 0..3",
        tag("sum", "x[]", condition="( in , {1..3,7} )"),
        lambda x: sum(x) in (1, 2, 3, 7),
    ),
    "sum, in a range below 0": (
        "x[2] -3..3",
        tag("sum", "x[]", condition="(in,-2..1)"),
        lambda x: -2 <= sum(x) <= 1,
    ),
    "sum, terms that cancel": (
        "x 0..2; y 0..1",
        tag("sum", "x x y", coeffs="1 -1 1", condition="(eq,1)"),
        lambda x, y: y == 1,
    ),
    "group, a list with a variable": (
        "x[3] 0..3; y 0..2",
        "<group><sum><list> y %... </list><condition> (le,%0) </condition></sum>"
        "<args> 3 x[0] x[1] </args><args> 4 x[] </args></group>",
        lambda x, y: y + x[0] + x[1] <= 3 and y + sum(x) <= 4,
    ),
    "group, conditions": (
        "x[3] 0..3; y 0..2",
        "<group><sum><list> %0 %1 </list><condition> %2 </condition></sum>"
        "<args> x[0] x[1] (le,y) </args><args> x[1] x[2] (ge,2) </args></group>",
        lambda x, y: x[0] + x[1] <= y and x[1] + x[2] >= 2,
    ),
    "element, expressions": (
        "x[3] 0..2; i 0..4; y 0..2",
        tag("element", "x[]", index="sub(i,1)", value="add(y,1)"),
        lambda x, i, y: at(x, i - 1) == y + 1,
    ),
    "element, matrix of variables and integers": (
        "x[2] 0..1; i 0..1; j 0..1; y 0..3",
        tag("element", matrix="(x[])(y,2)", index="i j", value="1"),
        lambda x, i, j, y: (x, (y, 2))[i][j] == 1,
    ),
    "lex, a part of three dimensions": (
        "p[2][2][2] 0..1",
        tag("lex", matrix="p[1][][]", operator="le") + tag("sum", "p[0][][]", condition="(eq,1)"),
        lambda p: (
            sum(map(sum, p[0])) == 1 and p[1][0] <= p[1][1] and (p[1][0][0], p[1][1][0]) <= (p[1][0][1], p[1][1][1])
        ),
    ),
    "slide, sum": (
        "x[5] 0..1",
        "<slide><list> x[] </list><sum><list> %0 %1 %2 </list><condition> (eq,1) </condition></sum></slide>",
        lambda x: all(sum(x[place : place + 3]) == 1 for place in range(3)),
    ),
    "maximumArg, not in a set": (
        "x[3] 0..1",
        tag("maximumArg", "x[]", condition="(notin,{0,2})"),
        lambda x: x[1] == max(x),
    ),
    "minimumArg, start": (
        "x[3] 0..1; i 0..4",
        '<minimumArg rank="last"><list startIndex="1"> x[] </list><condition> (eq,i) </condition></minimumArg>',
        lambda x, i: 3 - x[::-1].index(min(x)) == i,
    ),
    "extension, expressions": (
        "x[2] 0..4",
        tag("extension", "add(x[0],1) x[1]", supports="(1,2)(3,4)"),
        lambda x: (x[0] + 1, x[1]) in ((1, 2), (3, 4)),
    ),
    "channel, value, start": (
        "x[3] 0..1; v 0..4",
        '<channel><list startIndex="1"> x[] </list><value> v </value></channel>',
        lambda x, v: 1 <= v <= 3 and x == tuple(int(place == v) for place in (1, 2, 3)),
    ),
    "circuit of two": ("x[2] 0..1", "<circuit> x[] </circuit>", lambda x: circuit(x)),
    "circuit of one": ("x[1] 0..1; y 0..1", "<circuit> x[] </circuit>" + intension("ge(y,0)"), lambda x, y: False),
    "noOverlap, lengths below 0": (
        "s[2] 0..2; d[2] -1..1",
        tag("noOverlap", origins="s[]", lengths="d[]"),
        lambda s, d: apart(s, d),
    ),
    "contradiction": ("x 0..3; y 0..3", intension("lt(x,y)") + intension("lt(y,x)"), lambda x, y: False),
}
"""The cases that `pytest -m thorough` counts."""

OBJECTIVES: Mapping[str, tuple[str, str, str, Callable[..., object], Callable[..., object]]] = {
    "expression": (
        "x 0..3; y 0..3",
        intension("ne(x,y)"),
        "<minimize> add(x,mul(2,y)) </minimize>",
        lambda x, y: x != y,
        lambda x, y: -x - 2 * y,
    ),
    "sum of expressions": (
        "c[2] -2..2; d 0..3",
        intension("ne(c[0],c[1])") + intension("le(d,2)"),
        '<minimize type="sum"> mul(c[0],c[0]) mul(c[1],c[1]) </minimize>',
        lambda c, d: c[0] != c[1] and d <= 2,
        lambda c, d: -c[0] * c[0] - c[1] * c[1],
    ),
    "sum, coefficients": (
        "x[3] 0..2",
        "<allDifferent> x[] </allDifferent>",
        '<maximize type="sum"><list> x[] </list><coeffs> 1 2 2 </coeffs></maximize>',
        lambda x: differ(x),
        lambda x: x[0] + 2 * x[1] + 2 * x[2],
    ),
    "product": (
        "x[2] -2..2",
        intension("ne(x[0],x[1])"),
        '<maximize type="product"> x[] </maximize>',
        lambda x: x[0] != x[1],
        lambda x: x[0] * x[1],
    ),
    "maximum": (
        "x[3] 0..3",
        "<allDifferent> x[] </allDifferent>",
        '<minimize type="maximum"> x[] </minimize>',
        lambda x: differ(x),
        lambda x: -max(x),
    ),
    "minimum": (
        "x[3] 0..3",
        "<allDifferent> x[] </allDifferent>",
        '<maximize type="minimum"> x[] </maximize>',
        lambda x: differ(x),
        lambda x: min(x),
    ),
    "nValues": (
        "x[3] 0..2",
        intension("lt(x[0],x[1])"),
        '<minimize type="nValues"> x[] </minimize>',
        lambda x: x[0] < x[1],
        lambda x: -len({*x}),
    ),
    "lex": (
        "x[3] -1..2",
        intension("le(add(x[0],x[1],x[2]),2)"),
        '<maximize type="lex"> x[] </maximize>',
        lambda x: sum(x) <= 2,
        lambda x: x,
    ),
}
"""Instances with an objective: (variables, constraints, objective, predicate, value that is to be great)."""
