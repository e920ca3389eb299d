"""Tuned constants: limits and times that were chosen by measuring, and that tests pass other values of."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

Round = Sequence[tuple[str, float]]
"""Backends that run one after another, each with its seconds."""


@dataclass
class Tuning:
    """The tuned constants of the core, read where they are needed from `TUNING`; worker processes have the defaults."""

    # Cubes
    min_parallel_seconds: float = 1.0
    """Seconds of work that have to be left, as it seems, for other processes to be started: twice what that takes."""

    seconds_per_clause: float = 2e-5
    """Processor seconds, for each clause of a model, to lower the model and to load the clauses into a solver."""

    forecast_after_seconds: float = 0.1
    """Seconds of work after which the rest is judged."""

    min_cube_seconds: float = 0.5
    """Seconds for which any cube may keep one worker busy."""

    max_cube_solutions: int = 4096
    """Solutions that are held of one cube; one that has more is split again."""

    max_model_cubes: int = 100
    """Cubes of a model that is not an exact cover.

    They are enough to keep workers busy to the end, few enough to be made quickly. Those that leave most open come
    first. In a random order, by which the remaining time can be told for covers, 7x7 in halves took 14 s in place of
    10, as a long one came last, and the time told was no better.
    """

    max_branching_values: int = 64
    """The most values of a key variable that a search branches on."""

    max_parts_of_cube: int = max_branching_values
    """Parts into which a cube with many solutions is split again: enough to branch on any variable."""

    seconds_for_first: float = 10.0
    """Seconds of the processor for which a first solution is sought in one piece, before the space is cut."""

    # Runs and checks
    grace_seconds: float = 0.7
    """Seconds that a search which was told to stop is given to end; after that its thread is left behind."""

    counterexample_share: float = 0.1
    """The time to seek a counterexample to a symmetry, as a share of the time that the run took so far."""

    min_counterexample_seconds: float = 0.2
    """The least seconds for that."""

    solutions_per_check: int = 2048
    """Solutions or images that are checked at a time."""

    max_own_checks: int = 10_000
    """The images, besides those that are shown, that are each checked by the puzzle's own ``is_solution``.

    Beyond these, a sample is. Such a check takes some ten microseconds at best, more than all else for an image.
    """

    max_file_evaluations: int = 1_000_000
    """The constraints, each once for each solution, that are evaluated by a second reading of a file.

    Each takes a microsecond or two. Beyond these, a random sample of the solutions is held against the file.
    """

    own_check_share: float = 0.01
    """The share of the further images in that sample."""

    seconds_before_sharing_checks: float = 1.0
    """Seconds of checking after which other processes share the work."""

    max_evaluation_entries: int = 300_000
    """The most array entries that a batch works on at once: 2.4 MB for each array, which stay in the cache."""

    # Clauses
    max_clauses: int = 2_000_000
    """The most clauses of a formula.

    So many take a third of a gigabyte in Python and some seconds to hand over; CaDiCaL still stops quickly.
    """

    max_order_encoded_values: int = 1000
    """The most values of a variable that is lowered in the order encoding; one of more values is lowered in binary."""

    max_enumerated_cases: int = 10_000
    """The most combinations of values of the numbers in a function that is lowered by these, not in binary."""

    max_diagram_edges: int = 20_000
    """The most edges of a sum's decision diagram; a sum that would take more is added up in binary."""

    # Exact covers
    min_items_per_option: float = 2.0
    """Items that an option has to cover on average for a search to do well that branches on items.

    Where most rules are exclusions of two options, as in colourings of graphs, those that learn are better: a graph of
    260 nodes that three colours are too few for takes CaDiCaL 0.1 s, and our search more than 6.
    """

    max_small_cover_options: int = 40
    """The most options of a cover for which `auto` takes `cp`, and no implied exclusions are sought.

    Any solver is done with so few at once, and the first run after installing need not wait until code is compiled.
    """

    plain_nodes: int = 65_536
    """The most nodes of the search of a cover for which it derives no exclusions.

    They take a tenth of a second, and to derive the exclusions and verify them three: 8x8 with a hole in the middle has
    50 k nodes without, and 5 k with them.
    """

    max_paired_options: int = 5_000
    """The most options of a cover whose implied exclusions are sought; the table has a byte for each two of them."""

    max_exclusions: int = 2_000_000
    """The most pairs of options that exclude each other; more take longer to say than they save."""

    # Symmetry
    max_listed_elements: int = 500
    """The largest group that is listed if it can be told without a list.

    To break the symmetries of a larger one by its elements costs more than to tell orbits apart: for 3072 of them, of
    4x4 sudokus, a minute on CP-SAT; without a list 2 s.
    """

    max_proof_seconds: float = 10.0
    """The most seconds for a proof of symmetries; after that they are taken on trust."""

    max_value_nodes: int = 1000
    """The most values of a variable that has a literal for each; a variable of more values is one literal."""

    max_constraint_cases: int = 1000
    """The most combinations of values of a constraint's variables for it to be taken value by value."""

    max_graph_nodes: int = 3_000_000
    """The most vertices of the constraint graph; so many take about a minute to write."""

    max_lex_leader_comparisons: int = 2_000
    """The most comparisons that lex-leader constraints may take in a search, which can do without them."""

    lex_leader_comparisons_per_row: int = 1
    """Comparisons more that they may take for each variable and constraint of the model."""

    # Backends
    max_constraints_for_cp: int = 2000
    """The most constraints, most of them clauses, of a model on which `cp` has a turn before `sat` and `cp-sat`.

    More take long to build for `cp`, and search without learning gets lost: 8x8 dissected in two, 60 solutions in the
    first second and 26 orbits in 25, where `sat` finds thousands. On cubes it is compared if they may take long.
    """

    trial_rounds: Sequence[Round] = (
        (("cp", 0.2), ("cp-sat", 0.15), ("cp", 0.5), ("sat", 0.1)),
        (("cp", 0.4), ("cp-sat", 0.4), ("sat", 0.4)),
    )
    """The rounds of trials for a model with few clauses: in each, backends with their seconds of processor time.

    A further round is for models for which the round before finds few solutions.
    """

    circuit_trial_rounds: Sequence[Round] = (
        (("cp-sat", 1.0), ("cp", 0.5), ("sat", 0.1)),
        (("cp", 0.4), ("cp-sat", 0.4), ("sat", 0.4)),
    )
    """The same for a model with a circuit or intervals, of which `cp-sat` lists most before that second is over.

    The 9,862 cycles of a knight on a board of six by six take it 0.9 s, `cp` 1.5 and `sat` 4.3, all for the command.
    """

    clause_trial_rounds: Sequence[Round] = (
        (("cp-sat", 0.3),),
        (("sat", 0.4), ("cp-sat", 0.4)),
        (("sat", 1.5), ("cp-sat", 1.5)),
    )
    """The same for a model with at least `max_constraints_for_cp` clauses, most of its constraints.

    `tests.benchmarks.auto` shows how well they choose.
    """

    boolean_trial_rounds: Sequence[Round] = (
        (("sat", 0.3), ("clasp", 0.3)),
        (("sat", 1.0), ("clasp", 1.0)),
    )
    """The same for a model whose rules are all about Booleans, of at most `max_tried_boolean_constraints`.

    `sat` is as quick as any where solutions are few; `clasp` lists many of them two to ten times as quickly.
    """

    first_solution_rounds: Sequence[Round] = (
        (("cp-sat", 2.0), ("cover", 3.0), ("sat", 2.0)),
        (("cp-sat", 5.0), ("cover", 8.0), ("sat", 5.0)),
    )
    """The rounds for an exact cover of which `cover` finds no first solution in a second.

    That 27 blocks of 1x2x4 do not fill 6x6x6 takes `cover` 28 s and `cp-sat` 5. For 60 pentominoes on 15x20 `cover`
    takes 10 s, and the others more than 60.
    """

    min_preparation_seconds: float = 2.0
    """Processor seconds that a backend may take to be ready for its turn, if the trial has not taken longer already.

    Sums of wide numbers may take `sat` a minute to be written as clauses, where `cp` lists all solutions in seconds.
    """

    cover_trial: Round = (("cover", 0.1),)
    """The first round for an exact cover of Boolean rules whose options cover few items, such as a colouring.

    Small ones end within it: all 55,447 independent sets of a 5x5 grid take `cover` 0.2 s, `clasp` and `sat` more than
    a second. Where it finds fewer, learning is better: with 260 nodes and three colours it finds nothing in seconds.
    """

    large_boolean_trial: Round = (("cp-sat", 1.0),)
    """The first round for a model with at least `max_constraints_for_cp` rules, all about Booleans and not all clauses.

    `cp-sat` is ready before the clauses of the others are made: 549 numbrixes on 5x5 take it 0.8 s, and `sat` 1.0.
    """

    max_tried_boolean_constraints: int = 100_000
    """The most constraints about Booleans for which several backends are tried: each has to load all of them."""

    max_tried_interval_pairs: int = 2500
    """The most pairs of intervals of a model for which several backends are tried.

    All but CP-SAT compare the intervals pair by pair: 2500 take 0.1 s to write for no_overlap, 0.4 s for cumulative.
    """

    sample_cubes: int = 64
    """The number of cubes into which the space is split, so that backends search some of them to be compared."""

    sample_seconds: float = 0.3
    """Seconds of processor time within which backends are compared on cubes, if the trials before took no longer."""

    sample_preparation_seconds: float = 1.0
    """Seconds of processor time that a backend may take to be ready for that comparison."""

    proving_trials: Round = (("cp", 0.3), ("sat", 0.2), ("cp-sat", 0.2))
    """The trials before `trial_rounds` for a model with an objective, in seconds of processor time.

    They find the backend that proves the best value first. Plans of a hundred steps take `cp` and `cp-sat` seconds,
    `sat` a tenth of one. Golomb's ruler of 8 marks takes `cp` 0.2 s, and a second to be written as clauses for `sat`,
    which is not part of its time.
    """

    solutions_before_listing: int = 10
    """Solutions of a model after which `sat` lists the others.

    To list takes a new solver, and one that simplifies less: a model with one solution may take it twice as long, one
    with thousands a third of the time.
    """

    max_conflicts_before_listing: int = 10 * solutions_before_listing
    """Conflicts until then; a cover with so many is not listed.

    CaDiCaL would report thousands of variables at each decision. 6x10 takes a fifth longer if it is listed; dominoes,
    with a conflict a solution, take half as long.
    """

    max_cp_sat_repeats: int = 100
    """Repeats, besides one for each key that it has found, after which a search of `cp-sat` is broken off."""


TUNING = Tuning()


@contextmanager
def override_tuning(tuning: Any = TUNING, /, **values: Any) -> Iterator[None]:
    """Give tuned constants other values, in all threads, for a block or for a function that this decorates.

    At its end they have their former values. tuning: the instance that holds them. values: by name. Raises TypeError
    for a name that it does not hold.
    """
    before = replace(tuning)
    vars(tuning).update(vars(replace(tuning, **values)))
    try:
        yield
    finally:
        vars(tuning).update(vars(before))
