(* The search behind the count: sets of covered places, each with the number of ways in which it is reached.

   Places are what options cover. States, which are sets of covered places, are machine words. The search may drop a
   state where a proved rule says that it leads to no solution. *)
From Coq Require Import ZArith NArith List Bool Lia Arith Uint63 Wf_nat.
Import ListNotations.
Local Open Scope N_scope.

Definition meets (x y : int) : bool := negb ((x land y) =? 0)%uint63.
Definition without (x y : int) : int := (x land (y lxor max_int))%uint63.

(* Sets of places as the search needs them. *)
Module Type SETS.
  Parameter t : Type.
  Parameter empty : t.
  Parameter mem : t -> int -> bool.
  Parameter fits : int -> bool.
  Parameter single : int -> t.
  Parameter union : t -> t -> t.
  Parameter without : t -> t -> t.
  Parameter disjoint : t -> t -> bool.
  Parameter within : t -> t -> bool.
  Parameter compare : t -> t -> comparison.
  Parameter window : int -> t -> int.

  Axiom mem_empty : forall i, mem empty i = false.
  Axiom mem_single : forall i j, fits i = true -> mem (single i) j = (i =? j)%uint63.
  Axiom mem_union : forall s t i, mem (union s t) i = mem s i || mem t i.
  Axiom mem_without : forall s t i, mem (without s t) i = mem s i && negb (mem t i).
  Axiom disjoint_spec : forall s t, disjoint s t = true <-> forall i, mem s i && mem t i = false.
  Axiom within_spec : forall s t, within s t = true <-> forall i, mem s i = true -> mem t i = true.
  Axiom compare_eq : forall s t, compare s t = Eq -> s = t.
  Axiom window_union : forall k s t, window k (union s t) = (window k s lor window k t)%uint63.
  Axiom window_disjoint : forall k s t, disjoint s t = true -> (window k s land window k t = 0)%uint63.
  Axiom window_within : forall k s t, within s t = true -> (window k s land window k t = window k s)%uint63.
End SETS.

(* Bits of words. *)
Local Notation "x .[ i ]" := (bit x i) (at level 2, left associativity, format "x .[ i ]").

Fixpoint place (n : nat) : int := match n with O => 0 | S n => place n + 1 end%uint63.

Lemma bit_outside x i : (i <? digits)%uint63 = false -> x.[i] = false.
Proof.
  intros H. apply bit_M. apply leb_spec. apply not_true_iff_false in H. rewrite ltb_spec in H. lia.
Qed.

Lemma bit_of_nat_lt i : (i <? digits)%uint63 = true -> exists n, (n < 63)%nat /\ place n = i.
Proof.
  intros H. apply ltb_spec in H. change (to_Z digits) with 63%Z in H. pose proof (to_Z_bounded i).
  exists (Z.to_nat (to_Z i)). split; [lia|]. rewrite <- (of_to_Z i) at 2.
  assert (E : forall n, (n < 63)%nat -> place n = of_Z (Z.of_nat n))
    by (intros n K; do 63 (destruct n as [|n]; [reflexivity|]); lia).
  rewrite E, Z2Nat.id by lia. reflexivity.
Qed.

Lemma bit_max i : max_int.[i] = (i <? digits)%uint63.
Proof.
  destruct ((i <? digits)%uint63) eqn:H; [|now apply bit_outside].
  apply bit_of_nat_lt in H as [n [K <-]]. do 63 (destruct n as [|n]; [reflexivity|]). lia.
Qed.

Lemma bit_without x y i : (without x y).[i] = x.[i] && negb y.[i].
Proof.
  unfold without. rewrite land_spec, lxor_spec, bit_max.
  destruct ((i <? digits)%uint63) eqn:H; [now destruct (y.[i])|]. now rewrite !(bit_outside _ _ H).
Qed.

Lemma meets_spec x y : meets x y = true <-> exists i, x.[i] = true /\ y.[i] = true.
Proof.
  unfold meets. rewrite negb_true_iff. split.
  - intros H. destruct (existsb (fun n => (x land y)%uint63.[place n]) (seq 0 63)) eqn:X.
    + apply existsb_exists in X as [n [_ X]]. rewrite land_spec in X. apply andb_true_iff in X. now exists (place n).
    + exfalso. enough ((x land y)%uint63 = 0%uint63) as E by (rewrite E in H; discriminate).
      apply bit_ext. intros i. rewrite bit_0. destruct ((i <? digits)%uint63) eqn:L; [|now apply bit_outside].
      apply bit_of_nat_lt in L as [n [K <-]]. destruct ((x land y)%uint63.[place n]) eqn:B; [|reflexivity].
      rewrite <- X. symmetry. apply existsb_exists. exists n. split; [apply in_seq; lia|assumption].
  - intros [i [X Y]]. destruct ((x land y =? 0)%uint63) eqn:E; [|reflexivity]. apply eqb_correct in E.
    assert (F : (x land y)%uint63.[i] = true) by now rewrite land_spec, X, Y. rewrite E, bit_0 in F. discriminate.
Qed.

Lemma meets_false x y : meets x y = false <-> forall i, x.[i] && y.[i] = false.
Proof.
  split.
  - intros H i. destruct (x.[i] && y.[i]) eqn:E; [|reflexivity]. apply andb_true_iff in E.
    enough (meets x y = true) by congruence. apply meets_spec. now exists i.
  - intros H. destruct (meets x y) eqn:E; [|reflexivity]. apply meets_spec in E as [i [X Y]]. specialize (H i).
    now rewrite X, Y in H.
Qed.

(* What is given of a pocket; a window shows some of the places as one word. *)
Record hint := {
  from : int;                       (* the first place of the window *)
  neighbours : list (int * int);    (* some cells in it, each as a bit, with those that it is joined to *)
  board : int;                      (* what of the window counts *)
  marks : list int;                 (* places that only some moves cover; once these are covered, ... *)
  after : list bool;                (* ... which numbers of cells can be filled, *)
  before : list bool;               (* and which before that; any number that is not in a list can be filled *)
}.

(* Lists that states are in. *)
Module Counter (S : SETS).

Inductive states := Nil | Cons (s : S.t) (k : N) (r : states).

(* What is taken at once: places that have to be free; and of each bump the first place that is. *)
Record move := { base : S.t; bumps : list (list S.t) }.

Fixpoint bump (s : S.t) (places : list S.t) : option S.t :=
  match places with
  | [] => None
  | x :: places => if S.disjoint s x then Some (S.union s x) else bump s places
  end.

Fixpoint bump_all (s : S.t) (all : list (list S.t)) : option S.t :=
  match all with
  | [] => Some s
  | places :: all => match bump s places with Some s => bump_all s all | None => None end
  end.

Definition take (s : S.t) (m : move) : option S.t :=
  if S.disjoint s (base m) then bump_all (S.union s (base m)) (bumps m) else None.

(* The number that is wanted: in how many ways moves lead from a state to one that has all places that are due. *)
Fixpoint ways (must : S.t) (ms : list move) (s : S.t) : N :=
  match ms with
  | [] => if S.within must s then 1 else 0
  | m :: ms => ways must ms s + match take s m with Some s => ways must ms s | None => 0 end
  end.

Fixpoint weight must ms (l : states) : N :=
  match l with
  | Nil => 0
  | Cons s k r => k * ways must ms s + weight must ms r
  end.

(* Lists turned round, merged, sifted. All are tail-recursive, so that long lists need no deep stack. *)
Fixpoint onto (l acc : states) : states :=
  match l with
  | Nil => acc
  | Cons s k r => onto r (Cons s k acc)
  end.

