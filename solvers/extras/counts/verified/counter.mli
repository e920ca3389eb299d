
val implb : bool -> bool -> bool

val negb : bool -> bool

type nat =
| O
| S of nat

val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

val length : 'a1 list -> nat

val app : 'a1 list -> 'a1 list -> 'a1 list

type comparison =
| Eq
| Lt
| Gt

type uint =
| Nil
| D0 of uint
| D1 of uint
| D2 of uint
| D3 of uint
| D4 of uint
| D5 of uint
| D6 of uint
| D7 of uint
| D8 of uint
| D9 of uint

val revapp : uint -> uint -> uint

val rev : uint -> uint

module Little :
 sig
  val double : uint -> uint

  val succ_double : uint -> uint
 end

val add : nat -> nat -> nat

val eqb : bool -> bool -> bool

module Nat :
 sig
  val pred : nat -> nat

  val eqb : nat -> nat -> bool

  val leb : nat -> nat -> bool

  val ltb : nat -> nat -> bool

  val compare : nat -> nat -> comparison

  val even : nat -> bool

  val log2_iter : nat -> nat -> nat -> nat -> nat

  val log2 : nat -> nat

  val eq_dec : nat -> nat -> bool

  val log2_up : nat -> nat
 end

module Pos :
 sig
  type mask =
  | IsNul
  | IsPos of Z.t
  | IsNeg
 end

module Coq_Pos :
 sig
  val add : Z.t -> Z.t -> Z.t

  val add_carry : Z.t -> Z.t -> Z.t

  val pred_double : Z.t -> Z.t

  type mask = Pos.mask =
  | IsNul
  | IsPos of Z.t
  | IsNeg

  val succ_double_mask : mask -> mask

  val double_mask : mask -> mask

  val double_pred_mask : Z.t -> mask

  val sub_mask : Z.t -> Z.t -> mask

  val sub_mask_carry : Z.t -> Z.t -> mask

  val compare_cont : comparison -> Z.t -> Z.t -> comparison

  val compare : Z.t -> Z.t -> comparison

  val of_succ_nat : nat -> Z.t

  val to_little_uint : Z.t -> uint

  val to_uint : Z.t -> uint
 end

module N :
 sig
  val succ_double : Z.t -> Z.t

  val double : Z.t -> Z.t

  val sub : Z.t -> Z.t -> Z.t

  val compare : Z.t -> Z.t -> comparison

  val leb : Z.t -> Z.t -> bool

  val pos_div_eucl : Z.t -> Z.t -> Z.t * Z.t

  val div_eucl : Z.t -> Z.t -> Z.t * Z.t

  val div : Z.t -> Z.t -> Z.t

  val of_nat : nat -> Z.t

  val to_uint : Z.t -> uint
 end

val nth : nat -> 'a1 list -> 'a1 -> 'a1

val concat : 'a1 list list -> 'a1 list

val list_eq_dec : ('a1 -> 'a1 -> bool) -> 'a1 list -> 'a1 list -> bool

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list

