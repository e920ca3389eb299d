(* Sets of places as machine words: two of them, which is quickest, or a list of any length. *)
From Coq Require Import ZArith NArith List Bool Lia Arith Uint63.
From Verified Require Import Search.
Import ListNotations.

Local Notation "x .[ i ]" := (bit x i) (at level 2, left associativity, format "x .[ i ]").

Lemma disjoint_words x y : ((x land y =? 0)%uint63 = true) <-> forall i, x.[i] && y.[i] = false.
Proof. rewrite <- meets_false. unfold meets. now rewrite negb_false_iff. Qed.

Lemma within_words x y : ((x land y =? x)%uint63 = true) <-> forall i, x.[i] = true -> y.[i] = true.
Proof.
  rewrite eqb_spec. split.
  - intros H i X. rewrite <- H, land_spec in X. now apply andb_true_iff in X.
  - intros H. apply bit_ext. intros i. rewrite land_spec. specialize (H i). destruct (x.[i]); [now rewrite H|reflexivity].
Qed.

Lemma bit_single i j : (i <? digits)%uint63 = true -> (1 << i)%uint63.[j] = (i =? j)%uint63.
Proof.
  intros H. rewrite bit_lsl, bit_1. apply ltb_spec in H. change (to_Z digits) with 63%Z in H.
  apply eq_true_iff_eq. rewrite (eqb_spec i j). pose proof (to_Z_bounded i) as Bi. pose proof (to_Z_bounded j) as Bj.
  destruct ((j <? i)%uint63 || (digits <=? j)%uint63) eqn:B.
  - split; [discriminate|]. intros ->. apply orb_true_iff in B as [B|B].
    + rewrite ltb_spec in B. lia.
    + rewrite leb_spec in B. change (to_Z digits) with 63%Z in B. lia.
  - apply orb_false_iff in B as [B _]. apply not_true_iff_false in B. rewrite ltb_spec in B.
    rewrite eqb_spec. split.
    + intros E. apply to_Z_inj. assert (Z0 : to_Z (j - i) = 0%Z) by now rewrite E.
      rewrite sub_spec, Z.mod_small in Z0; lia.
    + intros ->. apply to_Z_inj. rewrite sub_spec, Z.sub_diag. reflexivity.
Qed.

Lemma lsl_lor x y k : ((x lor y) << k)%uint63 = ((x << k) lor (y << k))%uint63.
Proof.
  apply bit_ext. intros i. rewrite lor_spec, !bit_lsl, lor_spec. now destruct ((i <? k)%uint63 || (digits <=? i)%uint63).
Qed.

Lemma sub_eqb i j : (i <? digits)%uint63 = false -> (j <? digits)%uint63 = false ->
  (i - digits =? j - digits)%uint63 = (i =? j)%uint63.
Proof.
  intros I J. apply eq_true_iff_eq. rewrite !eqb_spec. split; [|now intros ->].
  intros E. assert (Z0 : to_Z (i - digits) = to_Z (j - digits)) by now rewrite E.
  apply not_true_iff_false in I, J. rewrite ltb_spec in I, J. change (to_Z digits) with 63%Z in *.
  pose proof (to_Z_bounded i). pose proof (to_Z_bounded j). rewrite !sub_spec in Z0.
  change (to_Z digits) with 63%Z in Z0. rewrite !Z.mod_small in Z0 by lia. apply to_Z_inj. lia.
Qed.

Lemma far_from_near i j : (i <? digits)%uint63 = true -> (j <? digits)%uint63 = false -> (i =? j)%uint63 = false.
Proof. intros I J. destruct (i =? j)%uint63 eqn:E; [|reflexivity]. apply eqb_correct in E. congruence. Qed.