Lemma weight_onto must ms l : forall acc, weight must ms (onto l acc) = weight must ms l + weight must ms acc.
Proof. induction l as [|s k r IH]; intros acc; [reflexivity|]. cbn. rewrite IH. cbn. lia. Qed.

Fixpoint size (l : states) : nat := match l with Nil => 0 | Cons _ _ r => S (size r) end.

Lemma less_left s k r l2 : (size r + size l2 < size (Cons s k r) + size l2)%nat.
Proof. cbn. lia. Qed.
Lemma less_right l1 s k r : (size l1 + size r < size l1 + size (Cons s k r))%nat.
Proof. cbn. lia. Qed.
Lemma less_both s1 k1 r1 s2 k2 r2 : (size r1 + size r2 < size (Cons s1 k1 r1) + size (Cons s2 k2 r2))%nat.
Proof. cbn. lia. Qed.

(* Equal states of two lists that are both sorted, ascending if up, become one; the result is sorted the other way. *)
Fixpoint merging (up : bool) (l1 l2 acc : states) (H : Acc lt (size l1 + size l2)%nat) {struct H} : states :=
  match l1 return Acc lt (size l1 + size l2)%nat -> states with
  | Nil => fun _ => onto l2 acc
  | Cons s1 k1 r1 =>
      match l2 return Acc lt (size (Cons s1 k1 r1) + size l2)%nat -> states with
      | Nil => fun _ => onto (Cons s1 k1 r1) acc
      | Cons s2 k2 r2 => fun H =>
          match S.compare s1 s2 as c return S.compare s1 s2 = c -> states with
          | Eq => fun _ => merging up r1 r2 (Cons s1 (k1 + k2) acc) (Acc_inv H (less_both s1 k1 r1 s2 k2 r2))
          | Lt => fun _ =>
              if up then merging up r1 (Cons s2 k2 r2) (Cons s1 k1 acc) (Acc_inv H (less_left s1 k1 r1 (Cons s2 k2 r2)))
              else merging up (Cons s1 k1 r1) r2 (Cons s2 k2 acc) (Acc_inv H (less_right (Cons s1 k1 r1) s2 k2 r2))
          | Gt => fun _ =>
              if up then merging up (Cons s1 k1 r1) r2 (Cons s2 k2 acc) (Acc_inv H (less_right (Cons s1 k1 r1) s2 k2 r2))
              else merging up r1 (Cons s2 k2 r2) (Cons s1 k1 acc) (Acc_inv H (less_left s1 k1 r1 (Cons s2 k2 r2)))
          end eq_refl
      end
  end H.

Definition merge (up : bool) (l1 l2 : states) : states := merging up l1 l2 Nil (lt_wf _).

Lemma weight_merging must ms up : forall n l1 l2 acc H, (size l1 + size l2 <= n)%nat ->
  weight must ms (merging up l1 l2 acc H) = weight must ms l1 + weight must ms l2 + weight must ms acc.
Proof.
  induction n as [|n IH]; intros l1 l2 acc [H] L.
  - destruct l1; [|cbn in L; lia]. destruct l2; [reflexivity|cbn in L; lia].
  - destruct l1 as [|s1 k1 r1]; [cbn; now rewrite weight_onto|].
    destruct l2 as [|s2 k2 r2]; [cbn; rewrite weight_onto; cbn; lia|].
    cbn in L. cbn [merging].
    assert (G : forall c (E : S.compare s1 s2 = c), weight must ms (match c as c return S.compare s1 s2 = c -> states with
          | Eq => fun _ => merging up r1 r2 (Cons s1 (k1 + k2) acc) (Acc_inv (Acc_intro _ H) (less_both s1 k1 r1 s2 k2 r2))
          | Lt => fun _ =>
              if up then merging up r1 (Cons s2 k2 r2) (Cons s1 k1 acc) (Acc_inv (Acc_intro _ H) (less_left s1 k1 r1 (Cons s2 k2 r2)))
              else merging up (Cons s1 k1 r1) r2 (Cons s2 k2 acc) (Acc_inv (Acc_intro _ H) (less_right (Cons s1 k1 r1) s2 k2 r2))
          | Gt => fun _ =>
              if up then merging up (Cons s1 k1 r1) r2 (Cons s2 k2 acc) (Acc_inv (Acc_intro _ H) (less_right (Cons s1 k1 r1) s2 k2 r2))
              else merging up r1 (Cons s2 k2 r2) (Cons s1 k1 acc) (Acc_inv (Acc_intro _ H) (less_left s1 k1 r1 (Cons s2 k2 r2)))
          end E) = weight must ms (Cons s1 k1 r1) + weight must ms (Cons s2 k2 r2) + weight must ms acc).
    { intros c E. destruct c; [apply S.compare_eq in E as F; subst s2| |]; try destruct up; rewrite IH by (cbn; lia); cbn; lia. }
    apply G.
Qed.

Lemma weight_merge must ms up l1 l2 : weight must ms (merge up l1 l2) = weight must ms l1 + weight must ms l2.
Proof. unfold merge. rewrite weight_merging with (n := (size l1 + size l2)%nat) by lia. cbn. lia. Qed.

Fixpoint take_all (m : move) (l acc : states) : states :=
  match l with
  | Nil => acc
  | Cons s k r => take_all m r (match take s m with Some s => Cons s k acc | None => acc end)
  end.

Fixpoint sift (keep : S.t -> bool) (l acc : states) : states :=
  match l with
  | Nil => acc
  | Cons s k r => sift keep r (if keep s then Cons s k acc else acc)
  end.

Lemma weight_sift must ms keep : (forall s, keep s = false -> ways must ms s = 0) ->
  forall l acc, weight must ms (sift keep l acc) = weight must ms l + weight must ms acc.
Proof.
  intros H. induction l as [|s k r IH]; intros acc; [reflexivity|]. cbn [sift weight]. rewrite IH.
  destruct (keep s) eqn:E; [cbn; lia|]. rewrite (H s E). lia.
Qed.

(* Taken moves, weighed without a list. *)
Fixpoint taken must rest (m : move) (l : states) : N :=
  match l with
  | Nil => 0
  | Cons s k r => match take s m with Some s => k * ways must rest s | None => 0 end + taken must rest m r
  end.

Lemma weight_take_all must rest m l : forall acc,
  weight must rest (take_all m l acc) = taken must rest m l + weight must rest acc.
Proof.
  induction l as [|s k r IH]; intros acc; [reflexivity|]. cbn [take_all taken]. rewrite IH.
  destruct (take s m); cbn; lia.
Qed.

Definition all_taken must rest (ms : list move) (l : states) : N := fold_right (fun m n => taken must rest m l + n) 0 ms.

(* The first 2^depth moves taken, their lists merged two by two, and the moves that are left. *)
Fixpoint build (depth : nat) (up : bool) (l : states) (ms : list move) : states * list move :=
  match ms, depth with
  | [], _ => (Nil, [])
  | m :: ms, O => (take_all m l Nil, ms)
  | ms, S depth =>
      let (one, ms) := build depth (negb up) l ms in
      let (other, ms) := build depth (negb up) l ms in
      (merge up one other, ms)
  end.

Lemma weight_build must rest l : forall depth up ms,
  weight must rest (fst (build depth up l ms)) + all_taken must rest (snd (build depth up l ms)) l = all_taken must rest ms l.
