(* Coq's machine words are OCaml's: 63 bits, without a sign. *)
let of_int (x : int) = x
let land_ (x : int) y = x land y
let lor_ (x : int) y = x lor y
let lxor_ (x : int) y = x lxor y
let add (x : int) y = x + y
let sub (x : int) y = x - y
let lsl_ x k = if 0 <= k && k < 63 then x lsl k else 0
let lsr_ x k = if 0 <= k && k < 63 then x lsr k else 0
let equal (x : int) y = x = y
let less (x : int) y = x lxor min_int < y lxor min_int