val find : ('a1 -> bool) -> 'a1 list -> 'a1 option

val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list

val firstn : nat -> 'a1 list -> 'a1 list

val skipn : nat -> 'a1 list -> 'a1 list

val seq : nat -> nat -> nat list

val list_ascii_of_string : char list -> char list

val digits : int

val max_int : int

val meets : int -> int -> bool

val without : int -> int -> int

val place : nat -> int

type hint = { from : int; neighbours : (int * int) list; board : int;
              marks : int list; after : bool list; before : bool list }

val show : int -> int -> int -> int

module Pair :
 sig
  type pair =
  | P of int * int

  type t = pair

  val empty : pair

  val fits : int -> bool

  val single : int -> t

  val union : t -> t -> pair

  val without : t -> t -> pair

  val disjoint : t -> t -> bool

  val within : t -> t -> bool

  val compare : t -> t -> comparison

  val window : int -> t -> int
 end

module Many :
 sig
  val words : nat

  type t = int list

  val empty : t

  val fits_in : nat -> int -> bool

  val single_in : nat -> int -> t

  val union : t -> t -> int list

  val without : t -> t -> int list

  val disjoint_in : nat -> t -> t -> bool

  val within_in : nat -> t -> t -> bool

  val compare : t -> t -> comparison

  val first_word : nat -> t -> int

  val window_in : nat -> int -> t -> int

  val fits : int -> bool

  val single : int -> t

  val disjoint : t -> t -> bool

  val within : t -> t -> bool

  val window : int -> t -> int
 end

type item = { name : int; low : nat; high : nat }

type problem = { items : item list; options : int list list }

val times : int -> int list -> nat

val product : nat -> nat list -> nat list -> nat list

val same_places : nat list -> nat list -> bool

val undoes : nat -> nat list -> nat list -> bool

val good_symmetry : problem -> nat list -> int list -> bool

val joined : problem -> nat list -> int list

val quotient : problem -> nat list list -> problem

val is_cycle : nat -> nat list -> nat list -> bool

val dead : problem -> nat list -> bool

val good_cycles :
  problem -> (nat -> bool) -> nat list -> nat list list -> nat list list ->
  nat list -> bool

val distinct : nat list list -> bool

val is_group : nat -> nat list list -> bool

type element = { image : nat list; names : int list; cycles : nat list list;
                 dropped : nat list list; where_they_are : nat list;
                 its_places : int list list;
                 its_headings : ((int * hint option) option * nat) list }

val covers : problem -> int -> nat -> bool

val covering : problem -> int -> nat list

val besides : problem -> int -> nat -> nat -> bool

val is_once : problem -> int -> bool

val known : problem -> nat list list -> (nat * Z.t) list -> nat -> Z.t option

val add_up : (nat -> Z.t option) -> nat list -> Z.t option

module NilEmpty :
 sig
  val string_of_uint : uint -> char list
 end

type text = char list

val newline : char

val bar : char

val pieces : char -> text -> text list

val is_some : 'a1 list -> bool

val words0 : text -> text list

val lines : text -> text list

val is_comment : text -> bool

val statements : text -> text list list

val same_text : text -> text -> bool

val image_of : text list -> text list list

val symmetries : text -> text list list

val numeral : Z.t -> text

val numeral_of : nat -> text

val spelled : text list -> item list -> int -> text

val answer : text -> Z.t -> Z.t -> text

val apart : ('a1 -> 'a1 -> bool) -> 'a1 list -> bool

val reads_item : text -> text -> item -> bool

val reads_items : text list -> text list -> item list -> bool

val same_texts : text list -> text list -> bool

val same_lines : text list list -> text list list -> bool

val reads : text -> text list -> problem -> nat list list -> bool

module Two :
 sig
  type states =
  | Nil
  | Cons of Pair.t * Z.t * states

  type move = { base : Pair.t; bumps : Pair.t list list }

  val base : move -> Pair.t

  val bumps : move -> Pair.t list list

  val bump : Pair.t -> Pair.t list -> Pair.t option

  val bump_all : Pair.t -> Pair.t list list -> Pair.t option

  val take : Pair.t -> move -> Pair.t option

  val onto : states -> states -> states

  val merging : bool -> states -> states -> states -> states

  val merge : bool -> states -> states -> states

  val take_all : move -> states -> states -> states

  val sift : (Pair.t -> bool) -> states -> states -> states

  val build : nat -> bool -> states -> move list -> states * move list

  val part : Pair.t -> states -> states -> states -> states * states

  val join : Pair.t list -> Pair.t -> Pair.t

  val reach : move -> Pair.t

  val reach_all : move list -> Pair.t

  val due : Pair.t -> move list -> Pair.t

  type pocket = { shift : int; cells : (int * int) list; area : int;
                  inner : int; special : Pair.t; sizes : bool list;
                  sizes_before : bool list }

  val shift : pocket -> int

  val cells : pocket -> (int * int) list

  val area : pocket -> int

  val inner : pocket -> int

  val special : pocket -> Pair.t

  val sizes : pocket -> bool list

  val sizes_before : pocket -> bool list

  val sweep : (int * int) list -> int -> int -> int

  val flood : nat -> (int * int) list -> int -> int -> int

  val measure : (int * int) list -> int -> nat -> nat

  val inside : int -> int -> bool

  val can_be : bool list -> nat -> bool

  val plenty : nat

  val fillable : nat -> pocket -> bool list -> int -> int -> bool

  val table : pocket -> Pair.t -> bool list

  val pocket_free : pocket -> Pair.t -> bool

  val closed_under : bool list -> bool list -> nat -> bool

  val one_bit : int -> bool

  val good_pocket : Pair.t -> pocket -> bool

  val adds_up : pocket -> bool -> nat -> bool

  val fits_by : (bool -> nat -> bool) -> pocket -> move -> bool

  val sums : pocket -> bool list * bool list

  val kept_sum : (bool list * bool list) -> bool -> nat -> bool

  type layer =
  | Group of Pair.t * move list * pocket option
  | Single of move

  val moves_of : layer -> move list

  val moves : layer list -> move list

  val sound_layer : Pair.t -> layer -> move list -> bool

  val sound : Pair.t -> layer list -> bool

  val step : Pair.t -> layer -> move list -> bool -> states -> bool * states

  val walk : Pair.t -> layer list -> bool -> states -> states

  val total : Pair.t -> states -> Z.t -> Z.t

  val count : Pair.t -> layer list -> Z.t option

  type coded = (item * int list) list

  val distinct_places : int list -> Pair.t -> bool

  val distinct_names : item list -> bool

  val well_coded : coded -> bool

  val places_of : coded -> int -> int list option

  val singles : int list -> Pair.t -> Pair.t

  val must_of : coded -> Pair.t

  val with_base : coded -> int list -> Pair.t -> int list -> Pair.t * int list

  val with_bumps :
    coded -> int list -> Pair.t list list -> Pair.t list list option

  val encode : coded -> int list -> move option

  val encode_all : coded -> int list list -> move list option

  type heading = (int * hint option) option * nat

  val pocket_of : hint -> pocket

  val split : heading list -> move list -> layer list

  val count_covers : problem -> int list list -> heading list -> Z.t option

  val unchanged : problem -> (nat -> bool) -> element -> Z.t option

  val none : nat -> bool

  val unchanged_by_all : problem -> element list -> Z.t list option

  val branch_numbers :
    problem -> int -> (nat * element) list -> (nat * Z.t) list option

  val by_branches :
    problem -> nat list list -> int -> (nat * element) list -> Z.t option

  val in_all :
    problem -> nat list list -> (int * (nat * element) list) option ->
    element -> Z.t option

  val count_orbits :
    problem -> (int * (nat * element) list) option -> element list ->
    (Z.t * Z.t) option

  val count_text :
    text -> text list -> problem -> (int * (nat * element) list) option ->
    element list -> text option
 end

module Long :
 sig
  type states =
  | Nil
  | Cons of Many.t * Z.t * states

  type move = { base : Many.t; bumps : Many.t list list }

  val base : move -> Many.t

  val bumps : move -> Many.t list list

  val bump : Many.t -> Many.t list -> Many.t option

  val bump_all : Many.t -> Many.t list list -> Many.t option

  val take : Many.t -> move -> Many.t option

  val onto : states -> states -> states

  val merging : bool -> states -> states -> states -> states

  val merge : bool -> states -> states -> states

  val take_all : move -> states -> states -> states

  val sift : (Many.t -> bool) -> states -> states -> states

  val build : nat -> bool -> states -> move list -> states * move list

  val part : Many.t -> states -> states -> states -> states * states

  val join : Many.t list -> Many.t -> Many.t

  val reach : move -> Many.t

  val reach_all : move list -> Many.t

  val due : Many.t -> move list -> Many.t

  type pocket = { shift : int; cells : (int * int) list; area : int;
                  inner : int; special : Many.t; sizes : bool list;
                  sizes_before : bool list }

  val shift : pocket -> int

  val cells : pocket -> (int * int) list

  val area : pocket -> int

  val inner : pocket -> int

  val special : pocket -> Many.t

  val sizes : pocket -> bool list

  val sizes_before : pocket -> bool list

  val sweep : (int * int) list -> int -> int -> int

  val flood : nat -> (int * int) list -> int -> int -> int

  val measure : (int * int) list -> int -> nat -> nat

  val inside : int -> int -> bool

  val can_be : bool list -> nat -> bool

  val plenty : nat

  val fillable : nat -> pocket -> bool list -> int -> int -> bool

  val table : pocket -> Many.t -> bool list

  val pocket_free : pocket -> Many.t -> bool

  val closed_under : bool list -> bool list -> nat -> bool

  val one_bit : int -> bool

  val good_pocket : Many.t -> pocket -> bool

  val adds_up : pocket -> bool -> nat -> bool

  val fits_by : (bool -> nat -> bool) -> pocket -> move -> bool

  val sums : pocket -> bool list * bool list

  val kept_sum : (bool list * bool list) -> bool -> nat -> bool

  type layer =
  | Group of Many.t * move list * pocket option
  | Single of move

  val moves_of : layer -> move list

  val moves : layer list -> move list

  val sound_layer : Many.t -> layer -> move list -> bool

  val sound : Many.t -> layer list -> bool

  val step : Many.t -> layer -> move list -> bool -> states -> bool * states

  val walk : Many.t -> layer list -> bool -> states -> states

  val total : Many.t -> states -> Z.t -> Z.t

  val count : Many.t -> layer list -> Z.t option

  type coded = (item * int list) list

  val distinct_places : int list -> Many.t -> bool

  val distinct_names : item list -> bool

  val well_coded : coded -> bool

  val places_of : coded -> int -> int list option

  val singles : int list -> Many.t -> Many.t

  val must_of : coded -> Many.t

  val with_base : coded -> int list -> Many.t -> int list -> Many.t * int list

  val with_bumps :
    coded -> int list -> Many.t list list -> Many.t list list option

  val encode : coded -> int list -> move option

  val encode_all : coded -> int list list -> move list option

  type heading = (int * hint option) option * nat

  val pocket_of : hint -> pocket

  val split : heading list -> move list -> layer list

  val count_covers : problem -> int list list -> heading list -> Z.t option

  val unchanged : problem -> (nat -> bool) -> element -> Z.t option

  val none : nat -> bool

  val unchanged_by_all : problem -> element list -> Z.t list option

  val branch_numbers :
    problem -> int -> (nat * element) list -> (nat * Z.t) list option

  val by_branches :
    problem -> nat list list -> int -> (nat * element) list -> Z.t option

  val in_all :
    problem -> nat list list -> (int * (nat * element) list) option ->
    element -> Z.t option

  val count_orbits :
    problem -> (int * (nat * element) list) option -> element list ->
    (Z.t * Z.t) option

  val count_text :
    text -> text list -> problem -> (int * (nat * element) list) option ->
    element list -> text option
 end