Proof.
  induction depth as [|depth IH]; intros up [|m ms]; try reflexivity.
  - cbn. rewrite weight_take_all. cbn. lia.
  - cbn [build]. specialize (IH (negb up)). pose proof (IH (m :: ms)) as A. destruct (build depth (negb up) l (m :: ms)) as [one ms1].
    cbn [fst snd] in A. specialize (IH ms1). destruct (build depth (negb up) l ms1) as [other ms2]. cbn [fst snd] in *.
    rewrite weight_merge, <- A, <- IH. lia.
Qed.

(* Those where a place is covered, and those where it is open. *)
Fixpoint part (x : S.t) (l covered still : states) : states * states :=
  match l with
  | Nil => (covered, still)
  | Cons s k r => if S.disjoint s x then part x r covered (Cons s k still) else part x r (Cons s k covered) still
  end.

Fixpoint covered_in (x : S.t) (l : states) : states :=
  match l with Nil => Nil | Cons s k r => if S.disjoint s x then covered_in x r else Cons s k (covered_in x r) end.
Fixpoint open_in (x : S.t) (l : states) : states :=
  match l with Nil => Nil | Cons s k r => if S.disjoint s x then Cons s k (open_in x r) else open_in x r end.

Lemma part_onto x l : forall covered still, part x l covered still = (onto (covered_in x l) covered, onto (open_in x l) still).
Proof. induction l as [|s k r IH]; intros; [reflexivity|]. cbn. now destruct (S.disjoint s x); rewrite IH. Qed.

Lemma taken_onto must rest m l : forall acc, taken must rest m (onto l acc) = taken must rest m l + taken must rest m acc.
Proof. induction l as [|s k r IH]; intros acc; [reflexivity|]. cbn. rewrite IH. cbn. lia. Qed.

Lemma all_taken_onto must rest ms l : all_taken must rest ms (onto l Nil) = all_taken must rest ms l.
Proof. unfold all_taken. induction ms as [|m ms IH]; [reflexivity|]. cbn. rewrite IH, taken_onto. cbn. lia. Qed.

(* What moves can reach at all. *)
Definition join (l : list S.t) (s : S.t) : S.t := fold_right S.union s l.
Definition reach (m : move) : S.t := join (concat (bumps m)) (base m).
Definition reach_all (ms : list move) : S.t := join (map reach ms) S.empty.

Lemma mem_join l s i : S.mem (join l s) i = S.mem s i || existsb (fun t => S.mem t i) l.
Proof.
  unfold join. induction l as [|t l IH]; cbn [fold_right existsb]; [now rewrite orb_false_r|].
  rewrite S.mem_union, IH. destruct (S.mem t i), (S.mem s i); reflexivity.
Qed.

Lemma bump_mem s places t : bump s places = Some t ->
  exists x, In x places /\ S.disjoint s x = true /\ t = S.union s x.
Proof.
  induction places as [|x places IH]; cbn; [discriminate|]. destruct (S.disjoint s x) eqn:D.
  - intros E. injection E as <-. exists x. auto.
  - intros E. destruct (IH E) as [y [Y R]]. exists y. auto.
Qed.

Lemma bump_all_bounds all : forall s t, bump_all s all = Some t ->
  (forall i, S.mem s i = true -> S.mem t i = true) /\
  (forall i, S.mem t i = true -> S.mem s i = true \/ existsb (fun x => S.mem x i) (concat all) = true).
Proof.
  induction all as [|places all IH]; cbn; intros s t E; [injection E as <-; auto|].
  destruct (bump s places) as [u|] eqn:B; [|discriminate]. apply IH in E as [E1 E2].
  apply bump_mem in B as [x [X [_ ->]]]. split; intros i Hi.
  - apply E1. rewrite S.mem_union, Hi. reflexivity.
  - rewrite existsb_app. destruct (E2 i Hi) as [H|H]; [|right; now rewrite H, orb_true_r].
    rewrite S.mem_union in H. apply orb_true_iff in H as [H|H]; [auto|]. right. apply orb_true_iff. left.
    apply existsb_exists. now exists x.
Qed.

Lemma take_bounds s m t : take s m = Some t ->
  S.disjoint s (base m) = true /\
  (forall i, S.mem s i = true -> S.mem t i = true) /\
  (forall i, S.mem (base m) i = true -> S.mem t i = true) /\
  (forall i, S.mem t i = true -> S.mem s i = true \/ S.mem (reach m) i = true).
Proof.
  unfold take. destruct (S.disjoint s (base m)) eqn:D; [|discriminate]. intros E. apply bump_all_bounds in E as [E1 E2].
  repeat split; intros i Hi.
  - apply E1. rewrite S.mem_union, Hi. reflexivity.
  - apply E1. rewrite S.mem_union, Hi. apply orb_true_r.
  - unfold reach. rewrite mem_join. destruct (E2 i Hi) as [H|H]; [|right; now rewrite H, orb_true_r].
    rewrite S.mem_union in H. apply orb_true_iff in H as [H|H]; [auto|]. right. now rewrite H.
Qed.

Lemma ways_zero must ms : forall s i,
  S.mem must i = true -> S.mem s i = false -> S.mem (reach_all ms) i = false -> ways must ms s = 0.
Proof.
  induction ms as [|m ms IH]; intros s i Hm Hs Hr; cbn [ways].
  - destruct (S.within must s) eqn:E; [|reflexivity]. rewrite S.within_spec in E. rewrite (E i Hm) in Hs. discriminate.
  - unfold reach_all in *. cbn [map join fold_right] in Hr. fold (join (map reach ms) S.empty) in Hr.
    rewrite S.mem_union in Hr. apply orb_false_iff in Hr as [H1 H2].
    rewrite (IH s i) by assumption. destruct (take s m) as [t|] eqn:T; [|reflexivity].
    rewrite (IH t i); auto. destruct (S.mem t i) eqn:E; [|reflexivity].
    apply take_bounds in T as [_ [_ [_ T]]]. destruct (T i E); congruence.
Qed.

(* What has to be covered by now is covered. *)
Definition due (must : S.t) (ms : list move) : S.t := S.without must (reach_all ms).

Lemma due_or_dead must ms s : S.within (due must ms) s = false -> ways must ms s = 0.
Proof.
  intros H. destruct (ways must ms s) eqn:E; [reflexivity|]. exfalso.
  enough (S.within (due must ms) s = true) by congruence. apply S.within_spec. intros i Hi.
  unfold due in Hi. rewrite S.mem_without in Hi. apply andb_true_iff in Hi as [Hm Hr]. apply negb_true_iff in Hr.
  destruct (S.mem s i) eqn:M; [reflexivity|]. rewrite (ways_zero must ms s i Hm M Hr) in E. discriminate.
Qed.

(* Pockets: open places that nothing but whole moves fill. cells: some of these places, each with those that it is joined to; every later move is either joined to what is
   outside of the cells, or fills as many of them as [sizes] allows for. *)
Record pocket := {
  shift : int;
  cells : list (int * int);
  area : int;                   (* what of the window counts *)
  inner : int;                  (* the cells as one word *)
  special : S.t;                (* places that only some moves cover, once they are covered ... *)
  sizes : list bool;            (* ... which numbers of cells can be filled; any number that is not in the list can *)
  sizes_before : list bool;     (* which numbers can be filled before *)
}.

Fixpoint sweep (cs : list (int * int)) (free r : int) : int :=
  match cs with
  | [] => r
  | (b, a) :: cs => sweep cs free (if meets r b then (r lor (a land free))%uint63 else r)
  end.

