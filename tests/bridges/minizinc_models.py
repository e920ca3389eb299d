"""Models in MiniZinc, written for tests: each global constraint at least once; what is output tells solutions apart."""

MODELS = {
    "queens": """include "all_different.mzn"; int: n = 7; array[1..n] of var 1..n: q;
        constraint all_different(q) /\\ all_different([q[i] + i | i in 1..n]) /\\ all_different([q[i] - i | i in 1..n]);
        solve :: int_search(q, first_fail, indomain_min) satisfy;""",
    "send_more": """include "all_different.mzn"; array[1..8] of var 0..9: d; constraint d[1] > 0 /\\ d[5] > 0;
        constraint 1000*d[1] + 100*d[2] + 10*d[3] + d[4] + 1000*d[5] + 100*d[6] + 10*d[7] + d[2]
            = 10000*d[5] + 1000*d[6] + 100*d[3] + 10*d[2] + d[8];
        constraint all_different(d); solve satisfy;""",
    "langford": """include "inverse.mzn"; include "all_different.mzn"; int: n = 4;
        array[1..2*n] of var 1..2*n: p; constraint all_different(p);
        constraint forall (i in 1..n) (p[i + n] = p[i] + i + 1); solve satisfy;""",
    "colouring": """array[1..5] of var 1..3: c; array[1..6, 1..2] of int: e = [|1,2|2,3|3,4|4,5|5,1|1,3|];
        constraint forall (k in 1..6) (c[e[k, 1]] != c[e[k, 2]]); solve satisfy;""",
    "magic": """include "all_different.mzn"; array[1..3, 1..3] of var 1..9: m;
        constraint all_different([m[i, j] | i, j in 1..3]);
        constraint forall (i in 1..3) (sum (j in 1..3) (m[i, j]) = 15 /\\ sum (j in 1..3) (m[j, i]) = 15);
        solve satisfy;""",
    "table": """include "table.mzn"; array[1..3] of var 0..4: x;
        constraint table(x, [|0,1,2|1,1,2|2,4,0|3,3,3|4,0,9|1,1,2|]); constraint x[1] + x[2] < 5; solve satisfy;""",
    "table_bool": """include "table.mzn"; array[1..3] of var bool: x; var 0..3: n;
        constraint table(x, [|true,false,true|false,false,true|true,true,false|]);
        constraint n >= sum (i in 1..3) (x[i]); solve satisfy;""",
    "regular": """include "regular.mzn"; array[1..5] of var 1..3: x;
        constraint regular(x, 3, 3, [|1,2,0|2,3,1|3,0,1|], 1, {1, 3}); solve satisfy;""",
    "regular_nfa": """include "regular_nfa.mzn"; array[1..5] of var 1..2: x;
        constraint regular_nfa(x, 3, 2, [|{1,2},{1}|{3},{}|{3},{3}|], 1, {3}); solve satisfy;""",
    "circuit": """include "circuit.mzn"; array[0..4] of var 0..4: x; constraint circuit(x);
        constraint x[0] != 1; solve satisfy;""",
    "subcircuit": """include "subcircuit.mzn"; array[1..4] of var 1..4: x; constraint subcircuit(x); solve satisfy;""",
    "inverse": """include "inverse.mzn"; array[1..4] of var 0..3: f; array[0..3] of var 1..4: g;
        constraint inverse(f, g); constraint f[1] < f[2]; solve satisfy;""",
    "inverse_one": """include "inverse.mzn"; array[1..4] of var 0..5: f; array[1..4] of var 1..4: g;
        constraint inverse(f, g); constraint g[1] != 1; solve satisfy;""",
    "element": """array[1..4] of var 0..3: a; var 0..5: i; var 0..3: v; array[1..4] of int: c = [3, 1, 3, 0];
        constraint a[i] = v /\\ c[a[1] + 1] = v; solve satisfy;""",
    "element_bool": """array[1..3] of var bool: a; var 1..4: i; var bool: v; constraint a[i] = v; solve satisfy;""",
    "cumulative": """include "cumulative.mzn"; array[1..4] of var 0..4: s;
        constraint cumulative(s, [2, 1, 3, 2], [1, 2, 1, 2], 3); constraint s[1] <= s[2]; solve satisfy;""",
    "cumulative_open": """include "cumulative.mzn"; array[1..3] of var 0..2: s; array[1..3] of var 0..2: d; var 1..3: b;
        constraint cumulative(s, d, [1, 2, 1], b); solve satisfy;""",
    "disjunctive": """include "disjunctive.mzn"; array[1..3] of var 0..4: s; array[1..3] of var 0..2: d;
        constraint disjunctive(s, d); constraint sum(d) = 4; solve satisfy;""",
    "disjunctive_strict": """include "disjunctive_strict.mzn"; array[1..3] of var 0..4: s; array[1..3] of var 0..2: d;
        constraint disjunctive_strict(s, d); constraint sum(d) = 3; solve satisfy;""",
    "diffn": """include "diffn.mzn"; array[1..3] of var 0..2: x; array[1..3] of var 0..2: y;
        constraint diffn(x, y, [2, 1, 2], [1, 2, 1]); solve satisfy;""",
    "lex_less": """include "lex_less.mzn"; array[1..3] of var 0..2: x; array[1..2] of var 0..2: y;
        constraint lex_less(x, y); solve satisfy;""",
    "lex_lesseq": """include "lex_lesseq.mzn"; array[1..3] of var 0..2: x; array[1..3] of var bool: b;
        constraint lex_lesseq(x, [x[3], x[1], x[2]]) /\\ lex_lesseq([b[1], b[2]], [b[3], b[1]]); solve satisfy;""",
    "lex2": """include "lex2.mzn"; array[1..3, 1..2] of var 0..2: x; constraint lex2(x); solve satisfy;""",
    "count": """include "count.mzn"; array[1..4] of var 0..2: x; var 0..2: y; var 0..4: c;
        constraint count(x, y, c) /\\ c != 2; solve satisfy;""",
    "count_relations": """include "count_geq.mzn"; include "count_leq.mzn"; array[1..4] of var 0..2: x;
        constraint count_geq(x, 0, 2) /\\ count_leq(x, x[1], 3); solve satisfy;""",
    "among": """include "among.mzn"; array[1..4] of var 0..4: x; var 0..5: n; constraint among(n, x, {1, 2, 4});
        constraint n > 2; solve satisfy;""",
    "at_most": """include "at_most.mzn"; include "at_least.mzn"; include "exactly.mzn"; array[1..5] of var 0..3: x;
        constraint at_most(2, x, 0) /\\ at_least(1, x, 3) /\\ exactly(2, x, 1); solve satisfy;""",
    "global_cardinality": """include "global_cardinality.mzn"; array[1..4] of var 0..3: x; array[1..3] of var 0..3: n;
        constraint global_cardinality(x, [0, 2, 5], n); constraint n[1] <= n[2]; solve satisfy;""",
    "cardinality_closed": """include "global_cardinality_closed.mzn"; array[1..4] of var 0..3: x;
        array[1..2] of var 0..3: n; constraint global_cardinality_closed(x, [0, 2], n); solve satisfy;""",
    "cardinality_between": """include "global_cardinality_low_up.mzn"; array[1..4] of var 0..3: x;
        constraint global_cardinality_low_up(x, [0, 1, 3], [1, 0, 1], [2, 1, 4]); solve satisfy;""",
    "nvalue": """include "nvalue.mzn"; array[1..4] of var 0..3: x; var 0..4: n; constraint nvalue(n, x);
        constraint n mod 2 = 1; solve satisfy;""",
    "sort": """include "sort.mzn"; array[1..3] of var 0..3: x; array[1..3] of var 0..3: y; constraint sort(x, y);
        solve satisfy;""",
    "except_0": """include "alldifferent_except_0.mzn"; array[1..4] of var 0..3: x;
        constraint alldifferent_except_0(x); solve satisfy;""",
    "increasing": """include "increasing.mzn"; include "all_equal.mzn"; array[1..4] of var 0..3: x;
        constraint increasing(x) \\/ all_equal([x[1], x[3], x[4]]); solve satisfy;""",
    "maximum": """include "maximum.mzn"; include "minimum.mzn"; array[1..3] of var -2..2: x; var int: m; var int: k;
        constraint maximum(m, x) /\\ minimum(k, x) /\\ m - k = 2; solve satisfy;""",
    "precede": """include "value_precede.mzn"; array[1..5] of var 1..3: x;
        constraint value_precede(1, 2, x) /\\ value_precede(2, 3, x); solve satisfy;""",
    "bin_packing": """include "bin_packing_load.mzn"; array[1..3] of var 0..9: load; array[1..4] of var 1..3: bin;
        constraint bin_packing_load(load, bin, [3, 1, 4, 1]) /\\ load[1] <= 5; solve satisfy;""",
    "arithmetic": """var -4..4: a; var -4..4: b; var -20..20: c; var int: d; var int: e; constraint a div b = d;
        constraint a mod b = e; constraint a * b + abs(a - b) = c /\\ max(a, b) > min(d, e); solve satisfy;""",
    "powers": """var -3..3: a; var -1..4: b; var int: c; constraint pow(a, b) = c /\\ a * a * a <= c + 5;
        solve satisfy;""",
    "logic": """array[1..5] of var bool: b; var 0..5: n;
        constraint (b[1] xor b[2]) <-> (b[3] /\\ not b[4]); constraint b[5] -> (b[1] \\/ n in {0, 2, 3});
        constraint xorall(b) \\/ n > 3; constraint not (n = 4 /\\ b[2] <= b[1]); solve satisfy;""",
    "reified_globals": """include "all_different.mzn"; include "table.mzn"; array[1..3] of var 0..2: x; var bool: b;
        constraint b <-> all_different(x); constraint not b \\/ x[1] < x[3]; solve satisfy;""",
    "if_then_else": """var 0..4: x; var 0..9: y; array[1..2] of var 0..3: z;
        constraint y = if x < 2 then z[1] elseif z[2] > x then z[2] + 1 else 7 endif; solve satisfy;""",
    "sets": """var set of 1..4: s; var set of 2..5: t; var 0..4: n;
        constraint s subset t \\/ card(s intersect t) = n; constraint 3 in s; solve satisfy;""",
    "optional": """array[1..3] of var opt 1..3: x; constraint sum (i in 1..3) (bool2int(occurs(x[i]))) = 2;
        constraint x[1] < x[2]; solve satisfy;""",
    "best": """array[1..4] of var 0..5: x; var int: s; constraint sum(x) = s /\\ x[1] * x[2] <= 6 /\\ x[3] + x[4] <= 5;
        constraint x[1] != x[2]; solve maximize s;""",
    "output_of_some": """array[1..4] of var 1..4: x; var 0..50: hidden; constraint sum(x) <= 8 /\\ hidden > sum(x);
        solve satisfy; output [show(x)];""",
}