Lemma add_digits i : (to_Z i < 2 ^ 63 - 63)%Z -> ((i + digits) <? digits)%uint63 = false /\ (i + digits - digits = i)%uint63.
Proof.
  intros H. pose proof (to_Z_bounded i) as B.
  assert (E1 : to_Z (i + digits) = (to_Z i + 63)%Z).
  { rewrite add_spec. change (to_Z digits) with 63%Z. apply Z.mod_small. change wB with (2 ^ 63)%Z. lia. }
  split.
  - apply not_true_iff_false. rewrite ltb_spec, E1. change (to_Z digits) with 63%Z. lia.
  - apply to_Z_inj. rewrite sub_spec, E1. change (to_Z digits) with 63%Z. rewrite Z.mod_small; [lia|].
    change wB with (2 ^ 63)%Z. lia.
Qed.

(* What two words show from place k of the first on. *)
Definition show (k a b : int) : int := ((a >> k) lor (b << (digits - k)))%uint63.

Lemma show_lor k a b c d : show k (a lor c) (b lor d) = (show k a b lor show k c d)%uint63.
Proof.
  unfold show. rewrite lor_lsr, lsl_lor. apply bit_ext. intros i. rewrite !lor_spec.
  destruct ((a >> k)%uint63.[i]), ((c >> k)%uint63.[i]), ((b << (digits - k))%uint63.[i]), ((d << (digits - k))%uint63.[i]);
    reflexivity.
Qed.

(* The bits that the two words show are apart. *)
Lemma apart (k : int) a d i : (k <? digits)%uint63 = true ->
  (a >> k)%uint63.[i] = true -> (d << (digits - k))%uint63.[i] = true -> False.
Proof.
  intros K A D. rewrite bit_lsr in A. rewrite bit_lsl in D.
  destruct ((i <=? k + i)%uint63) eqn:L; [|discriminate].
  destruct ((i <? digits - k)%uint63 || (digits <=? i)%uint63) eqn:B; [discriminate|].
  apply orb_false_iff in B as [B1 B2]. apply not_true_iff_false in B1, B2. rewrite ltb_spec in B1. rewrite leb_spec in B2.
  apply ltb_spec in K. apply leb_spec in L. change (to_Z digits) with 63%Z in *.
  pose proof (to_Z_bounded k). pose proof (to_Z_bounded i).
  assert (E : to_Z (digits - k) = (63 - to_Z k)%Z) by (rewrite sub_spec; apply Z.mod_small; change (to_Z digits) with 63%Z; change wB with (2 ^ 63)%Z; lia).
  rewrite E in B1.
  assert (F : to_Z (k + i) = (to_Z k + to_Z i)%Z) by (rewrite add_spec; apply Z.mod_small; change wB with (2 ^ 63)%Z; lia).
  rewrite bit_M in A; [discriminate|]. apply leb_spec. rewrite F. change (to_Z digits) with 63%Z. lia.
Qed.

Lemma and_shifts a c k i : (a land c = 0)%uint63 ->
  (a >> k)%uint63.[i] && (c >> k)%uint63.[i] = false /\ (a << k)%uint63.[i] && (c << k)%uint63.[i] = false.
Proof.
  intros H. assert (N : forall j, a.[j] && c.[j] = false) by (intros j; rewrite <- land_spec, H; apply bit_0).
  rewrite !bit_lsr, !bit_lsl. split; [destruct (_ <=? _)%uint63|destruct (_ || _)]; auto.
Qed.

Lemma show_disjoint k a b c d : (k <? digits)%uint63 = true -> (a land c = 0)%uint63 -> (b land d = 0)%uint63 ->
  (show k a b land show k c d = 0)%uint63.
Proof.
  intros K A B. unfold show. apply bit_ext. intros i. rewrite bit_0, land_spec, !lor_spec.
  pose proof (proj1 (and_shifts a c k i A)) as S1. pose proof (proj2 (and_shifts b d (digits - k) i B)) as S2.
  pose proof (apart k a d i K) as X1. pose proof (apart k c b i K) as X2.
  destruct ((a >> k)%uint63.[i]), ((c >> k)%uint63.[i]), ((b << (digits - k))%uint63.[i]), ((d << (digits - k))%uint63.[i]);
    cbn in *; try reflexivity; try discriminate; exfalso; auto.
Qed.