Fixpoint flood (fuel : nat) (cs : list (int * int)) (free r : int) : int :=
  match fuel with
  | O => r
  | S fuel => let more := sweep cs free r in if (more =? r)%uint63 then r else flood fuel cs free more
  end.

Fixpoint measure (cs : list (int * int)) (r : int) (n : nat) : nat :=
  match cs with
  | [] => n
  | (b, _) :: cs => measure cs r (if meets r b then S n else n)
  end.

Definition inside (x y : int) : bool := ((x land y) =? x)%uint63.
Definition can_be (table : list bool) (n : nat) : bool := nth n table true.

(* More steps than a word has bits. *)
Definition plenty : nat := 63.

(* One part after the other of what is open in the window, until one is found that cannot be filled. *)
Fixpoint fillable (fuel : nat) (p : pocket) (table : list bool) (free todo : int) : bool :=
  match fuel with
  | O => true
  | S fuel =>
      if (todo =? 0)%uint63 then true else
      let r := flood plenty (cells p) free (todo land (0 - todo))%uint63 in
      if inside r free && inside r (inner p) && (sweep (cells p) free r =? r)%uint63 && negb (can_be table (measure (cells p) r 0)) then false
      else fillable fuel p table free (without todo r)
  end.

Definition table (p : pocket) (s : S.t) : list bool := if S.disjoint s (special p) then sizes_before p else sizes p.

Definition pocket_free (p : pocket) (s : S.t) : bool :=
  let free := (S.window (shift p) s lxor max_int)%uint63 in
  fillable plenty p (table p s) free (free land inner p)%uint63.

(* What is asked of a pocket before it is used: a flood from any cell of a move, within the move, leaves the cells or
   fills all that the move shows in the window, the number of which adds up with what can be filled. *)
Definition closed_under (from into : list bool) (n : nat) : bool :=
  forallb (fun k => implb (can_be from k) (can_be into (k + n))) (seq 0 (length into)).

Definition one_bit (b : int) : bool := existsb (fun n => (b =? 1 << place n)%uint63) (seq 0 63).

