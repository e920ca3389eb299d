
(** val implb : bool -> bool -> bool **)

let implb b1 b2 =
  if b1 then b2 else true

(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

(** val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option **)

let option_map f = function
| Some a -> Some (f a)
| None -> None

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val length : 'a1 list -> nat **)

let rec length = function
| [] -> O
| _ :: l' -> S (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l1 -> a :: (app l1 m)

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

(** val revapp : uint -> uint -> uint **)

let rec revapp d d' =
  match d with
  | Nil -> d'
  | D0 d0 -> revapp d0 (D0 d')
  | D1 d0 -> revapp d0 (D1 d')
  | D2 d0 -> revapp d0 (D2 d')
  | D3 d0 -> revapp d0 (D3 d')
  | D4 d0 -> revapp d0 (D4 d')
  | D5 d0 -> revapp d0 (D5 d')
  | D6 d0 -> revapp d0 (D6 d')
  | D7 d0 -> revapp d0 (D7 d')
  | D8 d0 -> revapp d0 (D8 d')
  | D9 d0 -> revapp d0 (D9 d')

(** val rev : uint -> uint **)

let rev d =
  revapp d Nil

module Little =
 struct
  (** val double : uint -> uint **)

  let rec double = function
  | Nil -> Nil
  | D0 d0 -> D0 (double d0)
  | D1 d0 -> D2 (double d0)
  | D2 d0 -> D4 (double d0)
  | D3 d0 -> D6 (double d0)
  | D4 d0 -> D8 (double d0)
  | D5 d0 -> D0 (succ_double d0)
  | D6 d0 -> D2 (succ_double d0)
  | D7 d0 -> D4 (succ_double d0)
  | D8 d0 -> D6 (succ_double d0)
  | D9 d0 -> D8 (succ_double d0)

  (** val succ_double : uint -> uint **)

  and succ_double = function
  | Nil -> D1 Nil
  | D0 d0 -> D1 (double d0)
  | D1 d0 -> D3 (double d0)
  | D2 d0 -> D5 (double d0)
  | D3 d0 -> D7 (double d0)
  | D4 d0 -> D9 (double d0)
  | D5 d0 -> D1 (succ_double d0)
  | D6 d0 -> D3 (succ_double d0)
  | D7 d0 -> D5 (succ_double d0)
  | D8 d0 -> D7 (succ_double d0)
  | D9 d0 -> D9 (succ_double d0)
 end

(** val add : nat -> nat -> nat **)

let rec add n0 m =
  match n0 with
  | O -> m
  | S p -> S (add p m)

(** val eqb : bool -> bool -> bool **)

let eqb b1 b2 =
  if b1 then b2 else if b2 then false else true

module Nat =
 struct
  (** val pred : nat -> nat **)

  let pred n0 = match n0 with
  | O -> n0
  | S u -> u

  (** val eqb : nat -> nat -> bool **)

  let rec eqb n0 m =
    match n0 with
    | O -> (match m with
            | O -> true
            | S _ -> false)
    | S n' -> (match m with
               | O -> false
               | S m' -> eqb n' m')

  (** val leb : nat -> nat -> bool **)

  let rec leb n0 m =
    match n0 with
    | O -> true
    | S n' -> (match m with
               | O -> false
               | S m' -> leb n' m')

  (** val ltb : nat -> nat -> bool **)

  let ltb n0 m =
    leb (S n0) m

  (** val compare : nat -> nat -> comparison **)

  let rec compare n0 m =
    match n0 with
    | O -> (match m with
            | O -> Eq
            | S _ -> Lt)
    | S n' -> (match m with
               | O -> Gt
               | S m' -> compare n' m')

  (** val even : nat -> bool **)

  let rec even = function
  | O -> true
  | S n1 -> (match n1 with
             | O -> false
             | S n' -> even n')

  (** val log2_iter : nat -> nat -> nat -> nat -> nat **)

  let rec log2_iter k p q r =
    match k with
    | O -> p
    | S k' ->
      (match r with
       | O -> log2_iter k' (S p) (S q) q
       | S r' -> log2_iter k' p (S q) r')

  (** val log2 : nat -> nat **)

  let log2 n0 =
    log2_iter (pred n0) O (S O) O

  (** val eq_dec : nat -> nat -> bool **)

  let rec eq_dec n0 m =
    match n0 with
    | O -> (match m with
            | O -> true
            | S _ -> false)
    | S n1 -> (match m with
               | O -> false
               | S n2 -> eq_dec n1 n2)

  (** val log2_up : nat -> nat **)

  let log2_up a =
    match compare (S O) a with
    | Lt -> S (log2 (pred a))
    | _ -> O
 end

module Pos =
 struct
  type mask =
  | IsNul
  | IsPos of Z.t
  | IsNeg
 end

module Coq_Pos =
 struct
  (** val add : Z.t -> Z.t -> Z.t **)

  let rec add x y =
    (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> (fun p -> Z.shift_left p 1) (add_carry p q))
        (fun q -> (fun p -> Z.succ (Z.shift_left p 1)) (add p q))
        (fun _ -> (fun p -> Z.shift_left p 1) (Z.succ p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> (fun p -> Z.succ (Z.shift_left p 1)) (add p q))
        (fun q -> (fun p -> Z.shift_left p 1) (add p q))
        (fun _ -> (fun p -> Z.succ (Z.shift_left p 1)) p)
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> (fun p -> Z.shift_left p 1) (Z.succ q))
        (fun q -> (fun p -> Z.succ (Z.shift_left p 1)) q)
        (fun _ -> (fun p -> Z.shift_left p 1) Z.one)
        y)
      x

  (** val add_carry : Z.t -> Z.t -> Z.t **)

  and add_carry x y =
    (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> (fun p -> Z.succ (Z.shift_left p 1))
        (add_carry p q))
        (fun q -> (fun p -> Z.shift_left p 1) (add_carry p q))
        (fun _ -> (fun p -> Z.succ (Z.shift_left p 1)) (Z.succ p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> (fun p -> Z.shift_left p 1) (add_carry p q))
        (fun q -> (fun p -> Z.succ (Z.shift_left p 1)) (add p q))
        (fun _ -> (fun p -> Z.shift_left p 1) (Z.succ p))
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> (fun p -> Z.succ (Z.shift_left p 1)) (Z.succ q))
        (fun q -> (fun p -> Z.shift_left p 1) (Z.succ q))
        (fun _ -> (fun p -> Z.succ (Z.shift_left p 1)) Z.one)
        y)
      x

  (** val pred_double : Z.t -> Z.t **)

  let rec pred_double x =
    (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
      (fun p -> (fun p -> Z.succ (Z.shift_left p 1))
      ((fun p -> Z.shift_left p 1) p))
      (fun p -> (fun p -> Z.succ (Z.shift_left p 1))
      (pred_double p))
      (fun _ -> Z.one)
      x

  type mask = Pos.mask =
  | IsNul
  | IsPos of Z.t
  | IsNeg

  (** val succ_double_mask : mask -> mask **)

  let succ_double_mask = function
  | IsNul -> IsPos Z.one
  | IsPos p -> IsPos ((fun p -> Z.succ (Z.shift_left p 1)) p)
  | IsNeg -> IsNeg

  (** val double_mask : mask -> mask **)

  let double_mask = function
  | IsPos p -> IsPos ((fun p -> Z.shift_left p 1) p)
  | x0 -> x0

  (** val double_pred_mask : Z.t -> mask **)

  let double_pred_mask x =
    (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
      (fun p -> IsPos ((fun p -> Z.shift_left p 1)
      ((fun p -> Z.shift_left p 1) p)))
      (fun p -> IsPos ((fun p -> Z.shift_left p 1) (pred_double p)))
      (fun _ -> IsNul)
      x

  (** val sub_mask : Z.t -> Z.t -> mask **)

  let rec sub_mask x y =
    (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> double_mask (sub_mask p q))
        (fun q -> succ_double_mask (sub_mask p q))
        (fun _ -> IsPos ((fun p -> Z.shift_left p 1) p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun q -> double_mask (sub_mask p q))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun _ -> IsNeg)
        (fun _ -> IsNeg)
        (fun _ -> IsNul)
        y)
      x

  (** val sub_mask_carry : Z.t -> Z.t -> mask **)

  and sub_mask_carry x y =
    (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun q -> double_mask (sub_mask p q))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> double_mask (sub_mask_carry p q))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun _ -> double_pred_mask p)
        y)
      (fun _ -> IsNeg)
      x

  (** val compare_cont : comparison -> Z.t -> Z.t -> comparison **)

  let rec compare_cont r x y =
    (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> compare_cont r p q)
        (fun q -> compare_cont Gt p q)
        (fun _ -> Gt)
        y)
      (fun p ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun q -> compare_cont Lt p q)
        (fun q -> compare_cont r p q)
        (fun _ -> Gt)
        y)
      (fun _ ->
      (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
        (fun _ -> Lt)
        (fun _ -> Lt)
        (fun _ -> r)
        y)
      x

  (** val compare : Z.t -> Z.t -> comparison **)

  let compare =
    compare_cont Eq

  (** val of_succ_nat : nat -> Z.t **)

  let rec of_succ_nat = function
  | O -> Z.one
  | S x -> Z.succ (of_succ_nat x)

  (** val to_little_uint : Z.t -> uint **)

  let rec to_little_uint p =
    (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
      (fun p0 -> Little.succ_double (to_little_uint p0))
      (fun p0 -> Little.double (to_little_uint p0))
      (fun _ -> D1 Nil)
      p

  (** val to_uint : Z.t -> uint **)

  let to_uint p =
    rev (to_little_uint p)
 end

module N =
 struct
  (** val succ_double : Z.t -> Z.t **)

  let succ_double x =
    (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
      (fun _ -> (fun p -> p) Z.one)
      (fun p -> (fun p -> p) ((fun p -> Z.succ (Z.shift_left p 1)) p))
      x

  (** val double : Z.t -> Z.t **)

  let double n0 =
    (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
      (fun _ -> Z.zero)
      (fun p -> (fun p -> p) ((fun p -> Z.shift_left p 1) p))
      n0

  (** val sub : Z.t -> Z.t -> Z.t **)

  let sub n0 m =
    (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
      (fun _ -> Z.zero)
      (fun n' ->
      (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
        (fun _ -> n0)
        (fun m' ->
        match Coq_Pos.sub_mask n' m' with
        | Coq_Pos.IsPos p -> (fun p -> p) p
        | _ -> Z.zero)
        m)
      n0

  (** val compare : Z.t -> Z.t -> comparison **)

  let compare n0 m =
    (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
      (fun _ ->
      (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
        (fun _ -> Eq)
        (fun _ -> Lt)
        m)
      (fun n' ->
      (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
        (fun _ -> Gt)
        (fun m' -> Coq_Pos.compare n' m')
        m)
      n0

  (** val leb : Z.t -> Z.t -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val pos_div_eucl : Z.t -> Z.t -> Z.t * Z.t **)

  let rec pos_div_eucl a b =
    (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' = succ_double r in
      if leb b r' then ((succ_double q), (sub r' b)) else ((double q), r'))
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' = double r in
      if leb b r' then ((succ_double q), (sub r' b)) else ((double q), r'))
      (fun _ ->
      (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
        (fun _ -> (Z.zero, ((fun p -> p) Z.one)))
        (fun p ->
        (fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))
          (fun _ -> (Z.zero, ((fun p -> p) Z.one)))
          (fun _ -> (Z.zero, ((fun p -> p) Z.one)))
          (fun _ -> (((fun p -> p) Z.one), Z.zero))
          p)
        b)
      a

  (** val div_eucl : Z.t -> Z.t -> Z.t * Z.t **)

  let div_eucl a b =
    (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
      (fun _ -> (Z.zero, Z.zero))
      (fun na ->
      (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
        (fun _ -> (Z.zero, a))
        (fun _ -> pos_div_eucl na b)
        b)
      a

  (** val div : Z.t -> Z.t -> Z.t **)

  let div a b =
    fst (div_eucl a b)

  (** val of_nat : nat -> Z.t **)

  let of_nat = function
  | O -> Z.zero
  | S n' -> (fun p -> p) (Coq_Pos.of_succ_nat n')

  (** val to_uint : Z.t -> uint **)

  let to_uint n0 =
    (fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)
      (fun _ -> D0 Nil)
      (fun p -> Coq_Pos.to_uint p)
      n0
 end

(** val nth : nat -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n0 l default =
  match n0 with
  | O -> (match l with
          | [] -> default
          | x :: _ -> x)
  | S m -> (match l with
            | [] -> default
            | _ :: t0 -> nth m t0 default)

(** val concat : 'a1 list list -> 'a1 list **)

let rec concat = function
| [] -> []
| x :: l0 -> app x (concat l0)

(** val list_eq_dec : ('a1 -> 'a1 -> bool) -> 'a1 list -> 'a1 list -> bool **)

let rec list_eq_dec eq_dec0 l l' =
  match l with
  | [] -> (match l' with
           | [] -> true
           | _ :: _ -> false)
  | y :: l0 ->
    (match l' with
     | [] -> false
     | a :: l1 -> if eq_dec0 y a then list_eq_dec eq_dec0 l0 l1 else false)

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t0 -> (f a) :: (map f t0)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t0 -> app (f x) (flat_map f t0)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b :: t0 -> f b (fold_right f a0 t0)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list **)

let rec filter f = function
| [] -> []
| x :: l0 -> if f x then x :: (filter f l0) else filter f l0

(** val find : ('a1 -> bool) -> 'a1 list -> 'a1 option **)

let rec find f = function
| [] -> None
| x :: tl -> if f x then Some x else find f tl

(** val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list **)

let rec combine l l' =
  match l with
  | [] -> []
  | x :: tl ->
    (match l' with
     | [] -> []
     | y :: tl' -> (x, y) :: (combine tl tl'))

(** val firstn : nat -> 'a1 list -> 'a1 list **)

let rec firstn n0 l =
  match n0 with
  | O -> []
  | S n1 -> (match l with
             | [] -> []
             | a :: l0 -> a :: (firstn n1 l0))

(** val skipn : nat -> 'a1 list -> 'a1 list **)

let rec skipn n0 l =
  match n0 with
  | O -> l
  | S n1 -> (match l with
             | [] -> []
             | _ :: l0 -> skipn n1 l0)

(** val seq : nat -> nat -> nat list **)

let rec seq start = function
| O -> []
| S len0 -> start :: (seq (S start) len0)

(** val list_ascii_of_string : char list -> char list **)

let rec list_ascii_of_string = function
| [] -> []
| ch::s0 -> ch :: (list_ascii_of_string s0)

(** val digits : int **)

let digits =
  (Uint63.of_int (63))

(** val max_int : int **)

let max_int =
  (Uint63.of_int (-1))

(** val meets : int -> int -> bool **)

let meets x y =
  negb (Uint63.equal (Uint63.land_ x y) (Uint63.of_int (0)))

module Coq__1 = struct
 (** val without : int -> int -> int **)
 let without x y =
   Uint63.land_ x (Uint63.lxor_ y max_int)
end
include Coq__1

(** val place : nat -> int **)

let rec place = function
| O -> (Uint63.of_int (0))
| S n1 -> Uint63.add (place n1) (Uint63.of_int (1))

type hint = { from : int; neighbours : (int * int) list; board : int;
              marks : int list; after : bool list; before : bool list }

(** val show : int -> int -> int -> int **)

let show k a b =
  Uint63.lor_ (Uint63.lsr_ a k) (Uint63.lsl_ b (Uint63.sub digits k))

module Pair =
 struct
  type pair =
  | P of int * int

  type t = pair

  (** val empty : pair **)

  let empty =
    P ((Uint63.of_int (0)), (Uint63.of_int (0)))

  (** val fits : int -> bool **)

  let fits i =
    (||) (Uint63.less i digits) (Uint63.less (Uint63.sub i digits) digits)

  (** val single : int -> t **)

  let single i =
    if Uint63.less i digits
    then P ((Uint63.lsl_ (Uint63.of_int (1)) i), (Uint63.of_int (0)))
    else P ((Uint63.of_int (0)),
           (Uint63.lsl_ (Uint63.of_int (1)) (Uint63.sub i digits)))

  (** val union : t -> t -> pair **)

  let union s t0 =
    let P (a, b) = s in
    let P (c, d) = t0 in P ((Uint63.lor_ a c), (Uint63.lor_ b d))

  (** val without : t -> t -> pair **)

  let without s t0 =
    let P (a, b) = s in let P (c, d) = t0 in P ((without a c), (without b d))

  (** val disjoint : t -> t -> bool **)

  let disjoint s t0 =
    let P (a, b) = s in
    let P (c, d) = t0 in
    (&&) (Uint63.equal (Uint63.land_ a c) (Uint63.of_int (0)))
      (Uint63.equal (Uint63.land_ b d) (Uint63.of_int (0)))

  (** val within : t -> t -> bool **)

  let within s t0 =
    let P (a, b) = s in
    let P (c, d) = t0 in
    (&&) (Uint63.equal (Uint63.land_ a c) a)
      (Uint63.equal (Uint63.land_ b d) b)

  (** val compare : t -> t -> comparison **)

  let compare s t0 =
    let P (a, b) = s in
    let P (c, d) = t0 in
    if Uint63.equal b d
    then if Uint63.equal a c then Eq else if Uint63.less a c then Lt else Gt
    else if Uint63.less b d then Lt else Gt

  (** val window : int -> t -> int **)

  let window k = function
  | P (a, b) ->
    if Uint63.less k digits
    then show k a b
    else Uint63.lsr_ b (Uint63.sub k digits)
 end

module Many =
 struct
  (** val words : nat **)

  let words =
    S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

  type t = int list

  (** val empty : t **)

  let empty =
    []

  (** val fits_in : nat -> int -> bool **)

  let rec fits_in n0 i =
    match n0 with
    | O -> false
    | S n1 ->
      if Uint63.less i digits then true else fits_in n1 (Uint63.sub i digits)

  (** val single_in : nat -> int -> t **)

  let rec single_in n0 i =
    match n0 with
    | O -> []
    | S n1 ->
      if Uint63.less i digits
      then (Uint63.lsl_ (Uint63.of_int (1)) i) :: []
      else (Uint63.of_int (0)) :: (single_in n1 (Uint63.sub i digits))

  (** val union : t -> t -> int list **)

  let rec union s t0 =
    match s with
    | [] -> t0
    | v :: s0 ->
      (match t0 with
       | [] -> s
       | w :: t1 -> (Uint63.lor_ v w) :: (union s0 t1))

  (** val without : t -> t -> int list **)

  let rec without s t0 =
    match s with
    | [] -> s
    | v :: s0 ->
      (match t0 with
       | [] -> s
       | w :: t1 -> (Coq__1.without v w) :: (without s0 t1))

  (** val disjoint_in : nat -> t -> t -> bool **)

  let rec disjoint_in n0 s t0 =
    match n0 with
    | O -> true
    | S n1 ->
      (match s with
       | [] -> true
       | v :: s0 ->
         (match t0 with
          | [] -> true
          | w :: t1 ->
            (&&) (Uint63.equal (Uint63.land_ v w) (Uint63.of_int (0)))
              (disjoint_in n1 s0 t1)))

  (** val within_in : nat -> t -> t -> bool **)

  let rec within_in n0 s t0 =
    match n0 with
    | O -> true
    | S n1 ->
      (match s with
       | [] -> true
       | v :: s0 ->
         (match t0 with
          | [] ->
            (&&) (Uint63.equal v (Uint63.of_int (0))) (within_in n1 s0 [])
          | w :: t1 ->
            (&&) (Uint63.equal (Uint63.land_ v w) v) (within_in n1 s0 t1)))

  (** val compare : t -> t -> comparison **)

  let rec compare s t0 =
    match s with
    | [] -> (match t0 with
             | [] -> Eq
             | _ :: _ -> Lt)
    | v :: s0 ->
      (match t0 with
       | [] -> Gt
       | w :: t1 ->
         if Uint63.equal v w
         then compare s0 t1
         else if Uint63.less v w then Lt else Gt)

  (** val first_word : nat -> t -> int **)

  let first_word n0 s =
    match n0 with
    | O -> (Uint63.of_int (0))
    | S _ -> (match s with
              | [] -> (Uint63.of_int (0))
              | w :: _ -> w)

  (** val window_in : nat -> int -> t -> int **)

  let rec window_in n0 k s =
    match n0 with
    | O -> (Uint63.of_int (0))
    | S n1 ->
      (match s with
       | [] -> (Uint63.of_int (0))
       | w :: s0 ->
         if Uint63.less k digits
         then show k w (first_word n1 s0)
         else window_in n1 (Uint63.sub k digits) s0)

  (** val fits : int -> bool **)

  let fits =
    fits_in words

  (** val single : int -> t **)

  let single =
    single_in words

  (** val disjoint : t -> t -> bool **)

  let disjoint =
    disjoint_in words

  (** val within : t -> t -> bool **)

  let within =
    within_in words

  (** val window : int -> t -> int **)

  let window =
    window_in words
 end

type item = { name : int; low : nat; high : nat }

type problem = { items : item list; options : int list list }

(** val times : int -> int list -> nat **)

let rec times x = function
| [] -> O
| y :: o0 -> add (if Uint63.equal x y then S O else O) (times x o0)

(** val product : nat -> nat list -> nat list -> nat list **)

let product n0 s t0 =
  map (fun i -> nth i t0 n0) s

(** val same_places : nat list -> nat list -> bool **)

let same_places s t0 =
  if list_eq_dec Nat.eq_dec s t0 then true else false

(** val undoes : nat -> nat list -> nat list -> bool **)

let undoes n0 t0 s =
  same_places (product n0 s t0) (seq O n0)

(** val good_symmetry : problem -> nat list -> int list -> bool **)

let good_symmetry p s names0 =
  let pairs = combine p.items names0 in
  (&&)
    ((&&) (Nat.eqb (length names0) (length p.items))
      (forallb (fun pat ->
        let (it, y) = pat in
        existsb (fun it' ->
          (&&) ((&&) (Uint63.equal it'.name y) (Nat.eqb it'.low it.low))
            (Nat.eqb it'.high it.high)) p.items) pairs))
    (forallb (fun pat ->
      let (o, i) = pat in
      let o' = nth i p.options [] in
      forallb (fun pat0 ->
        let (it, y) = pat0 in Nat.eqb (times it.name o) (times y o')) pairs)
      (combine p.options s))

(** val joined : problem -> nat list -> int list **)

let joined p cycle =
  concat (map (fun i -> nth i p.options []) cycle)

(** val quotient : problem -> nat list list -> problem **)

let quotient p cycles0 =
  { items = p.items; options = (map (joined p) cycles0) }

(** val is_cycle : nat -> nat list -> nat list -> bool **)

let is_cycle n0 s cycle = match cycle with
| [] -> false
| a :: rest ->
  same_places (map (fun i -> nth i s n0) cycle) (app rest (a :: []))

(** val dead : problem -> nat list -> bool **)

let dead p cycle =
  let o = joined p cycle in
  existsb (fun it -> Nat.ltb it.high (times it.name o)) p.items

(** val good_cycles :
    problem -> (nat -> bool) -> nat list -> nat list list -> nat list list ->
    nat list -> bool **)

let good_cycles p left_out s cycles0 dropped0 places =
  let n0 = length p.options in
  let all = app (concat cycles0) (concat dropped0) in
  (&&)
    ((&&)
      ((&&)
        ((&&) ((&&) (Nat.eqb (length all) n0) (Nat.eqb (length places) n0))
          (undoes n0 places all))
        (forallb (is_cycle n0 s) (app cycles0 dropped0)))
      (forallb (fun cycle -> (||) (dead p cycle) (forallb left_out cycle))
        dropped0))
    (forallb (fun cycle -> forallb (fun i -> negb (left_out i)) cycle)
      cycles0)

(** val distinct : nat list list -> bool **)

let rec distinct = function
| [] -> true
| s :: g0 -> (&&) (negb (existsb (same_places s) g0)) (distinct g0)

(** val is_group : nat -> nat list list -> bool **)

let is_group n0 g =
  (&&)
    ((&&)
      ((&&)
        ((&&)
          (match g with
           | [] -> false
           | unit0 :: _ -> same_places unit0 (seq O n0))
          (forallb (fun s -> Nat.eqb (length s) n0) g)) (distinct g))
      (forallb (fun s -> existsb (fun t0 -> undoes n0 t0 s) g) g))
    (forallb (fun s ->
      forallb (fun t0 -> existsb (same_places (product n0 s t0)) g) g) g)

type element = { image : nat list; names : int list; cycles : nat list list;
                 dropped : nat list list; where_they_are : nat list;
                 its_places : int list list;
                 its_headings : ((int * hint option) option * nat) list }

(** val covers : problem -> int -> nat -> bool **)

let covers p x i =
  Nat.ltb O (times x (nth i p.options []))

(** val covering : problem -> int -> nat list **)

let covering p x =
  let n0 = length p.options in filter (covers p x) (seq O n0)

(** val besides : problem -> int -> nat -> nat -> bool **)

let besides p x j i =
  (&&) (negb (Nat.eqb i j)) (covers p x i)

(** val is_once : problem -> int -> bool **)

let is_once p x =
  existsb (fun it ->
    (&&) ((&&) (Uint63.equal it.name x) (Nat.eqb it.low (S O)))
      (Nat.eqb it.high (S O))) p.items

(** val known :
    problem -> nat list list -> (nat * Z.t) list -> nat -> Z.t option **)

let known p =
  let n0 = length p.options in
  (fun group numbers i ->
  option_map snd
    (find (fun pat ->
      let (j, _) = pat in existsb (fun s -> Nat.eqb (nth j s n0) i) group)
      numbers))

(** val add_up : (nat -> Z.t option) -> nat list -> Z.t option **)

let rec add_up number = function
| [] -> Some Z.zero
| i :: l0 ->
  (match number i with
   | Some m ->
     (match add_up number l0 with
      | Some k -> Some (Z.add m k)
      | None -> None)
   | None -> None)

module NilEmpty =
 struct
  (** val string_of_uint : uint -> char list **)

  let rec string_of_uint = function
  | Nil -> []
  | D0 d0 -> '0'::(string_of_uint d0)
  | D1 d0 -> '1'::(string_of_uint d0)
  | D2 d0 -> '2'::(string_of_uint d0)
  | D3 d0 -> '3'::(string_of_uint d0)
  | D4 d0 -> '4'::(string_of_uint d0)
  | D5 d0 -> '5'::(string_of_uint d0)
  | D6 d0 -> '6'::(string_of_uint d0)
  | D7 d0 -> '7'::(string_of_uint d0)
  | D8 d0 -> '8'::(string_of_uint d0)
  | D9 d0 -> '9'::(string_of_uint d0)
 end

type text = char list

(** val newline : char **)

let newline =
  '\n'

(** val bar : char **)

let bar =
  '|'

(** val pieces : char -> text -> text list **)

let rec pieces between = function
| [] -> [] :: []
| c :: t1 ->
  (match pieces between t1 with
   | [] -> []
   | first :: others ->
     if (=) c between then [] :: (first :: others) else (c :: first) :: others)

(** val is_some : 'a1 list -> bool **)

let is_some = function
| [] -> false
| _ :: _ -> true

(** val words0 : text -> text list **)

let words0 line =
  filter is_some (pieces ' ' line)

(** val lines : text -> text list **)

let lines t0 =
  pieces newline t0

(** val is_comment : text -> bool **)

let is_comment = function
| [] -> false
| c :: _ -> (=) c bar

(** val statements : text -> text list list **)

let statements t0 =
  filter is_some
    (map words0 (filter (fun line -> negb (is_comment line)) (lines t0)))

(** val same_text : text -> text -> bool **)

let same_text a b =
  if list_eq_dec (=) a b then true else false

(** val image_of : text list -> text list list **)

let image_of = function
| [] -> []
| one :: l ->
  (match l with
   | [] -> []
   | two :: image0 ->
     if (&&) (same_text one (bar :: []))
          (same_text two
            (list_ascii_of_string
              ('s'::('y'::('m'::('m'::('e'::('t'::('r'::('y'::[]))))))))))
     then image0 :: []
     else [])

(** val symmetries : text -> text list list **)

let symmetries t0 =
  concat (map (fun line -> image_of (words0 line)) (lines t0))

(** val numeral : Z.t -> text **)

let numeral n0 =
  list_ascii_of_string (NilEmpty.string_of_uint (N.to_uint n0))

(** val numeral_of : nat -> text **)

let numeral_of n0 =
  numeral (N.of_nat n0)

(** val spelled : text list -> item list -> int -> text **)

let rec spelled called its x =
  match called with
  | [] -> []
  | one :: called0 ->
    (match its with
     | [] -> []
     | it :: its0 ->
       if Uint63.equal it.name x then one else spelled called0 its0 x)

(** val answer : text -> Z.t -> Z.t -> text **)

let answer t0 total0 orbits =
  app (numeral total0)
    (newline :: (if is_some (symmetries t0)
                 then app (numeral orbits) (newline :: [])
                 else []))

(** val apart : ('a1 -> 'a1 -> bool) -> 'a1 list -> bool **)

let rec apart same = function
| [] -> true
| x :: l0 -> (&&) (negb (existsb (same x) l0)) (apart same l0)

(** val reads_item : text -> text -> item -> bool **)

let reads_item word called it =
  (||)
    ((||)
      ((&&) ((&&) (same_text word called) (Nat.eqb it.low (S O)))
        (Nat.eqb it.high (S O)))
      ((&&) (same_text word (app (numeral_of it.high) (bar :: called)))
        (Nat.eqb it.low it.high)))
    (same_text word
      (app (numeral_of it.low)
        (':' :: (app (numeral_of it.high) (bar :: called)))))

(** val reads_items : text list -> text list -> item list -> bool **)

let rec reads_items line called its =
  match line with
  | [] ->
    (match called with
     | [] -> (match its with
              | [] -> true
              | _ :: _ -> false)
     | _ :: _ -> false)
  | word :: line0 ->
    (match called with
     | [] -> false
     | one :: called0 ->
       (match its with
        | [] -> false
        | it :: its0 ->
          (&&) (reads_item word one it) (reads_items line0 called0 its0)))

(** val same_texts : text list -> text list -> bool **)

let same_texts a b =
  if list_eq_dec (list_eq_dec (=)) a b then true else false

(** val same_lines : text list list -> text list list -> bool **)

let rec same_lines a b =
  match a with
  | [] -> (match b with
           | [] -> true
           | _ :: _ -> false)
  | one :: a0 ->
    (match b with
     | [] -> false
     | two :: b0 -> (&&) (same_texts one two) (same_lines a0 b0))

(** val reads : text -> text list -> problem -> nat list list -> bool **)

let reads t0 called p group =
  match statements t0 with
  | [] -> false
  | first :: rest ->
    (match group with
     | [] -> false
     | identity :: others ->
       (&&)
         ((&&)
           ((&&)
             ((&&)
               ((&&)
                 ((&&) (apart same_text called)
                   (forallb (fun one -> negb (existsb ((=) bar) one)) called))
                 (apart Uint63.equal (map (fun i -> i.name) p.items)))
               (reads_items first called p.items))
             (same_lines rest (map (map (spelled called p.items)) p.options)))
           (same_places identity (seq O (length p.options))))
         (same_lines (symmetries t0) (map (map numeral_of) others)))

module Two =
 struct
  type states =
  | Nil
  | Cons of Pair.t * Z.t * states

  type move = { base : Pair.t; bumps : Pair.t list list }

  (** val base : move -> Pair.t **)

  let base m =
    m.base

  (** val bumps : move -> Pair.t list list **)

  let bumps m =
    m.bumps

  (** val bump : Pair.t -> Pair.t list -> Pair.t option **)

  let rec bump s = function
  | [] -> None
  | x :: places0 ->
    if Pair.disjoint s x then Some (Pair.union s x) else bump s places0

  (** val bump_all : Pair.t -> Pair.t list list -> Pair.t option **)

  let rec bump_all s = function
  | [] -> Some s
  | places :: all0 ->
    (match bump s places with
     | Some s0 -> bump_all s0 all0
     | None -> None)

  (** val take : Pair.t -> move -> Pair.t option **)

  let take s m =
    if Pair.disjoint s m.base
    then bump_all (Pair.union s m.base) m.bumps
    else None

  (** val onto : states -> states -> states **)

  let rec onto l acc =
    match l with
    | Nil -> acc
    | Cons (s, k, r) -> onto r (Cons (s, k, acc))

  (** val merging : bool -> states -> states -> states -> states **)

  let rec merging up l1 l2 acc =
    match l1 with
    | Nil -> onto l2 acc
    | Cons (s1, k1, r1) ->
      (match l2 with
       | Nil -> onto (Cons (s1, k1, r1)) acc
       | Cons (s2, k2, r2) ->
         (match Pair.compare s1 s2 with
          | Eq -> merging up r1 r2 (Cons (s1, (Z.add k1 k2), acc))
          | Lt ->
            if up
            then merging up r1 (Cons (s2, k2, r2)) (Cons (s1, k1, acc))
            else merging up (Cons (s1, k1, r1)) r2 (Cons (s2, k2, acc))
          | Gt ->
            if up
            then merging up (Cons (s1, k1, r1)) r2 (Cons (s2, k2, acc))
            else merging up r1 (Cons (s2, k2, r2)) (Cons (s1, k1, acc))))

  (** val merge : bool -> states -> states -> states **)

  let merge up l1 l2 =
    merging up l1 l2 Nil

  (** val take_all : move -> states -> states -> states **)

  let rec take_all m l acc =
    match l with
    | Nil -> acc
    | Cons (s, k, r) ->
      take_all m r
        (match take s m with
         | Some s0 -> Cons (s0, k, acc)
         | None -> acc)

  (** val sift : (Pair.t -> bool) -> states -> states -> states **)

  let rec sift keep l acc =
    match l with
    | Nil -> acc
    | Cons (s, k, r) -> sift keep r (if keep s then Cons (s, k, acc) else acc)

  (** val build : nat -> bool -> states -> move list -> states * move list **)

  let rec build depth up l ms = match ms with
  | [] -> (Nil, [])
  | m :: ms0 ->
    (match depth with
     | O -> ((take_all m l Nil), ms0)
     | S depth0 ->
       let (one, ms1) = build depth0 (negb up) l ms in
       let (other, ms2) = build depth0 (negb up) l ms1 in
       ((merge up one other), ms2))

  (** val part : Pair.t -> states -> states -> states -> states * states **)

  let rec part x l covered still =
    match l with
    | Nil -> (covered, still)
    | Cons (s, k, r) ->
      if Pair.disjoint s x
      then part x r covered (Cons (s, k, still))
      else part x r (Cons (s, k, covered)) still

  (** val join : Pair.t list -> Pair.t -> Pair.t **)

  let join l s =
    fold_right Pair.union s l

  (** val reach : move -> Pair.t **)

  let reach m =
    join (concat m.bumps) m.base

  (** val reach_all : move list -> Pair.t **)

  let reach_all ms =
    join (map reach ms) Pair.empty

  (** val due : Pair.t -> move list -> Pair.t **)

  let due must ms =
    Pair.without must (reach_all ms)

  type pocket = { shift : int; cells : (int * int) list; area : int;
                  inner : int; special : Pair.t; sizes : bool list;
                  sizes_before : bool list }

  (** val shift : pocket -> int **)

  let shift p =
    p.shift

  (** val cells : pocket -> (int * int) list **)

  let cells p =
    p.cells

  (** val area : pocket -> int **)

  let area p =
    p.area

  (** val inner : pocket -> int **)

  let inner p =
    p.inner

  (** val special : pocket -> Pair.t **)

  let special p =
    p.special

  (** val sizes : pocket -> bool list **)

  let sizes p =
    p.sizes

  (** val sizes_before : pocket -> bool list **)

  let sizes_before p =
    p.sizes_before

  (** val sweep : (int * int) list -> int -> int -> int **)

  let rec sweep cs free r =
    match cs with
    | [] -> r
    | p :: cs0 ->
      let (b, a) = p in
      sweep cs0 free
        (if meets r b then Uint63.lor_ r (Uint63.land_ a free) else r)

  (** val flood : nat -> (int * int) list -> int -> int -> int **)

  let rec flood fuel cs free r =
    match fuel with
    | O -> r
    | S fuel0 ->
      let more = sweep cs free r in
      if Uint63.equal more r then r else flood fuel0 cs free more

  (** val measure : (int * int) list -> int -> nat -> nat **)

  let rec measure cs r n0 =
    match cs with
    | [] -> n0
    | p :: cs0 ->
      let (b, _) = p in measure cs0 r (if meets r b then S n0 else n0)

  (** val inside : int -> int -> bool **)

  let inside x y =
    Uint63.equal (Uint63.land_ x y) x

  (** val can_be : bool list -> nat -> bool **)

  let can_be table0 n0 =
    nth n0 table0 true

  (** val plenty : nat **)

  let plenty =
    S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

  (** val fillable : nat -> pocket -> bool list -> int -> int -> bool **)

  let rec fillable fuel p table0 free todo =
    match fuel with
    | O -> true
    | S fuel0 ->
      if Uint63.equal todo (Uint63.of_int (0))
      then true
      else let r =
             flood plenty p.cells free
               (Uint63.land_ todo (Uint63.sub (Uint63.of_int (0)) todo))
           in
           if (&&)
                ((&&) ((&&) (inside r free) (inside r p.inner))
                  (Uint63.equal (sweep p.cells free r) r))
                (negb (can_be table0 (measure p.cells r O)))
           then false
           else fillable fuel0 p table0 free (without todo r)

  (** val table : pocket -> Pair.t -> bool list **)

  let table p s =
    if Pair.disjoint s p.special then p.sizes_before else p.sizes

  (** val pocket_free : pocket -> Pair.t -> bool **)

  let pocket_free p s =
    let free = Uint63.lxor_ (Pair.window p.shift s) max_int in
    fillable plenty p (table p s) free (Uint63.land_ free p.inner)

  (** val closed_under : bool list -> bool list -> nat -> bool **)

  let closed_under from0 into n0 =
    forallb (fun k -> implb (can_be from0 k) (can_be into (add k n0)))
      (seq O (length into))

  (** val one_bit : int -> bool **)

  let one_bit b =
    existsb (fun n0 ->
      Uint63.equal b (Uint63.lsl_ (Uint63.of_int (1)) (place n0)))
      (seq O (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

  (** val good_pocket : Pair.t -> pocket -> bool **)

  let good_pocket must p =
    (&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&)
              (forallb (fun pat -> let (b, _) = pat in one_bit b) p.cells)
              (Uint63.equal p.inner
                (fold_right (fun pat x ->
                  let (b, _) = pat in Uint63.lor_ b x) (Uint63.of_int (0))
                  p.cells))) (inside p.inner (Pair.window p.shift must)))
          (inside p.inner p.area)) (can_be p.sizes O))
      (closed_under p.sizes p.sizes_before O)

  (** val adds_up : pocket -> bool -> nat -> bool **)

  let adds_up p is_special n0 =
    if is_special
    then closed_under p.sizes p.sizes_before n0
    else (&&) (closed_under p.sizes p.sizes n0)
           (closed_under p.sizes_before p.sizes_before n0)

  (** val fits_by : (bool -> nat -> bool) -> pocket -> move -> bool **)

  let fits_by adds p m =
    let shown = Uint63.land_ (Pair.window p.shift m.base) p.area in
    let bumped = join (concat m.bumps) Pair.empty in
    let is_special = negb (Pair.disjoint m.base p.special) in
    (&&)
      ((&&)
        ((&&) (negb (meets (Pair.window p.shift bumped) p.inner))
          (Pair.disjoint bumped p.special))
        (implb is_special (Pair.within p.special m.base)))
      (forallb (fun pat ->
        let (b, _) = pat in
        implb (meets shown b)
          (let r = flood plenty p.cells shown b in
           (||) (negb (inside r p.inner))
             ((&&) (inside shown r)
               (adds is_special (measure p.cells shown O))))) p.cells)

  (** val sums : pocket -> bool list * bool list **)

  let sums p =
    ((map (adds_up p true)
       (seq O (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
         (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
         (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
         O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))),
      (map (adds_up p false)
        (seq O (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
          (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
          (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
          O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

  (** val kept_sum : (bool list * bool list) -> bool -> nat -> bool **)

  let kept_sum sums0 is_special n0 =
    nth n0 (if is_special then fst sums0 else snd sums0) false

  type layer =
  | Group of Pair.t * move list * pocket option
  | Single of move

  (** val moves_of : layer -> move list **)

  let moves_of = function
  | Group (_, ms, _) -> ms
  | Single m -> m :: []

  (** val moves : layer list -> move list **)

  let moves ls =
    flat_map moves_of ls

  (** val sound_layer : Pair.t -> layer -> move list -> bool **)

  let sound_layer must l rest =
    match l with
    | Group (x, ms, p) ->
      (&&)
        ((&&)
          ((&&) ((&&) (negb (Pair.disjoint x x)) (Pair.within x must))
            (forallb (fun m -> Pair.within x m.base) ms))
          (Pair.disjoint x (reach_all rest)))
        (match p with
         | Some p0 ->
           (&&) (good_pocket must p0)
             (let sums0 = sums p0 in
              forallb (fits_by (kept_sum sums0) p0) rest)
         | None -> true)
    | Single _ -> true

  (** val sound : Pair.t -> layer list -> bool **)

  let rec sound must = function
  | [] -> true
  | l :: ls0 -> (&&) (sound_layer must l (moves ls0)) (sound must ls0)

  (** val step :
      Pair.t -> layer -> move list -> bool -> states -> bool * states **)

  let step must l rest up now =
    let due0 = due must rest in
    (match l with
     | Group (x, ms, p) ->
       let (covered, still) = part x now Nil Nil in
       let depth = Nat.log2_up (length ms) in
       let flag = if Nat.even depth then negb up else up in
       let (new0, left) = build depth flag still ms in
       let keep = fun s ->
         (&&) (Pair.within due0 s)
           (match p with
            | Some p0 -> pocket_free p0 s
            | None -> true)
       in
       let new1 =
         sift keep (fold_right (fun m acc -> take_all m still acc) new0 left)
           Nil
       in
       let old = sift (Pair.within due0) covered Nil in
       ((negb flag),
       (merge flag new1 (if eqb up flag then old else onto old Nil)))
     | Single m ->
       ((negb up),
         (merge up (sift (Pair.within due0) (take_all m now Nil) Nil)
           (onto (sift (Pair.within due0) now Nil) Nil))))

  (** val walk : Pair.t -> layer list -> bool -> states -> states **)

  let rec walk must ls up now =
    match ls with
    | [] -> now
    | l :: ls0 ->
      let (up0, now0) = step must l (moves ls0) up now in
      walk must ls0 up0 now0

  (** val total : Pair.t -> states -> Z.t -> Z.t **)

  let rec total must l n0 =
    match l with
    | Nil -> n0
    | Cons (s, k, r) ->
      total must r (if Pair.within must s then Z.add k n0 else n0)

  (** val count : Pair.t -> layer list -> Z.t option **)

  let count must ls =
    if sound must ls
    then Some
           (total must
             (walk must ls true (Cons (Pair.empty, ((fun p -> p) Z.one),
               Nil))) Z.zero)
    else None

  type coded = (item * int list) list

  (** val distinct_places : int list -> Pair.t -> bool **)

  let rec distinct_places xs used =
    match xs with
    | [] -> true
    | x :: xs0 ->
      (&&) ((&&) (Pair.fits x) (Pair.disjoint used (Pair.single x)))
        (distinct_places xs0 (Pair.union used (Pair.single x)))

  (** val distinct_names : item list -> bool **)

  let rec distinct_names = function
  | [] -> true
  | it :: its0 ->
    (&&) (forallb (fun other -> negb (Uint63.equal other.name it.name)) its0)
      (distinct_names its0)

  (** val well_coded : coded -> bool **)

  let well_coded cs =
    (&&)
      ((&&)
        (forallb (fun pat ->
          let (it, xs) = pat in
          (&&) (Nat.eqb (length xs) it.high) (Nat.leb it.low it.high)) cs)
        (distinct_names (map fst cs)))
      (distinct_places (concat (map snd cs)) Pair.empty)

  (** val places_of : coded -> int -> int list option **)

  let rec places_of cs x =
    match cs with
    | [] -> None
    | p :: cs0 ->
      let (it, xs) = p in
      if Uint63.equal it.name x then Some xs else places_of cs0 x

  (** val singles : int list -> Pair.t -> Pair.t **)

  let singles xs s =
    fold_right (fun x s0 -> Pair.union (Pair.single x) s0) s xs

  (** val must_of : coded -> Pair.t **)

  let must_of cs =
    singles
      (concat (map (fun pat -> let (it, xs) = pat in firstn it.low xs) cs))
      Pair.empty

  (** val with_base :
      coded -> int list -> Pair.t -> int list -> Pair.t * int list **)

  let rec with_base cs o base0 later =
    match o with
    | [] -> (base0, later)
    | x :: o0 ->
      (match places_of cs x with
       | Some l ->
         (match l with
          | [] -> with_base cs o0 base0 (x :: later)
          | place0 :: l0 ->
            (match l0 with
             | [] ->
               if Pair.disjoint base0 (Pair.single place0)
               then with_base cs o0 (Pair.union base0 (Pair.single place0))
                      later
               else with_base cs o0 base0 (x :: later)
             | _ :: _ -> with_base cs o0 base0 (x :: later)))
       | None -> with_base cs o0 base0 (x :: later))

  (** val with_bumps :
      coded -> int list -> Pair.t list list -> Pair.t list list option **)

  let rec with_bumps cs o bumps0 =
    match o with
    | [] -> Some bumps0
    | x :: o0 ->
      (match places_of cs x with
       | Some places ->
         with_bumps cs o0 (app bumps0 ((map Pair.single places) :: []))
       | None -> None)

  (** val encode : coded -> int list -> move option **)

  let encode cs o =
    let (base0, later) = with_base cs o Pair.empty [] in
    (match with_bumps cs later [] with
     | Some bumps0 -> Some { base = base0; bumps = bumps0 }
     | None -> None)

  (** val encode_all : coded -> int list list -> move list option **)

  let rec encode_all cs = function
  | [] -> Some []
  | o :: os0 ->
    (match encode cs o with
     | Some m ->
       (match encode_all cs os0 with
        | Some ms -> Some (m :: ms)
        | None -> None)
     | None -> None)

  type heading = (int * hint option) option * nat

  (** val pocket_of : hint -> pocket **)

  let pocket_of h =
    { shift = h.from; cells = h.neighbours; area = h.board; inner =
      (fold_right (fun pat x -> let (b, _) = pat in Uint63.lor_ b x)
        (Uint63.of_int (0)) h.neighbours); special =
      (singles h.marks Pair.empty); sizes = h.after; sizes_before = h.before }

  (** val split : heading list -> move list -> layer list **)

  let rec split hs ms =
    match hs with
    | [] -> map (fun x -> Single x) ms
    | h :: hs0 ->
      let (o, n0) = h in
      (match o with
       | Some p0 ->
         let (x, p) = p0 in
         (Group ((Pair.single x), (firstn n0 ms),
         (option_map pocket_of p))) :: (split hs0 (skipn n0 ms))
       | None ->
         app (map (fun x -> Single x) (firstn n0 ms))
           (split hs0 (skipn n0 ms)))

  (** val count_covers :
      problem -> int list list -> heading list -> Z.t option **)

  let count_covers p places hs =
    let cs = combine p.items places in
    if (&&) (Nat.eqb (length places) (length p.items)) (well_coded cs)
    then (match encode_all cs p.options with
          | Some ms -> count (must_of cs) (split hs ms)
          | None -> None)
    else None

  (** val unchanged : problem -> (nat -> bool) -> element -> Z.t option **)

  let unchanged p left_out e =
    if good_cycles p left_out e.image e.cycles e.dropped e.where_they_are
    then count_covers (quotient p e.cycles) e.its_places e.its_headings
    else None

  (** val none : nat -> bool **)

  let none _ =
    false

  (** val unchanged_by_all : problem -> element list -> Z.t list option **)

  let rec unchanged_by_all p = function
  | [] -> Some []
  | e :: es0 ->
    (match unchanged p none e with
     | Some n0 ->
       (match unchanged_by_all p es0 with
        | Some ns -> Some (n0 :: ns)
        | None -> None)
     | None -> None)

  (** val branch_numbers :
      problem -> int -> (nat * element) list -> (nat * Z.t) list option **)

  let rec branch_numbers p x = function
  | [] -> Some []
  | p0 :: parts0 ->
    let (j, e) = p0 in
    if (&&) (covers p x j) (same_places e.image (seq O (length p.options)))
    then (match unchanged p (besides p x j) e with
          | Some m ->
            (match branch_numbers p x parts0 with
             | Some ms -> Some ((j, m) :: ms)
             | None -> None)
          | None -> None)
    else None

  (** val by_branches :
      problem -> nat list list -> int -> (nat * element) list -> Z.t option **)

  let by_branches p group x parts =
    if is_once p x
    then (match branch_numbers p x parts with
          | Some numbers -> add_up (known p group numbers) (covering p x)
          | None -> None)
    else None

  (** val in_all :
      problem -> nat list list -> (int * (nat * element) list) option ->
      element -> Z.t option **)

  let in_all p group branches e =
    match branches with
    | Some p0 -> let (x, parts) = p0 in by_branches p group x parts
    | None -> unchanged p none e

  (** val count_orbits :
      problem -> (int * (nat * element) list) option -> element list ->
      (Z.t * Z.t) option **)

  let count_orbits p branches es =
    if (&&) (is_group (length p.options) (map (fun e -> e.image) es))
         (forallb (fun e -> good_symmetry p e.image e.names) es)
    then (match es with
          | [] -> None
          | e :: rest ->
            (match in_all p (map (fun e0 -> e0.image) es) branches e with
             | Some total0 ->
               (match unchanged_by_all p rest with
                | Some others ->
                  Some (total0,
                    (N.div (fold_right Z.add total0 others)
                      (N.of_nat (length es))))
                | None -> None)
             | None -> None))
    else None

  (** val count_text :
      text -> text list -> problem -> (int * (nat * element) list) option ->
      element list -> text option **)

  let count_text t0 called p branches es =
    if reads t0 called p (map (fun e -> e.image) es)
    then (match count_orbits p branches es with
          | Some p0 ->
            let (total0, orbits) = p0 in Some (answer t0 total0 orbits)
          | None -> None)
    else None
 end

module Long =
 struct
  type states =
  | Nil
  | Cons of Many.t * Z.t * states

  type move = { base : Many.t; bumps : Many.t list list }

  (** val base : move -> Many.t **)

  let base m =
    m.base

  (** val bumps : move -> Many.t list list **)

  let bumps m =
    m.bumps

  (** val bump : Many.t -> Many.t list -> Many.t option **)

  let rec bump s = function
  | [] -> None
  | x :: places0 ->
    if Many.disjoint s x then Some (Many.union s x) else bump s places0

  (** val bump_all : Many.t -> Many.t list list -> Many.t option **)

  let rec bump_all s = function
  | [] -> Some s
  | places :: all0 ->
    (match bump s places with
     | Some s0 -> bump_all s0 all0
     | None -> None)

  (** val take : Many.t -> move -> Many.t option **)

  let take s m =
    if Many.disjoint s m.base
    then bump_all (Many.union s m.base) m.bumps
    else None

  (** val onto : states -> states -> states **)

  let rec onto l acc =
    match l with
    | Nil -> acc
    | Cons (s, k, r) -> onto r (Cons (s, k, acc))

  (** val merging : bool -> states -> states -> states -> states **)

  let rec merging up l1 l2 acc =
    match l1 with
    | Nil -> onto l2 acc
    | Cons (s1, k1, r1) ->
      (match l2 with
       | Nil -> onto (Cons (s1, k1, r1)) acc
       | Cons (s2, k2, r2) ->
         (match Many.compare s1 s2 with
          | Eq -> merging up r1 r2 (Cons (s1, (Z.add k1 k2), acc))
          | Lt ->
            if up
            then merging up r1 (Cons (s2, k2, r2)) (Cons (s1, k1, acc))
            else merging up (Cons (s1, k1, r1)) r2 (Cons (s2, k2, acc))
          | Gt ->
            if up
            then merging up (Cons (s1, k1, r1)) r2 (Cons (s2, k2, acc))
            else merging up r1 (Cons (s2, k2, r2)) (Cons (s1, k1, acc))))

  (** val merge : bool -> states -> states -> states **)

  let merge up l1 l2 =
    merging up l1 l2 Nil

  (** val take_all : move -> states -> states -> states **)

  let rec take_all m l acc =
    match l with
    | Nil -> acc
    | Cons (s, k, r) ->
      take_all m r
        (match take s m with
         | Some s0 -> Cons (s0, k, acc)
         | None -> acc)

  (** val sift : (Many.t -> bool) -> states -> states -> states **)

  let rec sift keep l acc =
    match l with
    | Nil -> acc
    | Cons (s, k, r) -> sift keep r (if keep s then Cons (s, k, acc) else acc)

  (** val build : nat -> bool -> states -> move list -> states * move list **)

  let rec build depth up l ms = match ms with
  | [] -> (Nil, [])
  | m :: ms0 ->
    (match depth with
     | O -> ((take_all m l Nil), ms0)
     | S depth0 ->
       let (one, ms1) = build depth0 (negb up) l ms in
       let (other, ms2) = build depth0 (negb up) l ms1 in
       ((merge up one other), ms2))

  (** val part : Many.t -> states -> states -> states -> states * states **)

  let rec part x l covered still =
    match l with
    | Nil -> (covered, still)
    | Cons (s, k, r) ->
      if Many.disjoint s x
      then part x r covered (Cons (s, k, still))
      else part x r (Cons (s, k, covered)) still

  (** val join : Many.t list -> Many.t -> Many.t **)

  let join l s =
    fold_right Many.union s l

  (** val reach : move -> Many.t **)

  let reach m =
    join (concat m.bumps) m.base

  (** val reach_all : move list -> Many.t **)

  let reach_all ms =
    join (map reach ms) Many.empty

  (** val due : Many.t -> move list -> Many.t **)

  let due must ms =
    Many.without must (reach_all ms)

  type pocket = { shift : int; cells : (int * int) list; area : int;
                  inner : int; special : Many.t; sizes : bool list;
                  sizes_before : bool list }

  (** val shift : pocket -> int **)

  let shift p =
    p.shift

  (** val cells : pocket -> (int * int) list **)

  let cells p =
    p.cells

  (** val area : pocket -> int **)

  let area p =
    p.area

  (** val inner : pocket -> int **)

  let inner p =
    p.inner

  (** val special : pocket -> Many.t **)

  let special p =
    p.special

  (** val sizes : pocket -> bool list **)

  let sizes p =
    p.sizes

  (** val sizes_before : pocket -> bool list **)

  let sizes_before p =
    p.sizes_before

  (** val sweep : (int * int) list -> int -> int -> int **)

  let rec sweep cs free r =
    match cs with
    | [] -> r
    | p :: cs0 ->
      let (b, a) = p in
      sweep cs0 free
        (if meets r b then Uint63.lor_ r (Uint63.land_ a free) else r)

  (** val flood : nat -> (int * int) list -> int -> int -> int **)

  let rec flood fuel cs free r =
    match fuel with
    | O -> r
    | S fuel0 ->
      let more = sweep cs free r in
      if Uint63.equal more r then r else flood fuel0 cs free more

  (** val measure : (int * int) list -> int -> nat -> nat **)

  let rec measure cs r n0 =
    match cs with
    | [] -> n0
    | p :: cs0 ->
      let (b, _) = p in measure cs0 r (if meets r b then S n0 else n0)

  (** val inside : int -> int -> bool **)

  let inside x y =
    Uint63.equal (Uint63.land_ x y) x

  (** val can_be : bool list -> nat -> bool **)

  let can_be table0 n0 =
    nth n0 table0 true

  (** val plenty : nat **)

  let plenty =
    S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

  (** val fillable : nat -> pocket -> bool list -> int -> int -> bool **)

  let rec fillable fuel p table0 free todo =
    match fuel with
    | O -> true
    | S fuel0 ->
      if Uint63.equal todo (Uint63.of_int (0))
      then true
      else let r =
             flood plenty p.cells free
               (Uint63.land_ todo (Uint63.sub (Uint63.of_int (0)) todo))
           in
           if (&&)
                ((&&) ((&&) (inside r free) (inside r p.inner))
                  (Uint63.equal (sweep p.cells free r) r))
                (negb (can_be table0 (measure p.cells r O)))
           then false
           else fillable fuel0 p table0 free (without todo r)

  (** val table : pocket -> Many.t -> bool list **)

  let table p s =
    if Many.disjoint s p.special then p.sizes_before else p.sizes

  (** val pocket_free : pocket -> Many.t -> bool **)

  let pocket_free p s =
    let free = Uint63.lxor_ (Many.window p.shift s) max_int in
    fillable plenty p (table p s) free (Uint63.land_ free p.inner)

  (** val closed_under : bool list -> bool list -> nat -> bool **)

  let closed_under from0 into n0 =
    forallb (fun k -> implb (can_be from0 k) (can_be into (add k n0)))
      (seq O (length into))

  (** val one_bit : int -> bool **)

  let one_bit b =
    existsb (fun n0 ->
      Uint63.equal b (Uint63.lsl_ (Uint63.of_int (1)) (place n0)))
      (seq O (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
        O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

  (** val good_pocket : Many.t -> pocket -> bool **)

  let good_pocket must p =
    (&&)
      ((&&)
        ((&&)
          ((&&)
            ((&&)
              (forallb (fun pat -> let (b, _) = pat in one_bit b) p.cells)
              (Uint63.equal p.inner
                (fold_right (fun pat x ->
                  let (b, _) = pat in Uint63.lor_ b x) (Uint63.of_int (0))
                  p.cells))) (inside p.inner (Many.window p.shift must)))
          (inside p.inner p.area)) (can_be p.sizes O))
      (closed_under p.sizes p.sizes_before O)

  (** val adds_up : pocket -> bool -> nat -> bool **)

  let adds_up p is_special n0 =
    if is_special
    then closed_under p.sizes p.sizes_before n0
    else (&&) (closed_under p.sizes p.sizes n0)
           (closed_under p.sizes_before p.sizes_before n0)

  (** val fits_by : (bool -> nat -> bool) -> pocket -> move -> bool **)

  let fits_by adds p m =
    let shown = Uint63.land_ (Many.window p.shift m.base) p.area in
    let bumped = join (concat m.bumps) Many.empty in
    let is_special = negb (Many.disjoint m.base p.special) in
    (&&)
      ((&&)
        ((&&) (negb (meets (Many.window p.shift bumped) p.inner))
          (Many.disjoint bumped p.special))
        (implb is_special (Many.within p.special m.base)))
      (forallb (fun pat ->
        let (b, _) = pat in
        implb (meets shown b)
          (let r = flood plenty p.cells shown b in
           (||) (negb (inside r p.inner))
             ((&&) (inside shown r)
               (adds is_special (measure p.cells shown O))))) p.cells)

  (** val sums : pocket -> bool list * bool list **)

  let sums p =
    ((map (adds_up p true)
       (seq O (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
         (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
         (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
         O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))),
      (map (adds_up p false)
        (seq O (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
          (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
          (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
          O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

  (** val kept_sum : (bool list * bool list) -> bool -> nat -> bool **)

  let kept_sum sums0 is_special n0 =
    nth n0 (if is_special then fst sums0 else snd sums0) false

  type layer =
  | Group of Many.t * move list * pocket option
  | Single of move

  (** val moves_of : layer -> move list **)

  let moves_of = function
  | Group (_, ms, _) -> ms
  | Single m -> m :: []

  (** val moves : layer list -> move list **)

  let moves ls =
    flat_map moves_of ls

  (** val sound_layer : Many.t -> layer -> move list -> bool **)

  let sound_layer must l rest =
    match l with
    | Group (x, ms, p) ->
      (&&)
        ((&&)
          ((&&) ((&&) (negb (Many.disjoint x x)) (Many.within x must))
            (forallb (fun m -> Many.within x m.base) ms))
          (Many.disjoint x (reach_all rest)))
        (match p with
         | Some p0 ->
           (&&) (good_pocket must p0)
             (let sums0 = sums p0 in
              forallb (fits_by (kept_sum sums0) p0) rest)
         | None -> true)
    | Single _ -> true

  (** val sound : Many.t -> layer list -> bool **)

  let rec sound must = function
  | [] -> true
  | l :: ls0 -> (&&) (sound_layer must l (moves ls0)) (sound must ls0)

  (** val step :
      Many.t -> layer -> move list -> bool -> states -> bool * states **)

  let step must l rest up now =
    let due0 = due must rest in
    (match l with
     | Group (x, ms, p) ->
       let (covered, still) = part x now Nil Nil in
       let depth = Nat.log2_up (length ms) in
       let flag = if Nat.even depth then negb up else up in
       let (new0, left) = build depth flag still ms in
       let keep = fun s ->
         (&&) (Many.within due0 s)
           (match p with
            | Some p0 -> pocket_free p0 s
            | None -> true)
       in
       let new1 =
         sift keep (fold_right (fun m acc -> take_all m still acc) new0 left)
           Nil
       in
       let old = sift (Many.within due0) covered Nil in
       ((negb flag),
       (merge flag new1 (if eqb up flag then old else onto old Nil)))
     | Single m ->
       ((negb up),
         (merge up (sift (Many.within due0) (take_all m now Nil) Nil)
           (onto (sift (Many.within due0) now Nil) Nil))))

  (** val walk : Many.t -> layer list -> bool -> states -> states **)

  let rec walk must ls up now =
    match ls with
    | [] -> now
    | l :: ls0 ->
      let (up0, now0) = step must l (moves ls0) up now in
      walk must ls0 up0 now0

  (** val total : Many.t -> states -> Z.t -> Z.t **)

  let rec total must l n0 =
    match l with
    | Nil -> n0
    | Cons (s, k, r) ->
      total must r (if Many.within must s then Z.add k n0 else n0)

  (** val count : Many.t -> layer list -> Z.t option **)

  let count must ls =
    if sound must ls
    then Some
           (total must
             (walk must ls true (Cons (Many.empty, ((fun p -> p) Z.one),
               Nil))) Z.zero)
    else None

  type coded = (item * int list) list

  (** val distinct_places : int list -> Many.t -> bool **)

  let rec distinct_places xs used =
    match xs with
    | [] -> true
    | x :: xs0 ->
      (&&) ((&&) (Many.fits x) (Many.disjoint used (Many.single x)))
        (distinct_places xs0 (Many.union used (Many.single x)))

  (** val distinct_names : item list -> bool **)

  let rec distinct_names = function
  | [] -> true
  | it :: its0 ->
    (&&) (forallb (fun other -> negb (Uint63.equal other.name it.name)) its0)
      (distinct_names its0)

  (** val well_coded : coded -> bool **)

  let well_coded cs =
    (&&)
      ((&&)
        (forallb (fun pat ->
          let (it, xs) = pat in
          (&&) (Nat.eqb (length xs) it.high) (Nat.leb it.low it.high)) cs)
        (distinct_names (map fst cs)))
      (distinct_places (concat (map snd cs)) Many.empty)

  (** val places_of : coded -> int -> int list option **)

  let rec places_of cs x =
    match cs with
    | [] -> None
    | p :: cs0 ->
      let (it, xs) = p in
      if Uint63.equal it.name x then Some xs else places_of cs0 x

  (** val singles : int list -> Many.t -> Many.t **)

  let singles xs s =
    fold_right (fun x s0 -> Many.union (Many.single x) s0) s xs

  (** val must_of : coded -> Many.t **)

  let must_of cs =
    singles
      (concat (map (fun pat -> let (it, xs) = pat in firstn it.low xs) cs))
      Many.empty

  (** val with_base :
      coded -> int list -> Many.t -> int list -> Many.t * int list **)

  let rec with_base cs o base0 later =
    match o with
    | [] -> (base0, later)
    | x :: o0 ->
      (match places_of cs x with
       | Some l ->
         (match l with
          | [] -> with_base cs o0 base0 (x :: later)
          | place0 :: l0 ->
            (match l0 with
             | [] ->
               if Many.disjoint base0 (Many.single place0)
               then with_base cs o0 (Many.union base0 (Many.single place0))
                      later
               else with_base cs o0 base0 (x :: later)
             | _ :: _ -> with_base cs o0 base0 (x :: later)))
       | None -> with_base cs o0 base0 (x :: later))

  (** val with_bumps :
      coded -> int list -> Many.t list list -> Many.t list list option **)

  let rec with_bumps cs o bumps0 =
    match o with
    | [] -> Some bumps0
    | x :: o0 ->
      (match places_of cs x with
       | Some places ->
         with_bumps cs o0 (app bumps0 ((map Many.single places) :: []))
       | None -> None)

  (** val encode : coded -> int list -> move option **)

  let encode cs o =
    let (base0, later) = with_base cs o Many.empty [] in
    (match with_bumps cs later [] with
     | Some bumps0 -> Some { base = base0; bumps = bumps0 }
     | None -> None)

  (** val encode_all : coded -> int list list -> move list option **)

  let rec encode_all cs = function
  | [] -> Some []
  | o :: os0 ->
    (match encode cs o with
     | Some m ->
       (match encode_all cs os0 with
        | Some ms -> Some (m :: ms)
        | None -> None)
     | None -> None)

  type heading = (int * hint option) option * nat

  (** val pocket_of : hint -> pocket **)

  let pocket_of h =
    { shift = h.from; cells = h.neighbours; area = h.board; inner =
      (fold_right (fun pat x -> let (b, _) = pat in Uint63.lor_ b x)
        (Uint63.of_int (0)) h.neighbours); special =
      (singles h.marks Many.empty); sizes = h.after; sizes_before = h.before }

  (** val split : heading list -> move list -> layer list **)

  let rec split hs ms =
    match hs with
    | [] -> map (fun x -> Single x) ms
    | h :: hs0 ->
      let (o, n0) = h in
      (match o with
       | Some p0 ->
         let (x, p) = p0 in
         (Group ((Many.single x), (firstn n0 ms),
         (option_map pocket_of p))) :: (split hs0 (skipn n0 ms))
       | None ->
         app (map (fun x -> Single x) (firstn n0 ms))
           (split hs0 (skipn n0 ms)))

  (** val count_covers :
      problem -> int list list -> heading list -> Z.t option **)

  let count_covers p places hs =
    let cs = combine p.items places in
    if (&&) (Nat.eqb (length places) (length p.items)) (well_coded cs)
    then (match encode_all cs p.options with
          | Some ms -> count (must_of cs) (split hs ms)
          | None -> None)
    else None

  (** val unchanged : problem -> (nat -> bool) -> element -> Z.t option **)

  let unchanged p left_out e =
    if good_cycles p left_out e.image e.cycles e.dropped e.where_they_are
    then count_covers (quotient p e.cycles) e.its_places e.its_headings
    else None

  (** val none : nat -> bool **)

  let none _ =
    false

  (** val unchanged_by_all : problem -> element list -> Z.t list option **)

  let rec unchanged_by_all p = function
  | [] -> Some []
  | e :: es0 ->
    (match unchanged p none e with
     | Some n0 ->
       (match unchanged_by_all p es0 with
        | Some ns -> Some (n0 :: ns)
        | None -> None)
     | None -> None)

  (** val branch_numbers :
      problem -> int -> (nat * element) list -> (nat * Z.t) list option **)

  let rec branch_numbers p x = function
  | [] -> Some []
  | p0 :: parts0 ->
    let (j, e) = p0 in
    if (&&) (covers p x j) (same_places e.image (seq O (length p.options)))
    then (match unchanged p (besides p x j) e with
          | Some m ->
            (match branch_numbers p x parts0 with
             | Some ms -> Some ((j, m) :: ms)
             | None -> None)
          | None -> None)
    else None

  (** val by_branches :
      problem -> nat list list -> int -> (nat * element) list -> Z.t option **)

  let by_branches p group x parts =
    if is_once p x
    then (match branch_numbers p x parts with
          | Some numbers -> add_up (known p group numbers) (covering p x)
          | None -> None)
    else None

  (** val in_all :
      problem -> nat list list -> (int * (nat * element) list) option ->
      element -> Z.t option **)

  let in_all p group branches e =
    match branches with
    | Some p0 -> let (x, parts) = p0 in by_branches p group x parts
    | None -> unchanged p none e

  (** val count_orbits :
      problem -> (int * (nat * element) list) option -> element list ->
      (Z.t * Z.t) option **)

  let count_orbits p branches es =
    if (&&) (is_group (length p.options) (map (fun e -> e.image) es))
         (forallb (fun e -> good_symmetry p e.image e.names) es)
    then (match es with
          | [] -> None
          | e :: rest ->
            (match in_all p (map (fun e0 -> e0.image) es) branches e with
             | Some total0 ->
               (match unchanged_by_all p rest with
                | Some others ->
                  Some (total0,
                    (N.div (fold_right Z.add total0 others)
                      (N.of_nat (length es))))
                | None -> None)
             | None -> None))
    else None

  (** val count_text :
      text -> text list -> problem -> (int * (nat * element) list) option ->
      element list -> text option **)

  let count_text t0 called p branches es =
    if reads t0 called p (map (fun e -> e.image) es)
    then (match count_orbits p branches es with
          | Some p0 ->
            let (total0, orbits) = p0 in Some (answer t0 total0 orbits)
          | None -> None)
    else None
 end