(* Places in the first word, and from 63 on in the second. *)
Module Pair <: SETS.
  Inductive pair := P (a b : int).
  Definition t := pair.
  Definition empty := P 0 0.
  Definition mem (s : t) (i : int) : bool :=
    match s with P a b => if (i <? digits)%uint63 then a.[i] else b.[(i - digits)%uint63] end.
  Definition fits (i : int) : bool := ((i <? digits) || (i - digits <? digits))%uint63.
  Definition single (i : int) : t := if (i <? digits)%uint63 then P (1 << i)%uint63 0 else P 0 (1 << (i - digits))%uint63.
  Definition union (s t : t) : pair := match s, t with P a b, P c d => P (a lor c)%uint63 (b lor d)%uint63 end.
  Definition without (s t : t) : pair := match s, t with P a b, P c d => P (Search.without a c) (Search.without b d) end.
  Definition disjoint (s t : t) : bool :=
    match s, t with P a b, P c d => (a land c =? 0)%uint63 && (b land d =? 0)%uint63 end.
  Definition within (s t : t) : bool :=
    match s, t with P a b, P c d => (a land c =? a)%uint63 && (b land d =? b)%uint63 end.
  Definition compare (s t : t) : comparison :=
    match s, t with P a b, P c d =>
      if (b =? d)%uint63 then if (a =? c)%uint63 then Eq else if (a <? c)%uint63 then Lt else Gt
      else if (b <? d)%uint63 then Lt else Gt
    end.
  Definition window (k : int) (s : t) : int :=
    match s with P a b => if (k <? digits)%uint63 then show k a b else (b >> (k - digits))%uint63 end.

  Lemma mem_empty i : mem empty i = false.
  Proof. cbn. rewrite !bit_0. now destruct (i <? digits)%uint63. Qed.

  Lemma mem_single i j : fits i = true -> mem (single i) j = (i =? j)%uint63.
  Proof.
    unfold fits, single. intros F. destruct (i <? digits)%uint63 eqn:I.
    - cbn [mem]. rewrite bit_single by assumption. rewrite bit_0. destruct (j <? digits)%uint63 eqn:J; [reflexivity|].
      now rewrite far_from_near.
    - cbn [orb] in F. cbn [mem]. rewrite bit_0. destruct (j <? digits)%uint63 eqn:J.
      + destruct (i =? j)%uint63 eqn:E; [|reflexivity]. apply eqb_correct in E. congruence.
      + rewrite bit_single by assumption. now apply sub_eqb.
  Qed.

  Lemma mem_union s t i : mem (union s t) i = mem s i || mem t i.
  Proof. destruct s, t. cbn. rewrite !lor_spec. now destruct (i <? digits)%uint63. Qed.

  Lemma mem_without s t i : mem (without s t) i = mem s i && negb (mem t i).
  Proof. destruct s, t. cbn [mem without]. rewrite !bit_without. now destruct (i <? digits)%uint63. Qed.

  Lemma bits_of_mem (f : bool -> bool -> bool) s t : f false false = true ->
    (forall i, f (mem s i) (mem t i) = true) <->
    match s, t with P a b, P c d => (forall i, f a.[i] c.[i] = true) /\ (forall i, f b.[i] d.[i] = true) end.
  Proof.
    destruct s as [a b], t as [c d]. intros F. cbn [mem]. split.
    - intros H. split; intros i; specialize (H i) as H0.
      + destruct (i <? digits)%uint63 eqn:I; [assumption|]. rewrite !(bit_outside _ _ I). exact F.
      + clear H0. destruct (i <? digits)%uint63 eqn:I; [|rewrite !(bit_outside _ _ I); exact F].
        specialize (H (i + digits)%uint63). apply ltb_spec in I. change (to_Z digits) with 63%Z in I.
        destruct (add_digits i) as [E2 E3]; [lia|]. now rewrite E2, E3 in H.
    - intros [A B] i. now destruct (i <? digits)%uint63.
  Qed.

  Lemma disjoint_spec s t : disjoint s t = true <-> forall i, mem s i && mem t i = false.
  Proof.
    pose proof (bits_of_mem (fun x y => negb (x && y)) s t eq_refl) as H. destruct s as [a b], t as [c d].
    cbn [disjoint]. rewrite andb_true_iff, !disjoint_words. split.
    - intros [A B] i. apply negb_true_iff. apply H. split; intros j; apply negb_true_iff; auto.
    - intros K. destruct H as [H _]. destruct H as [A B]; [intros i; apply negb_true_iff; auto|].
      split; intros i; apply negb_true_iff; auto.
  Qed.

  Lemma within_spec s t : within s t = true <-> forall i, mem s i = true -> mem t i = true.
  Proof.
    pose proof (bits_of_mem implb s t eq_refl) as H. destruct s as [a b], t as [c d].
    cbn [within]. rewrite andb_true_iff, !within_words. setoid_rewrite implb_true_iff in H. symmetry. exact H.
  Qed.

  Lemma compare_eq s t : compare s t = Eq -> s = t.
  Proof.
    destruct s as [a b], t as [c d]. cbn. destruct (b =? d)%uint63 eqn:B; [|now destruct (b <? d)%uint63].
    destruct (a =? c)%uint63 eqn:A; [|now destruct (a <? c)%uint63]. intros _.
    apply eqb_correct in A, B. now subst.
  Qed.

  Lemma window_union k s t : window k (union s t) = (window k s lor window k t)%uint63.
  Proof.
    destruct s as [a b], t as [c d]. cbn [window union]. destruct (k <? digits)%uint63; [apply show_lor|apply lor_lsr].
  Qed.

  Lemma window_disjoint k s t : disjoint s t = true -> (window k s land window k t = 0)%uint63.
  Proof.
    destruct s as [a b], t as [c d]. cbn [disjoint]. intros H. apply andb_true_iff in H as [A B].
    apply eqb_correct in A, B. cbn [window]. destruct (k <? digits)%uint63 eqn:K; [now apply show_disjoint|].
    apply bit_ext. intros i. rewrite bit_0, land_spec. apply (and_shifts b d _ i B).
  Qed.

  Lemma window_within k s t : within s t = true -> (window k s land window k t = window k s)%uint63.
  Proof.
    intros H. assert (E : union s t = t).
    { destruct s as [a b], t as [c d]. cbn in *. apply andb_true_iff in H as [A B]. rewrite within_words in A, B.
      f_equal; apply bit_ext; intros i; rewrite lor_spec; [specialize (A i)|specialize (B i)].
      - destruct (a.[i]); [now rewrite A|reflexivity].
      - destruct (b.[i]); [now rewrite B|reflexivity]. }
    rewrite <- E, window_union. apply bit_ext. intros i. rewrite land_spec, lor_spec. now destruct (bit (window k s) i).
  Qed.