Definition good_pocket (must : S.t) (p : pocket) : bool :=
  forallb (fun '((b, _) : int * int) => one_bit b) (cells p) &&
  (inner p =? fold_right (fun '((b, _) : int * int) x => (b lor x)%uint63) 0%uint63 (cells p))%uint63 &&
  inside (inner p) (S.window (shift p) must) && inside (inner p) (area p) &&
  can_be (sizes p) 0 && closed_under (sizes p) (sizes_before p) 0.

(* A move that fills n cells of the window lets the sums of what can be filled hold. *)
Definition adds_up (p : pocket) (is_special : bool) (n : nat) : bool :=
  if is_special then closed_under (sizes p) (sizes_before p) n
  else closed_under (sizes p) (sizes p) n && closed_under (sizes_before p) (sizes_before p) n.

Definition fits_by (adds : bool -> nat -> bool) (p : pocket) (m : move) : bool :=
  let shown := (S.window (shift p) (base m) land area p)%uint63 in
  let bumped := join (concat (bumps m)) S.empty in
  let is_special := negb (S.disjoint (base m) (special p)) in
  negb (meets (S.window (shift p) bumped) (inner p)) && S.disjoint bumped (special p) && implb is_special (S.within (special p) (base m)) &&
  forallb (fun '(b, _) =>
    implb (meets shown b)
      (let r := flood plenty (cells p) shown b in
       negb (inside r (inner p)) || (inside shown r && adds is_special (measure (cells p) shown 0)))) (cells p).

Definition fits_pocket (p : pocket) : move -> bool := fits_by (adds_up p) p.

(* The same with all sums made once. *)
Definition sums (p : pocket) : list bool * list bool := (map (adds_up p true) (seq 0 64), map (adds_up p false) (seq 0 64)).
Definition kept_sum (sums : list bool * list bool) (is_special : bool) (n : nat) : bool :=
  nth n (if is_special then fst sums else snd sums) false.

Lemma kept_sum_spec p is_special n : kept_sum (sums p) is_special n = true -> adds_up p is_special n = true.
Proof.
  assert (K : forall (f : nat -> bool) k n, nth n (map f (seq k 64)) false = true -> f (k + n)%nat = true).
  { intros f k i. generalize 64%nat. intros len. revert i k. induction len as [|len IH]; intros [|i] k; cbn; try discriminate.
    - now rewrite Nat.add_0_r.
    - intros H. rewrite <- Nat.add_succ_comm. now apply IH. }
  unfold kept_sum, sums. destruct is_special; cbn [fst snd]; intros H; now apply (K _ 0%nat) in H.
Qed.

Lemma fits_kept p m : fits_by (kept_sum (sums p)) p m = true -> fits_pocket p m = true.
Proof.
  unfold fits_pocket, fits_by. intros H. apply andb_true_iff in H as [-> H]. cbn [andb].
  rewrite forallb_forall in *. intros [b a] I. specialize (H _ I). cbn beta iota in *.
  destruct (meets _ b); [|reflexivity]. cbn [implb] in *. apply orb_true_iff in H as [->|H]; [reflexivity|].
  apply andb_true_iff in H as [-> H]. now rewrite (kept_sum_spec _ _ _ H), orb_true_r.
Qed.

(* Why that is right. *)
Definition sub (x y : int) : Prop := forall i, x.[i] = true -> y.[i] = true.

Lemma inside_sub x y : inside x y = true <-> sub x y.
Proof.
  unfold inside, sub. rewrite eqb_spec. split.
  - intros H i X. rewrite <- H, land_spec in X. now apply andb_true_iff in X.
  - intros H. apply bit_ext. intros i. rewrite land_spec. specialize (H i). destruct (x.[i]); [now rewrite H|reflexivity].
Qed.

Lemma closed_under_spec from into n k :
  closed_under from into n = true -> can_be from k = true -> can_be into (k + n) = true.
Proof.
  unfold closed_under. intros H F. rewrite forallb_forall in H.
  destruct (Nat.lt_ge_cases k (length into)) as [L|L].
  - specialize (H k (proj2 (in_seq _ _ _) (conj (Nat.le_0_l k) L))). now rewrite F in H.
  - unfold can_be. apply nth_overflow. lia.
Qed.

Definition closed (cs : list (int * int)) (free r : int) : Prop :=
  forall b a, In (b, a) cs -> meets r b = true -> sub (a land free) r.

Lemma sub_trans x y z : sub x y -> sub y z -> sub x z.
Proof. unfold sub. auto. Qed.

Lemma meets_sub x y b : sub x y -> meets x b = true -> meets y b = true.
Proof. intros H. rewrite !meets_spec. intros [i [X B]]. exists i. auto. Qed.

Lemma sweep_grows cs free : forall r, sub r (sweep cs free r).
Proof.
  induction cs as [|[b a] cs IH]; intros r i Hi; cbn; [exact Hi|]. destruct (meets r b); apply IH; [|exact Hi].
  now rewrite lor_spec, Hi.
Qed.

Lemma sweep_stays cs free shown r : forall from, sub shown free -> closed cs free r -> sub from r -> sub (sweep cs shown from) r.
Proof.
  induction cs as [|[b a] cs IH]; intros from F C H; cbn; [exact H|].
  apply IH; [exact F|intros b' a' I; apply C; now right|].
  destruct (meets from b) eqn:M; [|exact H]. intros i Hi. rewrite lor_spec in Hi. apply orb_true_iff in Hi as [Hi|Hi]; [auto|].
  apply (C b a (or_introl eq_refl) (meets_sub _ _ _ H M)). rewrite land_spec in *. apply andb_true_iff in Hi as [A S].
  now rewrite A, (F i S).
Qed.

Lemma flood_stays cs free shown r fuel : forall from,
  sub shown free -> closed cs free r -> sub from r -> sub (flood fuel cs shown from) r.
Proof.
  induction fuel as [|fuel IH]; intros from F C H; cbn [flood]; [exact H|]. destruct ((sweep cs shown from =? from)%uint63); [exact H|].
  apply IH; auto. eapply sweep_stays; eauto.
Qed.

Lemma sub_antisym x y : sub x y -> sub y x -> x = y.
Proof.
  intros A B. apply bit_ext. intros i. specialize (A i). specialize (B i).
  destruct (x.[i]), (y.[i]); auto. symmetry. auto.
Qed.

Lemma sweep_closed cs free r : sweep cs free r = r -> closed cs free r.
Proof.
  induction cs as [|[b a] cs IH]; intros E b' a' I M; [easy|]. cbn in E.
  assert (K : (if meets r b then (r lor (a land free))%uint63 else r) = r).
  { apply sub_antisym.
    - intros i Hi. rewrite <- E. now apply sweep_grows.
    - intros i Hi. destruct (meets r b); [now rewrite lor_spec, Hi|exact Hi]. }
  rewrite K in E. destruct I as [I|I]; [|now apply (IH E b' a')]. injection I as -> ->. rewrite M in K.
  intros i Hi. rewrite <- K, lor_spec, Hi. apply orb_true_r.
Qed.

Lemma one_bit_spec b i j : one_bit b = true -> b.[i] = true -> b.[j] = true -> i = j.
Proof.
  unfold one_bit. intros H I J. apply existsb_exists in H as [n [_ H]]. apply eqb_correct in H. subst b.
  assert (G : forall k, (1 << place n)%uint63.[k] = true -> k = place n).
  { intros k K. rewrite bit_lsl in K. destruct ((k <? place n)%uint63 || (digits <=? k)%uint63) eqn:B; [discriminate|].
    apply orb_false_iff in B as [B _]. rewrite bit_1 in K. apply eqb_correct in K.
    apply not_true_iff_false in B. rewrite ltb_spec in B. apply to_Z_inj.
    assert (Z0 : to_Z (k - place n) = 0%Z) by (now rewrite K). rewrite sub_spec in Z0.
    pose proof (to_Z_bounded k). pose proof (to_Z_bounded (place n)). rewrite Z.mod_small in Z0; lia. }
  now rewrite (G i I), (G j J).
Qed.

Lemma measure_from cs r : forall n, measure cs r n = (measure cs r 0 + n)%nat.
Proof.
  induction cs as [|[b a] cs IH]; intros n; cbn; [reflexivity|].
  rewrite (IH (if meets r b then S n else n)), (IH (if meets r b then 1 else 0)%nat). destruct (meets r b); lia.
Qed.

Lemma measure_splits cs r x : forallb (fun '((b, _) : int * int) => one_bit b) cs = true ->
  measure cs r 0 = (measure cs (without r x) 0 + measure cs (r land x)%uint63 0)%nat.
Proof.
  induction cs as [|[b a] cs IH]; intros H; cbn [measure forallb] in *; [reflexivity|].
  apply andb_true_iff in H as [O H].
  rewrite (measure_from cs r), (measure_from cs (without r x)), (measure_from cs (r land x)%uint63), (IH H).
  assert (E : meets r b = xorb (meets (without r x) b) (meets (r land x) b) /\ meets (without r x) b && meets (r land x) b = false).
  { destruct (meets (without r x) b) eqn:M1, (meets (r land x) b) eqn:M2; cbn.
    - exfalso. apply meets_spec in M1 as [i [I B]], M2 as [j [J C]]. rewrite (one_bit_spec b j i O C B) in J.
      rewrite bit_without in I. rewrite land_spec in J. destruct (r.[i]), (x.[i]); discriminate.
    - split; [|reflexivity]. eapply meets_sub; [|exact M1]. intros i. rewrite bit_without. now destruct (r.[i]).
    - split; [|reflexivity]. eapply meets_sub; [|exact M2]. intros i. rewrite land_spec. now destruct (r.[i]).
    - split; [|reflexivity]. apply meets_false. intros i. rewrite meets_false in M1, M2. specialize (M1 i). specialize (M2 i).
      rewrite bit_without in M1. rewrite land_spec in M2. destruct (r.[i]), (x.[i]), (b.[i]); auto. }
  destruct E as [E1 E2]. rewrite E1. destruct (meets (without r x) b), (meets (r land x) b); cbn in *; try discriminate; lia.
Qed.

Lemma measure_of_none cs r : (forall i, r.[i] = false) -> measure cs r 0 = 0%nat.
Proof.
  intros H. assert (r = 0%uint63) as -> by (apply bit_ext; intros i; now rewrite bit_0).
  induction cs as [|[b a] cs IH]; [reflexivity|]. cbn.
  assert (meets 0 b = false) as -> by (apply meets_false; intros i; now rewrite bit_0). exact IH.
Qed.

Lemma inner_cells cs i : (fold_right (fun '((b, _) : int * int) x => (b lor x)%uint63) 0%uint63 cs).[i] = true ->
  exists b a, In (b, a) cs /\ b.[i] = true.
Proof.
  induction cs as [|[b a] cs IH]; cbn; [now rewrite bit_0|]. rewrite lor_spec. intros H. apply orb_true_iff in H as [H|H].
  - exists b, a. auto.
  - destruct (IH H) as [b' [a' [I B]]]. exists b', a'. auto.
Qed.

Lemma window_grows k all : forall s t, bump_all s all = Some t -> sub (S.window k s) (S.window k t).
Proof.
  induction all as [|places all IH]; cbn; intros s t E; [injection E as <-; unfold sub; auto|].
  destruct (bump s places) as [u|] eqn:B; [|discriminate]. apply bump_mem in B as [x [_ [_ ->]]].
  intros i Hi. apply (IH _ _ E). now rewrite S.window_union, lor_spec, Hi.
Qed.

Lemma window_bounds k all : forall s t, bump_all s all = Some t -> forall i,
  (S.window k t).[i] = true -> (S.window k s).[i] = true \/ (S.window k (join (concat all) S.empty)).[i] = true.
Proof.
  assert (J : forall l x i, In x l -> (S.window k x).[i] = true -> (S.window k (join l S.empty)).[i] = true).
  { unfold join. induction l as [|y l IH]; intros x i I B; [easy|]. destruct I as [->|I]; cbn [fold_right]; rewrite S.window_union, lor_spec.
    - now rewrite B.
    - rewrite (IH x i I B). apply orb_true_r. }
  enough (G : forall whole, (forall x, In x (concat all) -> In x whole) -> forall s t, bump_all s all = Some t -> forall i,
    (S.window k t).[i] = true -> (S.window k s).[i] = true \/ (S.window k (join whole S.empty)).[i] = true)
    by (now apply G).
  intros whole. induction all as [|places all IH]; cbn [bump_all]; intros Sub s t E i Hi; [injection E as <-; auto|].
  destruct (bump s places) as [u|] eqn:B; [|discriminate]. cbn [concat] in Sub.
  destruct (IH (fun x X => Sub x (in_or_app _ _ _ (or_intror X))) _ _ E i Hi) as [H|H]; [|auto].
  apply bump_mem in B as [x [X [_ ->]]]. rewrite S.window_union, lor_spec in H. apply orb_true_iff in H as [H|H]; [auto|].
  right. apply (J whole x i); [|exact H]. apply Sub, in_or_app. auto.
Qed.

Lemma take_window k s m t : take s m = Some t ->
  sub (S.window k s) (S.window k t) /\ sub (S.window k (base m)) (S.window k t) /\
  (forall i, (S.window k s).[i] && (S.window k (base m)).[i] = false).
Proof.
  unfold take. destruct (S.disjoint s (base m)) eqn:D; [|discriminate]. intros E. apply (window_grows k) in E.
  rewrite S.window_union in E. repeat split.
  - intros i Hi. apply E. now rewrite lor_spec, Hi.
  - intros i Hi. apply E. rewrite lor_spec, Hi. apply orb_true_r.
  - intros i. rewrite <- land_spec, S.window_disjoint by assumption. apply bit_0.
Qed.

Lemma disjoint_of s t : (forall i, S.mem s i = true -> S.mem t i = true -> False) -> S.disjoint s t = true.
Proof.
  intros H. apply S.disjoint_spec. intros i. destruct (S.mem s i) eqn:A, (S.mem t i) eqn:B; auto. exfalso. eauto.
Qed.

Lemma disjoint_sub s s' t : (forall i, S.mem s i = true -> S.mem s' i = true) -> S.disjoint s' t = true -> S.disjoint s t = true.
Proof.
  intros H D. apply disjoint_of. intros i A B. rewrite S.disjoint_spec in D. specialize (D i). now rewrite (H i A), B in D.
Qed.

Lemma pocket_step p m s t r :
  forallb (fun '((b, _) : int * int) => one_bit b) (cells p) = true ->
  (inner p =? fold_right (fun '((b, _) : int * int) x => (b lor x)%uint63) 0%uint63 (cells p))%uint63 = true ->
  closed_under (sizes p) (sizes_before p) 0 = true -> sub (inner p) (area p) ->
  fits_pocket p m = true -> take s m = Some t ->
  (forall i, (S.window (shift p) s).[i] && r.[i] = false) ->
  sub r (inner p) -> closed (cells p) (S.window (shift p) s lxor max_int)%uint63 r ->
  can_be (table p t) (measure (cells p) (without r (S.window (shift p) (base m))) 0) = true ->
  can_be (table p s) (measure (cells p) r 0) = true.
Proof.
  intros One Inner Less Area Fit T Open In C H. unfold fits_pocket, fits_by, adds_up in Fit.
  apply andb_true_iff in Fit as [Fit F3]. apply andb_true_iff in Fit as [F1 F2]. apply andb_true_iff in F1 as [_ F1].
  rewrite (measure_splits (cells p) r (S.window (shift p) (base m) land area p)%uint63 One).
  assert (Eq : without r (S.window (shift p) (base m)) = without r (S.window (shift p) (base m) land area p)%uint63).
  { apply bit_ext. intros i. rewrite !bit_without, land_spec. destruct (r.[i]) eqn:R; [|reflexivity].
    now rewrite (Area i (In i R)), andb_true_r. }
  rewrite Eq in H. clear Eq. set (shown := (S.window (shift p) (base m) land area p)%uint63) in *. set (n0 := measure (cells p) (without r shown) 0) in *.
  pose proof (take_bounds _ _ _ T) as [D [B1 [B2 B3]]]. pose proof (take_window (shift p) _ _ _ T) as [_ [_ Wf]].
  assert (Wd : forall i, (S.window (shift p) s).[i] && shown.[i] = false).
  { intros i. unfold shown. rewrite land_spec, andb_assoc, (Wf i). reflexivity. }
  (* How the tables of the two states go together. *)
  set (sp := negb (S.disjoint (base m) (special p))) in *.
  assert (Tables : if sp then table p t = sizes p /\ table p s = sizes_before p else table p t = table p s).
  { subst sp. unfold table. destruct (S.disjoint (base m) (special p)) eqn:E; cbn in *.
    - assert (Eq : S.disjoint t (special p) = S.disjoint s (special p)).
      { apply eq_true_iff_eq. split; intros X.
        - eapply disjoint_sub; [|exact X]. exact B1.
        - apply disjoint_of. intros i Ht Hs. destruct (B3 i Ht) as [Y|Y].
          + rewrite S.disjoint_spec in X. specialize (X i). now rewrite Y, Hs in X.
          + unfold reach in Y. rewrite mem_join in Y. apply orb_true_iff in Y as [Y|Y].
            * rewrite S.disjoint_spec in E. specialize (E i). now rewrite Y, Hs in E.
            * rewrite S.disjoint_spec in F1. specialize (F1 i). rewrite mem_join, Y, Hs, orb_true_r in F1. discriminate. }
      now rewrite Eq.
    - rewrite S.within_spec in F2. split.
      + destruct (S.disjoint t (special p)) eqn:X; [|reflexivity]. exfalso.
        enough (S.disjoint (base m) (special p) = true) by congruence. eapply disjoint_sub; [|exact X]. exact B2.
      + destruct (S.disjoint s (special p)) eqn:X; [reflexivity|]. exfalso.
        enough (S.disjoint s (special p) = true) by congruence. apply disjoint_of. intros i Hs Hp.
        rewrite S.disjoint_spec in D. specialize (D i). now rewrite Hs, (F2 i Hp) in D. }
  destruct (meets r shown) eqn:M.
  - apply meets_spec in M as [i [Ri Si]].
    apply eqb_correct in Inner. pose proof (In i Ri) as Ii. rewrite Inner in Ii. apply inner_cells in Ii as [b [a [Ib Bi]]].
    rewrite forallb_forall in F3. specialize (F3 _ Ib). cbn beta iota in F3.
    assert (Mb : meets shown b = true) by (apply meets_spec; exists i; auto). rewrite Mb in F3. cbn [implb] in F3.
    assert (Fl : sub (flood plenty (cells p) shown b) r).
    { apply flood_stays with (free := (S.window (shift p) s lxor max_int)%uint63).
      - intros j Hj. rewrite lxor_spec, bit_max. specialize (Wd j). rewrite Hj, andb_true_r in Wd. rewrite Wd.
        destruct ((j <? digits)%uint63) eqn:L; [reflexivity|]. now rewrite (bit_outside _ _ L) in Hj.
      - exact C.
      - intros j Hj. rewrite forallb_forall in One. specialize (One _ Ib). cbn in One.
        now rewrite <- (one_bit_spec b i j One Bi Hj). }
    apply orb_true_iff in F3 as [F3|F3].
    + exfalso. apply negb_true_iff in F3. enough (inside (flood plenty (cells p) shown b) (inner p) = true) by congruence.
      apply inside_sub. eapply sub_trans; eauto.
    + apply andb_true_iff in F3 as [F3 F4]. apply inside_sub in F3.
      assert (E : (r land shown)%uint63 = shown).
      { apply sub_antisym; intros j Hj.
        - rewrite land_spec in Hj. now apply andb_true_iff in Hj.
        - rewrite land_spec, Hj. now rewrite (Fl j (F3 j Hj)). }
      rewrite E. destruct sp.
      * destruct Tables as [T1 T2]. rewrite T1 in H. rewrite T2. eapply closed_under_spec; eauto.
      * rewrite <- Tables. apply andb_true_iff in F4 as [F4 F5].
        unfold table in *. destruct (S.disjoint t (special p)); eapply closed_under_spec; eauto.
  - rewrite meets_false in M.
    rewrite (measure_of_none _ (r land shown)%uint63) by (intros j; now rewrite land_spec).
    destruct sp; [|now rewrite <- Tables, Nat.add_0_r].
    destruct Tables as [T1 T2]. rewrite T1 in H. rewrite T2. eapply closed_under_spec; eauto.
Qed.

Lemma pocket_sizes must p : good_pocket must p = true -> forall ms, forallb (fits_pocket p) ms = true -> forall s r,
  ways must ms s <> 0 ->
  (forall i, (S.window (shift p) s).[i] && r.[i] = false) ->
  sub r (inner p) -> closed (cells p) (S.window (shift p) s lxor max_int)%uint63 r ->
  can_be (table p s) (measure (cells p) r 0) = true.
Proof.
  intros G. unfold good_pocket in G. repeat rewrite andb_true_iff in G. destruct G as [[[[[One Inner] Must] Area] Zero] Less].
  apply inside_sub in Area.
  induction ms as [|m ms IH]; intros Fit s r W Open In C; cbn [ways] in W.
  - destruct (S.within must s) eqn:E; [|easy]. apply (S.window_within (shift p)) in E. apply inside_sub in Must.
    rewrite measure_of_none.
    + unfold table. destruct (S.disjoint s (special p)); [|exact Zero]. exact (closed_under_spec _ _ 0 0 Less Zero).
    + intros i. destruct (r.[i]) eqn:R; [|reflexivity]. specialize (Must i (In i R)). specialize (Open i).
      rewrite <- E, land_spec in Must. rewrite R, andb_true_r in Open. now rewrite Open, andb_false_r in Must.
  - cbn [forallb] in Fit. apply andb_true_iff in Fit as [Fm Fit]. specialize (IH Fit).
    destruct (N.eq_dec (ways must ms s) 0) as [Z|Z]; [|now apply IH]. rewrite Z, N.add_0_l in W.
    destruct (take s m) as [t|] eqn:T; [|easy].
    pose proof (take_window (shift p) _ _ _ T) as [W1 [W2 Wd]].
    eapply (pocket_step p m s t r); eauto. apply IH; [exact W| | |].
    + intros i. rewrite bit_without. specialize (Open i).
      destruct (r.[i]) eqn:R; cbn [andb]; [|apply andb_false_r].
      destruct ((S.window (shift p) (base m)).[i]) eqn:B; [apply andb_false_r|]. rewrite andb_true_r.
      destruct ((S.window (shift p) t).[i]) eqn:X; [|reflexivity]. cbn.
      unfold fits_pocket, fits_by in Fm. repeat rewrite andb_true_iff in Fm. destruct Fm as [[[F _] _] _].
      apply negb_true_iff in F. rewrite meets_false in F. specialize (F i). rewrite (In i R), andb_true_r in F.
      unfold take in T. destruct (S.disjoint s (base m)); [|discriminate].
      destruct (window_bounds (shift p) (bumps m) _ _ T i X) as [Y|Y]; [|congruence].
      rewrite S.window_union, lor_spec, B, orb_false_r in Y. now rewrite Y in Open.
    + intros i. rewrite bit_without. intros X. apply andb_true_iff in X as [X _]. auto.
    + intros b a I M i. rewrite land_spec, lxor_spec, bit_max, bit_without. intros X. apply andb_true_iff in X as [A X].
      assert (Mr : meets r b = true) by (eapply meets_sub; [|exact M]; intros j; rewrite bit_without; now destruct (r.[j])).
      assert (L : (i <? digits)%uint63 = true) by (destruct ((i <? digits)%uint63) eqn:L; [reflexivity|now rewrite (bit_outside _ _ L) in A]).
      rewrite L in X. rewrite (C b a I Mr i).
      * destruct ((S.window (shift p) (base m)).[i]) eqn:B; [|reflexivity]. now rewrite (W2 i B) in X.
      * rewrite land_spec, lxor_spec, bit_max, L, A. destruct ((S.window (shift p) s).[i]) eqn:Y; [|reflexivity]. now rewrite (W1 i Y) in X.
Qed.

Lemma inside_refl x y : sub x y -> inside x y = true.
Proof. apply inside_sub. Qed.

Opaque plenty.

Lemma fillable_spec p t free fuel : forall todo,
  fillable fuel p t free todo = false ->
  exists r, sub r free /\ sub r (inner p) /\ closed (cells p) free r /\ can_be t (measure (cells p) r 0) = false.
Proof.
  induction fuel as [|fuel IH]; intros todo; cbn [fillable]; [discriminate|].
  destruct ((todo =? 0)%uint63); [discriminate|]. cbv zeta.
  set (r := flood plenty (cells p) free (todo land (0 - todo))%uint63).
  destruct (inside r free && inside r (inner p) && (sweep (cells p) free r =? r)%uint63 && negb (can_be t (measure (cells p) r 0))) eqn:E.
  - intros _. repeat rewrite andb_true_iff in E. destruct E as [[[E1 E2] E3] E4]. exists r.
    apply inside_sub in E1, E2. apply eqb_correct in E3. apply negb_true_iff in E4. repeat split; auto. now apply sweep_closed.
  - apply IH.
Qed.

Theorem pocket_or_dead must p ms s :
  good_pocket must p = true -> forallb (fits_pocket p) ms = true -> pocket_free p s = false -> ways must ms s = 0.
Proof.
  intros G F P. destruct (N.eq_dec (ways must ms s) 0) as [Z|Z]; [exact Z|]. exfalso.
  unfold pocket_free in P. apply fillable_spec in P as [r [R1 [R2 [R3 R4]]]].
  enough (can_be (table p s) (measure (cells p) r 0) = true) by (rewrite R4 in *; discriminate).
  eapply pocket_sizes; eauto. intros i. destruct (r.[i]) eqn:R; [|apply andb_false_r].
  specialize (R1 i R). rewrite lxor_spec, bit_max in R1. destruct ((S.window (shift p) s).[i]) eqn:X; [|reflexivity].
  destruct ((i <? digits)%uint63) eqn:L; [discriminate|]. now rewrite (bit_outside _ _ L) in R.
Qed.

(* Moves come in layers: all that cover a place which no later move covers; or a single one. *)
Inductive layer := Group (x : S.t) (ms : list move) (p : option pocket) | Single (m : move).

Definition moves_of (l : layer) : list move := match l with Group _ ms _ => ms | Single m => [m] end.
Definition moves (ls : list layer) : list move := flat_map moves_of ls.

(* The order of the moves, the layers and the pockets need not be believed: this looks. *)
Definition sound_layer (must : S.t) (l : layer) (rest : list move) : bool :=
  match l with
  | Single _ => true
  | Group x ms p =>
      negb (S.disjoint x x) && S.within x must && forallb (fun m => S.within x (base m)) ms && S.disjoint x (reach_all rest) &&
      match p with
      | Some p => good_pocket must p && let sums := sums p in forallb (fits_by (kept_sum sums) p) rest
      | None => true
      end
  end.

Fixpoint sound (must : S.t) (ls : list layer) : bool :=
  match ls with
  | [] => true
  | l :: ls => sound_layer must l (moves ls) && sound must ls
  end.

Definition step (must : S.t) (l : layer) (rest : list move) (up : bool) (now : states) : bool * states :=
  let due := due must rest in
  match l with
  | Single m =>
      (negb up, merge up (sift (S.within due) (take_all m now Nil) Nil) (onto (sift (S.within due) now Nil) Nil))
  | Group x ms p =>
      let (covered, still) := part x now Nil Nil in
      let depth := Nat.log2_up (length ms) in
      let flag := if Nat.even depth then negb up else up in
      let (new, left) := build depth flag still ms in
      let keep := fun s => S.within due s && match p with Some p => pocket_free p s | None => true end in
      let new := sift keep (fold_right (fun m acc => take_all m still acc) new left) Nil in
      let old := sift (S.within due) covered Nil in
      (negb flag, merge flag new (if Bool.eqb up flag then old else onto old Nil))
  end.

Fixpoint walk (must : S.t) (ls : list layer) (up : bool) (now : states) : states :=
  match ls with
  | [] => now
  | l :: ls => let (up, now) := step must l (moves ls) up now in walk must ls up now
  end.

Fixpoint total (must : S.t) (l : states) (n : N) : N :=
  match l with
  | Nil => n
  | Cons s k r => total must r (if S.within must s then k + n else n)
  end.

Definition count (must : S.t) (ls : list layer) : option N :=
  if sound must ls then Some (total must (walk must ls true (Cons S.empty 1 Nil)) 0) else None.

Lemma ways_group must x rest :
  S.disjoint x x = false -> S.within x must = true -> S.disjoint x (reach_all rest) = true ->
  forall ms, forallb (fun m => S.within x (base m)) ms = true -> forall s,
  ways must (ms ++ rest) s =
    if S.disjoint s x then fold_right (fun m n => match take s m with Some t => ways must rest t | None => 0 end + n) 0 ms
    else ways must rest s.
Proof.
  intros Some_x Must Rest. induction ms as [|m ms IH]; intros H s; cbn [app fold_right].
  - destruct (S.disjoint s x) eqn:D; [|reflexivity].
    destruct (N.eq_dec (ways must rest s) 0) as [Z|Z]; [exact Z|]. exfalso.
    enough (S.disjoint x x = true) by congruence. apply disjoint_of. intros i I _. apply Z.
    rewrite S.within_spec in Must. apply (ways_zero must rest s i); [auto| |].
    + rewrite S.disjoint_spec in D. specialize (D i). now rewrite I, andb_true_r in D.
    + rewrite S.disjoint_spec in Rest. specialize (Rest i). now rewrite I in Rest.
  - cbn [forallb] in H. apply andb_true_iff in H as [Hm H]. specialize (IH H). cbn [ways]. rewrite (IH s).
    rewrite S.within_spec in Hm. destruct (S.disjoint s x) eqn:D.
    + destruct (take s m) as [t|] eqn:T; [|lia]. rewrite (IH t).
      destruct (S.disjoint t x) eqn:E; [|lia]. exfalso. enough (S.disjoint x x = true) by congruence.
      apply take_bounds in T as [_ [_ [T _]]]. apply disjoint_of. intros i I _.
      rewrite S.disjoint_spec in E. specialize (E i). now rewrite I, (T i (Hm i I)) in E.
    + destruct (take s m) as [t|] eqn:T; [|lia]. exfalso. apply take_bounds in T as [T _].
      enough (S.disjoint s x = true) by congruence. apply disjoint_of. intros i Hs Hx.
      rewrite S.disjoint_spec in T. specialize (T i). now rewrite Hs, (Hm i Hx) in T.
Qed.

Lemma weight_group must x ms rest l :
  S.disjoint x x = false -> S.within x must = true -> S.disjoint x (reach_all rest) = true ->
  forallb (fun m => S.within x (base m)) ms = true ->
  weight must (ms ++ rest) l = weight must rest (covered_in x l) + all_taken must rest ms (open_in x l).
Proof.
  intros A B C D. induction l as [|s k r IH].
  - cbn. clear. induction ms as [|m ms IH]; [reflexivity|]. exact IH.
  - cbn [weight covered_in open_in]. rewrite IH, (ways_group must x rest A B C ms D s).
    destruct (S.disjoint s x); [|cbn; lia]. clear - s.
    enough (k * fold_right (fun m n => match take s m with Some t => ways must rest t | None => 0 end + n) 0 ms +
      all_taken must rest ms (open_in x r) = all_taken must rest ms (Cons s k (open_in x r))) by lia.
    unfold all_taken. induction ms as [|m ms IH]; [cbn; lia|]. cbn [fold_right]. rewrite <- IH. cbn [taken].
    destruct (take s m); lia.
Qed.

Lemma weight_left must rest l ms acc :
  weight must rest (fold_right (fun m acc => take_all m l acc) acc ms) = all_taken must rest ms l + weight must rest acc.
Proof.
  unfold all_taken. induction ms as [|m ms IH]; [reflexivity|]. cbn [fold_right]. rewrite weight_take_all, IH. lia.
Qed.

Lemma weight_step must l rest up now : sound_layer must l rest = true ->
  weight must rest (snd (step must l rest up now)) = weight must (moves_of l ++ rest) now.
Proof.
  intros Sound. pose proof (due_or_dead must rest) as Due. destruct l as [x ms p|m]; cbn [moves_of step].
  - cbn [sound_layer] in Sound. repeat rewrite andb_true_iff in Sound. destruct Sound as [[[[A B] C] D] P].
    apply negb_true_iff in A. rewrite part_onto. set (depth := Nat.log2_up (length ms)).
    set (flag := if Nat.even depth then negb up else up).
    pose proof (weight_build must rest (onto (open_in x now) Nil) depth flag ms) as W.
    destruct (build depth flag (onto (open_in x now) Nil) ms) as [new left]. cbn [fst snd] in *.
    rewrite weight_merge, weight_sift, weight_left.
    + assert (E : forall b : bool, weight must rest (if b then sift (S.within (due must rest)) (onto (covered_in x now) Nil) Nil
                                            else onto (sift (S.within (due must rest)) (onto (covered_in x now) Nil) Nil) Nil)
                  = weight must rest (covered_in x now)).
      { intros b. destruct b; rewrite ?weight_onto, weight_sift, weight_onto by exact Due; cbn; lia. }
      rewrite E, (weight_group must x ms rest now A B D C). rewrite !all_taken_onto in *. cbn [weight]. lia.
    + intros s K. apply andb_false_iff in K as [K|K]; [now apply Due|]. destruct p as [p|]; [|discriminate].
      apply andb_true_iff in P as [P1 P2]. rewrite forallb_forall in P2. apply (pocket_or_dead must p rest s P1); [|exact K].
      apply forallb_forall. intros m I. now apply fits_kept, P2.
  - cbn [snd]. rewrite weight_merge, weight_onto, !weight_sift, weight_take_all by exact Due. cbn [weight app].
    clear. induction now as [|s k r IH]; [reflexivity|]. cbn [weight taken ways]. destruct (take s m); lia.
Qed.

Lemma weight_walk must ls : sound must ls = true -> forall up now,
  weight must [] (walk must ls up now) = weight must (moves ls) now.
Proof.
  induction ls as [|l ls IH]; intros H up now; [reflexivity|]. cbn [sound] in H. apply andb_true_iff in H as [H1 H2].
  cbn [walk]. pose proof (weight_step must l (moves ls) up now H1) as W. destruct (step must l (moves ls) up now) as [up' now'].
  cbn [snd] in W. rewrite (IH H2). exact W.
Qed.

Lemma weight_total must l : forall n, total must l n = weight must [] l + n.
Proof. induction l as [|s k r IH]; intros n; [reflexivity|]. cbn [total weight ways]. rewrite IH. destruct (S.within must s); lia. Qed.

Theorem count_ways must ls n : count must ls = Some n -> n = ways must (moves ls) S.empty.
Proof.
  unfold count. destruct (sound must ls) eqn:E; [|discriminate]. intros H. injection H as <-.
  rewrite weight_total, (weight_walk must ls E). cbn [weight]. lia.
Qed.
End Counter.
