(* The program: Coq's words become OCaml's, its numbers those of GMP. *)
From Coq Require Import ZArith NArith List Uint63 Extraction ExtrOcamlBasic ExtrOcamlString.
From Verified Require Import Search Words Cover Orbits Text.

Module Two.
Include Texts Pair.
End Two.
Module Long.
Include Texts Many.
End Long.
Definition both_right := conj Two.answer_is_right Long.answer_is_right.
Print Assumptions both_right.

Extraction Language OCaml.
Extract Constant Uint63.int => "int".
Extraction Inline Uint63.int.
Extract Inlined Constant Uint63.land => "Uint63.land_".
Extract Inlined Constant Uint63.lor => "Uint63.lor_".
Extract Inlined Constant Uint63.lxor => "Uint63.lxor_".
Extract Inlined Constant Uint63.add => "Uint63.add".
Extract Inlined Constant Uint63.sub => "Uint63.sub".
Extract Inlined Constant Uint63.lsl => "Uint63.lsl_".
Extract Inlined Constant Uint63.lsr => "Uint63.lsr_".
Extract Inlined Constant Uint63.eqb => "Uint63.equal".
Extract Inlined Constant Uint63.ltb => "Uint63.less".
Extract Inductive positive => "Z.t"
  ["(fun p -> Z.succ (Z.shift_left p 1))" "(fun p -> Z.shift_left p 1)" "Z.one"]
  "(fun f2p1 f2p f1 p -> if Z.equal p Z.one then f1 () else if Z.testbit p 0 then f2p1 (Z.shift_right p 1) else f2p (Z.shift_right p 1))".
Extract Inductive N => "Z.t" ["Z.zero" "(fun p -> p)"] "(fun f0 fp n -> if Z.equal n Z.zero then f0 () else fp n)".
Extract Inlined Constant N.add => "Z.add".
Extract Inlined Constant Pos.succ => "Z.succ".
Extraction "counter.ml" Two.count_text Long.count_text reads.