End Pair.

(* A list of words, of which only the first 64 count, so that no place has a number that is too large. *)
Module Many <: SETS.
  Definition words : nat := 64.
  Definition t := list int.
  Definition empty : t := [].
  Fixpoint mem_in (n : nat) (s : t) (i : int) : bool :=
    match n, s with
    | S n, w :: s => if (i <? digits)%uint63 then w.[i] else mem_in n s (i - digits)%uint63
    | _, _ => false
    end.
  Fixpoint fits_in (n : nat) (i : int) : bool :=
    match n with O => false | S n => if (i <? digits)%uint63 then true else fits_in n (i - digits)%uint63 end.
  Fixpoint single_in (n : nat) (i : int) : t :=
    match n with
    | O => []
    | S n => if (i <? digits)%uint63 then [(1 << i)%uint63] else 0%uint63 :: single_in n (i - digits)%uint63
    end.
  Fixpoint union (s t : t) : list int :=
    match s, t with
    | v :: s, w :: t => (v lor w)%uint63 :: union s t
    | [], t => t
    | s, [] => s
    end.
  Fixpoint without (s t : t) : list int :=
    match s, t with
    | v :: s, w :: t => Search.without v w :: without s t
    | s, _ => s
    end.
  Fixpoint disjoint_in (n : nat) (s t : t) : bool :=
    match n, s, t with
    | S n, v :: s, w :: t => (v land w =? 0)%uint63 && disjoint_in n s t
    | _, _, _ => true
    end.
  Fixpoint within_in (n : nat) (s t : t) : bool :=
    match n, s with
    | S n, v :: s =>
        match t with
        | w :: t => (v land w =? v)%uint63 && within_in n s t
        | [] => (v =? 0)%uint63 && within_in n s []
        end
    | _, _ => true
    end.
  Fixpoint compare (s t : t) : comparison :=
    match s, t with
    | [], [] => Eq
    | [], _ => Lt
    | _, [] => Gt
    | v :: s, w :: t => if (v =? w)%uint63 then compare s t else if (v <? w)%uint63 then Lt else Gt
    end.
  Definition first_word (n : nat) (s : t) : int := match n, s with S _, w :: _ => w | _, _ => 0%uint63 end.
  Fixpoint window_in (n : nat) (k : int) (s : t) : int :=
    match n, s with
    | S n, w :: s => if (k <? digits)%uint63 then show k w (first_word n s) else window_in n (k - digits)%uint63 s
    | _, _ => 0%uint63
    end.
  Definition mem := mem_in words.
  Definition fits := fits_in words.
  Definition single := single_in words.
  Definition disjoint := disjoint_in words.
  Definition within := within_in words.
  Definition window := window_in words.

  Lemma mem_empty i : mem empty i = false.
  Proof. reflexivity. Qed.

  Lemma mem_single i j : fits i = true -> mem (single i) j = (i =? j)%uint63.
  Proof.
    unfold fits, mem, single. generalize words as n. intros n. revert i j.
    induction n as [|n IH]; intros i j F; cbn [fits_in single_in mem_in] in *; [discriminate|].
    destruct (i <? digits)%uint63 eqn:I; cbn [mem_in].
    - destruct (j <? digits)%uint63 eqn:J; [now apply bit_single|]. rewrite far_from_near by assumption. now destruct n.
    - destruct (j <? digits)%uint63 eqn:J.
      + rewrite bit_0. destruct (i =? j)%uint63 eqn:E; [|reflexivity]. apply eqb_correct in E. congruence.
      + rewrite (IH _ _ F). now apply sub_eqb.
  Qed.

  Lemma mem_union s t i : mem (union s t) i = mem s i || mem t i.
  Proof.
    unfold mem. generalize words as n. intros n. revert s t i.
    induction n as [|n IH]; intros [|v s] [|w t] i; cbn [union mem_in]; rewrite ?orb_false_r; try reflexivity.
    destruct (i <? digits)%uint63; [apply lor_spec|apply IH].
  Qed.

  Lemma mem_without s t i : mem (without s t) i = mem s i && negb (mem t i).
  Proof.
    unfold mem. generalize words as n. intros n. revert s t i.
    induction n as [|n IH]; intros [|v s] [|w t] i; cbn [without mem_in negb]; rewrite ?andb_true_r; try reflexivity.
    destruct (i <? digits)%uint63; [apply bit_without|apply IH].
  Qed.

  Lemma mem_small n : forall s i, mem_in n s i = true -> (to_Z i < 63 * Z.of_nat n)%Z.
  Proof.
    induction n as [|n IH]; intros [|w s] i H; cbn [mem_in] in H; try discriminate.
    destruct (i <? digits)%uint63 eqn:I.
    - apply ltb_spec in I. change (to_Z digits) with 63%Z in I. lia.
    - apply IH in H. apply not_true_iff_false in I. rewrite ltb_spec in I. change (to_Z digits) with 63%Z in I.
      pose proof (to_Z_bounded i). rewrite sub_spec in H. change (to_Z digits) with 63%Z in H.
      rewrite Z.mod_small in H by lia. lia.
  Qed.

  Lemma mem_later n w s i : (n < words)%nat -> mem_in n s i = true -> mem_in (S n) (w :: s) (i + digits)%uint63 = true.
  Proof.
    intros N H. pose proof (mem_small n s i H) as L. cbn [mem_in].
    destruct (add_digits i) as [E1 E2]; [|now rewrite E1, E2]. unfold words in N. lia.
  Qed.

  Lemma mem_first n w s i : (i <? digits)%uint63 = true -> mem_in (S n) (w :: s) i = w.[i].
  Proof. intros I. cbn [mem_in]. now rewrite I. Qed.

  Lemma disjoint_spec s t : disjoint s t = true <-> forall i, mem s i && mem t i = false.
  Proof.
    unfold disjoint, mem. assert (L : (words <= words)%nat) by lia. revert s t L. generalize words at 1 3 4 5 as n.
    induction n as [|n IH]; intros [|v s] [|w t] L; cbn [disjoint_in mem_in];
      try (split; [intros _ i; rewrite ?andb_false_r; reflexivity|reflexivity]).
    rewrite andb_true_iff, disjoint_words, IH by lia. split.
    - intros [A B] i. now destruct (i <? digits)%uint63.
    - intros H. split; intros i.
      + destruct (i <? digits)%uint63 eqn:I; [|now rewrite !(bit_outside _ _ I)]. specialize (H i). now rewrite I in H.
      + destruct (mem_in n s i) eqn:S1, (mem_in n t i) eqn:T1; try reflexivity. specialize (H (i + digits)%uint63).
        apply (mem_later n v) in S1; [|lia]. apply (mem_later n w) in T1; [|lia]. cbn [mem_in] in S1, T1.
        now rewrite S1, T1 in H.
  Qed.

  Lemma within_spec s t : within s t = true <-> forall i, mem s i = true -> mem t i = true.
  Proof.
    unfold within, mem. assert (L : (words <= words)%nat) by lia. revert s t L. generalize words at 1 3 4 5 as n.
    induction n as [|n IH]; intros [|v s] t L; cbn [within_in]; try (split; [intros _ i; discriminate|reflexivity]).
    destruct t as [|w t]; rewrite andb_true_iff, IH by lia.
    - rewrite eqb_spec. split.
      + intros [-> B] i. cbn [mem_in]. rewrite bit_0. destruct (i <? digits)%uint63; [discriminate|]. intros M.
        specialize (B _ M). now destruct n.
      + intros H. split.
        * apply bit_ext. intros i. rewrite bit_0. destruct (i <? digits)%uint63 eqn:I; [|now apply bit_outside].
          destruct (v.[i]) eqn:V; [|reflexivity]. specialize (H i). rewrite mem_first in H by assumption. now specialize (H V).
        * intros i M. apply (mem_later n v) in M; [|lia]. now specialize (H _ M).
    - rewrite within_words. split.
      + intros [A B] i. cbn [mem_in]. destruct (i <? digits)%uint63; auto.
      + intros H. split; intros i M.
        * destruct (i <? digits)%uint63 eqn:I; [|now rewrite bit_outside in M]. specialize (H i). rewrite !mem_first in H by assumption. auto.
        * destruct (mem_in n t i) eqn:T1; [reflexivity|]. pose proof (mem_small _ _ _ M) as B.
          apply (mem_later n v) in M; [|lia]. specialize (H _ M). cbn [mem_in] in H.
          destruct (add_digits i) as [E1 E2]; [unfold words in L; lia|]. now rewrite E1, E2, T1 in H.
  Qed.

  Lemma compare_eq s : forall t, compare s t = Eq -> s = t.
  Proof.
    induction s as [|v s IH]; intros [|w t]; cbn; try discriminate; [reflexivity|].
    destruct (v =? w)%uint63 eqn:E; [|now destruct (v <? w)%uint63]. apply eqb_correct in E. intros C.
    now rewrite E, (IH t C).
  Qed.

  Lemma first_union n s t : first_word n (union s t) = (first_word n s lor first_word n t)%uint63.
  Proof.
    destruct n; [reflexivity|]. destruct s as [|v s], t as [|w t]; cbn [union first_word]; try reflexivity;
      apply bit_ext; intros i; rewrite lor_spec, bit_0, ?orb_false_r; reflexivity.
  Qed.

  Lemma window_union k s t : window k (union s t) = (window k s lor window k t)%uint63.
  Proof.
    assert (Z1 : forall x, (0 lor x)%uint63 = x) by (intros x; apply bit_ext; intros i; now rewrite lor_spec, bit_0).
    assert (Z2 : forall x, (x lor 0)%uint63 = x) by (intros x; apply bit_ext; intros i; now rewrite lor_spec, bit_0, orb_false_r).
    unfold window. generalize words as n. intros n. revert k s t.
    induction n as [|n IH]; intros k [|v s] [|w t]; cbn [union window_in]; rewrite ?Z1, ?Z2; try reflexivity.
    destruct (k <? digits)%uint63; [|apply IH]. rewrite first_union. apply show_lor.
  Qed.

  Lemma first_disjoint n s t : disjoint_in n s t = true -> (first_word n s land first_word n t = 0)%uint63.
  Proof.
    destruct n; [reflexivity|]. destruct s as [|v s], t as [|w t]; cbn; intros H.
    1-3: try reflexivity; apply bit_ext; intros i; rewrite land_spec, bit_0, ?andb_false_r; reflexivity.
    apply andb_true_iff in H as [H _]. now apply eqb_correct in H.
  Qed.

  Lemma window_disjoint k s t : disjoint s t = true -> (window k s land window k t = 0)%uint63.
  Proof.
    unfold window, disjoint. generalize words as n. intros n. revert k s t.
    induction n as [|n IH]; intros k [|v s] [|w t] H; cbn [window_in disjoint_in] in *;
      try reflexivity; try (apply bit_ext; intros i; rewrite land_spec, bit_0, ?andb_false_r; reflexivity).
    apply andb_true_iff in H as [A B]. apply eqb_correct in A.
    destruct (k <? digits)%uint63 eqn:K; [|now apply IH]. apply show_disjoint; auto. now apply first_disjoint.
  Qed.

  Lemma window_within k s t : within s t = true -> (window k s land window k t = window k s)%uint63.
  Proof.
    intros H.
    assert (R : (forall x, (x land x)%uint63 = x) /\ (forall x, (0 land x)%uint63 = 0%uint63)).
    { split; intros x; apply bit_ext; intros i; rewrite land_spec, ?bit_0; [apply andb_diag|reflexivity]. }
    assert (E : window k (union s t) = window k t).
    { revert H. unfold window, within. generalize words as n. intros n. revert k s t. clear R.
      assert (F : forall n s t, within_in n s t = true -> first_word n (union s t) = first_word n t).
      { clear. intros [|n] [|v s] [|w t]; cbn; try reflexivity; intros H; apply andb_true_iff in H as [H _].
        - now apply eqb_correct in H.
        - rewrite within_words in H. apply bit_ext. intros i. rewrite lor_spec. specialize (H i).
          destruct (v.[i]); [now rewrite H|reflexivity]. }
      induction n as [|n IH]; intros k [|v s] [|w t] H; cbn [union window_in within_in] in *; try reflexivity.
      - apply andb_true_iff in H as [A B]. apply eqb_correct in A. subst v.
        assert (U : union s [] = s) by (destruct s; reflexivity). specialize (F n s [] B). rewrite U in F.
        specialize (IH (k - digits)%uint63 s [] B). rewrite U in IH.
        destruct (k <? digits)%uint63.
        + rewrite F. unfold show. replace (first_word n []) with 0%uint63 by (destruct n; reflexivity).
          apply bit_ext. intros i. rewrite lor_spec, bit_lsr, bit_lsl, !bit_0.
          repeat match goal with |- context [if ?c then _ else _] => destruct c end; reflexivity.
        + rewrite IH. now destruct n.
      - apply andb_true_iff in H as [A B]. destruct (k <? digits)%uint63; [|now apply IH].
        rewrite (F n s t B). f_equal. rewrite within_words in A. apply bit_ext. intros i. rewrite lor_spec. specialize (A i).
        destruct (v.[i]); [now rewrite A|reflexivity]. }
    rewrite <- E, window_union. apply bit_ext. intros i. rewrite land_spec, lor_spec. now destruct (bit (window k s) i).
  Qed.
End Many.
