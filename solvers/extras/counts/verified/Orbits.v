(* Solutions counted up to symmetry, by Burnside's lemma: the proof that both numbers are right. *)
From Coq Require Import ZArith NArith List Bool Lia Arith Uint63 Permutation.
From Verified Require Import Search Cover.
Import ListNotations.

(* What is counted. A symmetry says of each option which option's place it takes; it carries a choice to another. *)
Definition carry (s : list nat) (c : list bool) : list bool := map (fun i => nth i c false) s.

Definition same (group : list (list nat)) (c d : list bool) : Prop := exists s, In s group /\ carry s c = d.

(* A number is right if it is the length of a list that has one solution of each orbit. *)
Definition right_orbits (p : problem) (group : list (list nat)) (n : N) : Prop :=
  exists leaders : list (list bool),
    NoDup leaders /\ (forall c, In c leaders -> solution p c) /\ n = N.of_nat (length leaders) /\
    forall c, solution p c -> exists r, In r leaders /\ same group r c /\ forall r', In r' leaders -> same group r' c -> r' = r.

(* Sums and sublists. *)
Fixpoint sum (l : list nat) : nat := match l with [] => 0 | x :: l => x + sum l end.

Lemma sum_app a b : sum (a ++ b) = sum a + sum b.
Proof. induction a as [|x a IH]; cbn; [reflexivity|]. rewrite IH. lia. Qed.

Lemma sum_permuted a b : Permutation a b -> sum a = sum b.
Proof. intros P. induction P; cbn; lia. Qed.

Lemma sum_ext {A} (f g : A -> nat) l : (forall x, In x l -> f x = g x) -> sum (map f l) = sum (map g l).
Proof. intros H. now rewrite (map_ext_in f g l H). Qed.

Lemma sum_plus {A} (f g : A -> nat) l : sum (map (fun x => f x + g x) l) = sum (map f l) + sum (map g l).
Proof. induction l as [|x l IH]; cbn; [reflexivity|]. rewrite IH. lia. Qed.

Lemma sum_zero {A} (f : A -> nat) l : (forall x, In x l -> f x = 0) -> sum (map f l) = 0.
Proof. induction l as [|x l IH]; intros H; [reflexivity|]. cbn. rewrite (H x) by now left.
  apply IH. intros y Y. apply H. now right. Qed.

Lemma sum_filter {A} (f : A -> nat) (k : A -> bool) l :
  sum (map f l) = sum (map f (filter k l)) + sum (map f (filter (fun x => negb (k x)) l)).
Proof. induction l as [|x l IH]; [reflexivity|]. cbn. destruct (k x); cbn; lia. Qed.

Lemma length_filter {A} (k : A -> bool) l : length (filter k l) = sum (map (fun x => if k x then 1 else 0) l).
Proof. induction l as [|x l IH]; [reflexivity|]. cbn. destruct (k x); cbn; lia. Qed.

Lemma sum_swap {A B} (f : A -> B -> nat) (l : list A) (r : list B) :
  sum (map (fun x => sum (map (f x) r)) l) = sum (map (fun y => sum (map (fun x => f x y) l)) r).
Proof.
  induction l as [|x l IH]; cbn.
  - symmetry. now apply sum_zero.
  - rewrite IH, <- sum_plus. reflexivity.
Qed.

Lemma sum_of_one {A} (eq : forall x y : A, {x = y} + {x <> y}) a l : NoDup l -> In a l ->
  sum (map (fun d => if eq a d then 1 else 0) l) = 1.
Proof.
  intros N. induction N as [|x l X N IH]; [easy|]. intros [->|I]; cbn.
  - destruct (eq a a); [|easy]. rewrite sum_zero; [reflexivity|]. intros y Y. destruct (eq a y); [now subst|reflexivity].
  - destruct (eq a x); [now subst|]. now apply IH.
Qed.

Definition same_choice (c d : list bool) : {c = d} + {c <> d} := list_eq_dec bool_dec c d.
Definition is (c d : list bool) : bool := if same_choice c d then true else false.

Lemma is_spec c d : is c d = true <-> c = d.
Proof. unfold is. destruct (same_choice c d); split; congruence. Qed.

(* Burnside's lemma, for a group that acts on a list of choices. *)
Section Burnside.
Variable group : list (list nat).
Variable product : list nat -> list nat -> list nat.
Variable all : list bool -> Prop.
Variable unit : list nat.

Hypothesis Different : NoDup group.
Hypothesis Unit : In unit group.
Hypothesis Unit_carries : forall c, all c -> carry unit c = c.
Hypothesis Stays : forall s c, In s group -> all c -> all (carry s c).
Hypothesis Closed : forall s t, In s group -> In t group -> In (product s t) group.
Hypothesis Carries : forall s t c, In s group -> In t group -> all c -> carry (product s t) c = carry s (carry t c).
Hypothesis One_to_one : forall s s' t, In s group -> In s' group -> In t group -> product s t = product s' t -> s = s'.
Hypothesis Inverse : forall s, In s group -> exists t, In t group /\ forall c, all c -> carry t (carry s c) = c.

Definition arrows (c d : list bool) : list (list nat) := filter (fun s => is (carry s c) d) group.

Lemma in_arrows c d s : In s (arrows c d) <-> In s group /\ carry s c = d.
Proof. unfold arrows. now rewrite filter_In, is_spec. Qed.

Lemma arrows_through c d e t : all c -> all d -> In t group -> carry t c = d -> length (arrows d e) <= length (arrows c e).
Proof.
  intros C D T E. rewrite <- (map_length (fun s => product s t)). apply NoDup_incl_length.
  - assert (N : NoDup (arrows d e)) by now apply NoDup_filter.
    assert (I : forall s, In s (arrows d e) -> In s group) by (intros s S; now apply in_arrows in S).
    revert N I. generalize (arrows d e) as l. intros l N. induction N as [|s l S N IH]; intros I; cbn; constructor.
    + rewrite in_map_iff. intros [s' [Q S']]. apply One_to_one in Q; [now subst| | |exact T]; apply I; cbn; auto.
    + apply IH. intros; apply I; cbn; auto.
  - intros u U. apply in_map_iff in U as [s [<- S]]. apply in_arrows in S as [S S']. apply in_arrows. split; [now apply Closed|].
    rewrite Carries by assumption. now rewrite E.
Qed.

Lemma arrows_same c d e t : all c -> all d -> In t group -> carry t c = d -> length (arrows d e) = length (arrows c e).
Proof.
  intros C D T E. apply Nat.le_antisymm; [eapply arrows_through; eauto|].
  destruct (Inverse t T) as [t' [T' B]]. apply arrows_through with t'; auto. rewrite <- E. auto.
Qed.

Definition orbit (c : list bool) (l : list (list bool)) : list (list bool) :=
  filter (fun d => existsb (fun s => is (carry s c) d) group) l.

Definition others (c : list bool) (l : list (list bool)) : list (list bool) :=
  filter (fun d => negb (existsb (fun s => is (carry s c) d) group)) l.

Lemma reached c d : existsb (fun s => is (carry s c) d) group = true <-> same group c d.
Proof.
  rewrite existsb_exists. split; intros [s [S H]]; exists s; (split; [exact S|]); now apply is_spec.
Qed.

Lemma arrows_of_orbit c l : NoDup l -> (forall s, In s group -> In (carry s c) l) ->
  sum (map (fun d => length (arrows c d)) (orbit c l)) = length group.
Proof.
  intros N I. assert (No : NoDup (orbit c l)) by now apply NoDup_filter.
  assert (Io : forall s, In s group -> In (carry s c) (orbit c l)).
  { intros s S. apply filter_In. split; [auto|]. apply reached. now exists s. }
  rewrite (sum_ext _ (fun d => sum (map (fun s => if same_choice (carry s c) d then 1 else 0) group))).
  - rewrite sum_swap. rewrite (sum_ext _ (fun _ => 1)); [clear; induction group; cbn; lia|].
    intros s S. apply sum_of_one; auto.
  - intros d _. unfold arrows. rewrite length_filter. apply sum_ext. intros s _. unfold is. now destruct (same_choice _ _).
Qed.

Lemma fixed_and_arrows l :
  sum (map (fun s => length (filter (fun c => is (carry s c) c) l)) group) = sum (map (fun c => length (arrows c c)) l).
Proof.
  rewrite (sum_ext _ (fun s => sum (map (fun c => if is (carry s c) c then 1 else 0) l))) by (intros; apply length_filter).
  rewrite sum_swap. apply sum_ext. intros c _. unfold arrows. now rewrite length_filter.
Qed.

Lemma burnside_on : forall n l, length l <= n -> NoDup l -> (forall c, In c l -> all c) ->
  (forall s c, In s group -> In c l -> In (carry s c) l) ->
  exists leaders, NoDup leaders /\ (forall c, In c leaders -> In c l) /\
    sum (map (fun c => length (arrows c c)) l) = length group * length leaders /\
    forall c, In c l -> exists r, In r leaders /\ same group r c /\ forall r', In r' leaders -> same group r' c -> r' = r.
Proof.
  induction n as [|n IH]; intros l L N A I.
  - destruct l; [|cbn in L; lia]. exists []. cbn. split; [constructor|]. split; [easy|]. split; [lia|easy].
  - destruct l as [|c l]; [exists []; cbn; split; [constructor|]; split; [easy|]; split; [lia|easy]|].
    set (whole := c :: l) in *. assert (Ic : In c whole) by now left.
    assert (Back : forall a b, In a whole -> same group a b -> same group b a).
    { intros a b Ia [s [S <-]]. destruct (Inverse s S) as [t [T B]]. exists t. split; [exact T|]. auto. }
    assert (Trans : forall a b d, In a whole -> same group a b -> same group b d -> same group a d).
    { intros a b d Ia [s [S <-]] [t [T <-]]. exists (product t s). split; [auto|]. apply Carries; auto. }
    assert (Self : In c (orbit c whole)).
    { apply filter_In. split; [exact Ic|]. apply reached. exists unit. auto. }
    assert (Parts : length whole = length (orbit c whole) + length (others c whole)).
    { unfold orbit, others. clear. induction whole as [|d w IH]; [reflexivity|]. cbn. destruct (existsb _ _); cbn; lia. }
    assert (Some_orbit : 0 < length (orbit c whole)) by (destruct (orbit c whole); [easy|cbn; lia]).
    assert (In_others : forall d, In d (others c whole) <-> In d whole /\ ~ same group c d).
    { intros d. unfold others. rewrite filter_In, negb_true_iff, <- not_true_iff_false, reached. reflexivity. }
    destruct (IH (others c whole)) as [leaders [N' [In_l [Number Each]]]].
    + lia.
    + now apply NoDup_filter.
    + intros d D. apply In_others in D. now apply A.
    + intros s d S D. apply In_others in D as [D1 D2]. apply In_others. split; [auto|]. intros H. apply D2.
      apply Trans with (carry s d); auto. apply Back; [exact D1|]. now exists s.
    + assert (New : ~ In c leaders).
      { intros H. apply In_l, In_others in H as [_ H]. apply H. exists unit. auto. }
      exists (c :: leaders). repeat split.
      * now constructor.
      * intros d [<-|D]; [exact Ic|]. apply In_l in D. now apply In_others in D.
      * rewrite (sum_filter _ (fun d => existsb (fun s => is (carry s c) d) group)).
        fold (orbit c whole) (others c whole). rewrite Number.
        rewrite (sum_ext _ (fun d => length (arrows c d))).
        -- rewrite arrows_of_orbit by auto. cbn [length]. lia.
        -- intros d D. apply filter_In in D as [D H]. apply reached in H as [s [S E]]. apply (arrows_same c d d s); auto.
      * intros d D. destruct (existsb (fun s => is (carry s c) d) group) eqn:E.
        -- apply reached in E. exists c. split; [now left|]. split; [exact E|]. intros r [<-|R] H; [reflexivity|].
           exfalso. apply In_l, In_others in R as [R1 R2]. apply R2. apply Trans with d; auto.
        -- apply not_true_iff_false in E. rewrite reached in E. assert (O : In d (others c whole)) by (apply In_others; auto).
           destruct (Each d O) as [r [R1 [R2 R3]]]. exists r. split; [now right|]. split; [exact R2|].
           intros r' [<-|R'] H; [now exfalso|]. auto.
Qed.
End Burnside.

(* Permutations, each the list of what it carries 0, 1, ... to. *)
Definition product (n : nat) (s t : list nat) : list nat := map (fun i => nth i t n) s.

Definition same_places (s t : list nat) : bool := if list_eq_dec Nat.eq_dec s t then true else false.

Lemma same_places_spec s t : same_places s t = true <-> s = t.
Proof. unfold same_places. destruct (list_eq_dec Nat.eq_dec s t); split; congruence. Qed.

Definition undoes (n : nat) (t s : list nat) : bool := same_places (product n s t) (seq 0 n).

Lemma map_nth_seq {A} (d : A) l : map (fun i => nth i l d) (seq 0 (length l)) = l.
Proof. induction l as [|x l IH]; [reflexivity|]. cbn. now rewrite <- seq_shift, map_map, IH. Qed.

Lemma nth_map {A B} (f : A -> B) l i a b : i < length l -> nth i (map f l) b = f (nth i l a).
Proof. intros I. rewrite (nth_indep _ b (f a)) by now rewrite map_length. apply map_nth. Qed.

Lemma carry_product n s t c : (forall i, In i s -> i < length t) -> carry (product n s t) c = carry s (carry t c).
Proof.
  intros H. unfold carry, product. rewrite map_map. apply map_ext_in. intros i I. symmetry.
  apply (nth_map (fun i => nth i c false)). auto.
Qed.

Lemma carry_seq c : carry (seq 0 (length c)) c = c.
Proof. apply map_nth_seq. Qed.

Lemma undone n s t : length s = n -> length t = n -> undoes n t s = true -> Permutation s (seq 0 n).
Proof.
  intros L Lt U. apply same_places_spec in U. unfold product in U.
  assert (G : forall i, i < n -> nth (nth i s n) t n = i).
  { intros i I. rewrite <- (nth_map (fun i => nth i t n) s i n n) by lia. rewrite U. now apply seq_nth. }
  apply NoDup_Permutation_bis.
  - apply (NoDup_nth s n). intros i j I J E. rewrite L in *. rewrite <- (G i I), <- (G j J). now rewrite E.
  - rewrite seq_length. lia.
  - intros x X. apply in_seq. split; [lia|]. cbn. destruct (In_nth s x n X) as [i [I <-]]. rewrite L in I.
    destruct (Nat.lt_ge_cases (nth i s n) n) as [Lx|Lx]; [exact Lx|]. exfalso. specialize (G i I).
    rewrite nth_overflow in G by lia. lia.
Qed.

Section Places.
Variable n : nat.

Lemma permuted_in l i : Permutation l (seq 0 n) -> In i l <-> i < n.
Proof.
  intros P. split; intros H.
  - apply (Permutation_in i P) in H. apply in_seq in H. lia.
  - apply (Permutation_in i (Permutation_sym P)). apply in_seq. lia.
Qed.

Lemma carry_one_to_one l c d : Permutation l (seq 0 n) -> length c = n -> length d = n -> carry l c = carry l d -> c = d.
Proof.
  intros P C D E. apply (nth_ext _ _ false false); [congruence|]. intros i I. rewrite C in I.
  apply (ext_in_map E). now apply (permuted_in l i P).
Qed.

Lemma nth_carry s c i : length s = n -> i < n -> nth i (carry s c) false = nth (nth i s n) c false.
Proof. intros L I. apply (nth_map (fun i => nth i c false)). lia. Qed.

Lemma product_one_to_one s s' t : Permutation t (seq 0 n) -> Permutation s (seq 0 n) -> Permutation s' (seq 0 n) ->
  product n s t = product n s' t -> s = s'.
Proof.
  intros T S S' E. assert (Lt : length t = n) by (apply Permutation_length in T; now rewrite seq_length in T).
  assert (N : NoDup t) by (apply (Permutation_NoDup (Permutation_sym T)), seq_NoDup).
  assert (I : forall i, In i s -> i < n) by (intros i; now apply permuted_in).
  assert (I' : forall i, In i s' -> i < n) by (intros i; now apply permuted_in).
  clear S S' T. revert s' E I'. induction s as [|x s IH]; intros [|y s'] E I'; cbn in E; try discriminate; [reflexivity|].
  injection E as E1 E2. f_equal.
  - apply (proj1 (NoDup_nth t n) N); [rewrite Lt; apply I; now left|rewrite Lt; apply I'; now left|exact E1].
  - apply IH; [intros; apply I; now right|exact E2|intros; apply I'; now right].
Qed.
End Places.

Lemma covered_sum x : forall os c, length c = length os ->
  covered x os c = sum (map (fun i => if nth i c false then times x (nth i os []) else 0) (seq 0 (length os))).
Proof.
  induction os as [|o os IH]; intros [|b c] L; try discriminate; [reflexivity|].
  cbn [covered length seq map sum nth]. rewrite IH by now injection L.
  rewrite <- seq_shift, map_map. reflexivity.
Qed.

(* A symmetry of a problem carries items to items with the same bounds. *)
Definition good_symmetry (p : problem) (s : list nat) (names : list int) : bool :=
  let pairs := combine (items p) names in
  (length names =? length (items p)) &&
  forallb (fun '((it, y) : item * int) =>
    existsb (fun it' => (name it' =? y)%uint63 && (low it' =? low it) && (high it' =? high it)) (items p)) pairs &&
  forallb (fun '((o, i) : list int * nat) => let o' := nth i (options p) [] in
    forallb (fun '((it, y) : item * int) => times (name it) o =? times y o') pairs) (combine (options p) s).

Lemma in_combine_left {A B} (x : A) l : forall r : list B, length r = length l -> In x l -> exists y, In (x, y) (combine l r).
Proof.
  induction l as [|a l IH]; intros [|b r] L I; try easy. destruct I as [->|I]; [exists b; now left|].
  destruct (IH r) as [y Y]; [now injection L|exact I|]. exists y. now right.
Qed.

Lemma in_combine_nth {A B} (a : A) (b : B) i l : forall r, length l = length r -> i < length l ->
  In (nth i l a, nth i r b) (combine l r).
Proof.
  intros r L I. rewrite <- combine_nth by exact L. apply nth_In. rewrite combine_length. lia.
Qed.

Lemma symmetry_right p s names c : Permutation s (seq 0 (length (options p))) -> good_symmetry p s names = true ->
  solution p c -> solution p (carry s c).
Proof.
  intros P G [L H]. unfold good_symmetry in G. repeat rewrite andb_true_iff in G. destruct G as [[G1 G2] G3].
  apply Nat.eqb_eq in G1. rewrite forallb_forall in G2, G3. set (n := length (options p)) in *.
  assert (Ls : length s = n) by (apply Permutation_length in P; now rewrite seq_length in P).
  split; [unfold carry; now rewrite map_length|]. intros it I.
  destruct (in_combine_left it (items p) names G1 I) as [y Y]. pose proof (G2 _ Y) as B. cbn in B.
  apply existsb_exists in B as [it' [I' B]]. repeat rewrite andb_true_iff in B. destruct B as [[B1 B2] B3].
  apply eqb_correct in B1. apply Nat.eqb_eq in B2, B3. specialize (H it' I'). rewrite B1, B2, B3 in H.
  enough (covered (name it) (options p) (carry s c) = covered y (options p) c) by lia.
  rewrite !covered_sum by (unfold carry; rewrite ?map_length; lia). fold n.
  set (f := fun j => if nth j c false then times y (nth j (options p) []) else 0).
  rewrite (sum_ext _ (fun i => f (nth i s n))).
  - rewrite <- (map_map (fun i => nth i s n) f). pose proof (map_nth_seq n s) as E. rewrite Ls in E. rewrite E.
    now apply sum_permuted, Permutation_map.
  - intros i Ii. apply in_seq in Ii. rewrite (nth_carry n) by lia. unfold f.
    destruct (nth (nth i s n) c false); [|reflexivity].
    assert (C : In (nth i (options p) [], nth i s n) (combine (options p) s)) by (apply in_combine_nth; [fold n; lia|fold n; lia]).
    specialize (G3 _ C). cbn in G3. rewrite forallb_forall in G3. specialize (G3 _ Y). cbn in G3. now apply Nat.eqb_eq in G3.
Qed.

(* Solutions that a symmetry leaves unchanged are those of a problem whose options are its cycles. *)
Definition joined (p : problem) (cycle : list nat) : list int := concat (map (fun i => nth i (options p) []) cycle).

Definition quotient (p : problem) (cycles : list (list nat)) : problem :=
  {| items := items p; options := map (joined p) cycles |}.

Definition is_cycle (n : nat) (s cycle : list nat) : bool :=
  match cycle with
  | [] => false
  | a :: rest => same_places (map (fun i => nth i s n) cycle) (rest ++ [a])
  end.

(* An item is covered too often. *)
Definition dead (p : problem) (cycle : list nat) : bool :=
  let o := joined p cycle in existsb (fun it => high it <? times (name it) o) (items p).

(* All options stand once in the cycles, which is seen by where they stand. Dropped are cycles that no solution has,
   and those of options that are left out. *)
Definition good_cycles (p : problem) (left_out : nat -> bool) (s : list nat) (cycles dropped : list (list nat))
    (places : list nat) : bool :=
  let n := length (options p) in
  let all := concat cycles ++ concat dropped in
  (length all =? n) && (length places =? n) && undoes n places all &&
  forallb (is_cycle n s) (cycles ++ dropped) &&
  forallb (fun cycle => dead p cycle || forallb left_out cycle) dropped &&
  forallb (fun cycle => forallb (fun i => negb (left_out i)) cycle) cycles.

Fixpoint flat (cycles : list (list nat)) (d : list bool) : list bool :=
  match cycles, d with
  | cycle :: cycles, b :: d => repeat b (length cycle) ++ flat cycles d
  | _, _ => []
  end.

Fixpoint agree (c : list bool) (cycles : list (list nat)) (d : list bool) : Prop :=
  match cycles, d with
  | [], [] => True
  | cycle :: cycles, b :: d => (forall i, In i cycle -> nth i c false = b) /\ agree c cycles d
  | _, _ => False
  end.

Lemma app_parts {A} (a a' b b' : list A) : length a = length a' -> a ++ b = a' ++ b' -> a = a' /\ b = b'.
Proof.
  revert a'. induction a as [|x a IH]; intros [|y a'] L E; try discriminate; [auto|]. cbn in E. injection E as -> E.
  destruct (IH a') as [-> ->]; auto.
Qed.

Lemma all_repeat c cycle b : carry cycle c = repeat b (length cycle) <-> forall i, In i cycle -> nth i c false = b.
Proof.
  unfold carry. induction cycle as [|x cycle IH]; cbn; [easy|]. split.
  - intros E. injection E as E1 E2. intros i [<-|I]; [exact E1|]. now apply IH.
  - intros H. f_equal; [auto|]. apply IH. auto.
Qed.

Lemma agree_flat c cycles : forall d, length d = length cycles -> agree c cycles d <-> carry (concat cycles) c = flat cycles d.
Proof.
  induction cycles as [|cycle cycles IH]; intros [|b d] L; try discriminate; [easy|].
  cbn [agree flat concat]. unfold carry in *. rewrite map_app. rewrite (IH d) by now injection L.
  pose proof (all_repeat c cycle b) as R. unfold carry in R. rewrite <- R. split.
  - now intros [-> ->].
  - intros E. apply app_parts in E; [exact E|]. now rewrite map_length, repeat_length.
Qed.

Lemma flat_one_to_one cycles : (forall cycle, In cycle cycles -> cycle <> []) -> forall d d',
  length d = length cycles -> length d' = length cycles -> flat cycles d = flat cycles d' -> d = d'.
Proof.
  induction cycles as [|cycle cycles IH]; intros H [|b d] [|b' d'] L L' E; try discriminate; [reflexivity|].
  cbn [flat] in E. apply app_parts in E as [E1 E2]; [|now rewrite !repeat_length].
  f_equal; [|apply IH; [intros; apply H; now right|now injection L|now injection L'|exact E2]].
  destruct cycle; [now destruct (H [] (or_introl eq_refl))|]. cbn in E1. now injection E1.
Qed.

Lemma flat_length cycles : forall d, length d = length cycles -> length (flat cycles d) = length (concat cycles).
Proof.
  induction cycles as [|cycle cycles IH]; intros [|b d] L; try discriminate; [reflexivity|].
  cbn. rewrite !app_length, repeat_length, IH by now injection L. reflexivity.
Qed.

Lemma agree_in c cycles : forall d cycle, agree c cycles d -> In cycle cycles -> exists b, forall i, In i cycle -> nth i c false = b.
Proof.
  induction cycles as [|a cycles IH]; intros [|b d] cycle G I; try easy. destruct G as [G1 G2].
  destruct I as [<-|I]; [now exists b|]. eauto.
Qed.

Lemma times_app x a b : times x (a ++ b) = times x a + times x b.
Proof. induction a as [|y a IH]; [reflexivity|]. cbn. rewrite IH. lia. Qed.

Lemma times_joined x p cycle : times x (joined p cycle) = sum (map (fun i => times x (nth i (options p) [])) cycle).
Proof. unfold joined. induction cycle as [|i cycle IH]; [reflexivity|]. cbn. now rewrite times_app, IH. Qed.

Definition counts (x : int) (p : problem) (c : list bool) (i : nat) : nat :=
  if nth i c false then times x (nth i (options p) []) else 0.

Lemma covered_counts x p c : length c = length (options p) ->
  covered x (options p) c = sum (map (counts x p c) (seq 0 (length (options p)))).
Proof. exact (covered_sum x (options p) c). Qed.

Lemma counts_true x p c cycle : (forall i, In i cycle -> nth i c false = true) ->
  sum (map (counts x p c) cycle) = times x (joined p cycle).
Proof. intros H. rewrite times_joined. apply sum_ext. intros i I. unfold counts. now rewrite (H i I). Qed.

Lemma counts_false x p c cycle : (forall i, In i cycle -> nth i c false = false) -> sum (map (counts x p c) cycle) = 0.
Proof. intros H. apply sum_zero. intros i I. unfold counts. now rewrite (H i I). Qed.

Lemma covered_cycles x p c cycles : forall d, agree c cycles d ->
  covered x (map (joined p) cycles) d = sum (map (counts x p c) (concat cycles)).
Proof.
  induction cycles as [|cycle cycles IH]; intros [|b d] G; try easy. destruct G as [G1 G2]. cbn [map covered concat].
  rewrite map_app, sum_app, (IH d G2). f_equal. destruct b; symmetry; [now apply counts_true|now apply counts_false].
Qed.

Lemma part_of_sum (f : nat -> nat) cycle cycles : In cycle cycles -> sum (map f cycle) <= sum (map f (concat cycles)).
Proof.
  induction cycles as [|a cycles IH]; [easy|]. intros [->|I]; cbn; rewrite map_app, sum_app; [lia|]. specialize (IH I). lia.
Qed.

(* A value that does not change from one place to the next is that of the whole cycle. *)
Lemma chain (next : nat -> nat) (value : nat -> bool) b rest : forall a, map next (a :: rest) = rest ++ [b] ->
  (forall i, In i (a :: rest) -> value (next i) = value i) -> forall i, In i (a :: rest) -> value i = value a.
Proof.
  induction rest as [|x rest IH]; intros a E H i I.
  - now destruct I as [<-|[]].
  - cbn in E. injection E as E1 E2. destruct I as [<-|I]; [reflexivity|].
    rewrite (IH x); [|exact E2|intros; apply H; now right|exact I]. rewrite <- E1. apply H. now left.
Qed.

Section Cycles.
Variables (p : problem) (left_out : nat -> bool) (s : list nat) (cycles dropped : list (list nat)) (places : list nat).
Let n := length (options p).
Let all := concat cycles ++ concat dropped.
Hypothesis Perm : Permutation s (seq 0 n).
Hypothesis Good : good_cycles p left_out s cycles dropped places = true.

Lemma good_parts : Permutation all (seq 0 n) /\ length places = n /\ product n all places = seq 0 n /\
  (forall cycle, In cycle cycles \/ In cycle dropped -> is_cycle n s cycle = true) /\
  (forall cycle, In cycle dropped -> dead p cycle = true \/ forall i, In i cycle -> left_out i = true) /\
  forall cycle i, In cycle cycles -> In i cycle -> left_out i = false.
Proof.
  unfold good_cycles in Good. repeat rewrite andb_true_iff in Good. fold n all in Good.
  destruct Good as [[[[[G1 G2] G3] G4] G5] G6]. apply Nat.eqb_eq in G1, G2. rewrite forallb_forall in G4, G5, G6.
  split; [now apply undone with places|]. split; [exact G2|]. split; [now apply same_places_spec|]. split; [|split].
  - intros cycle I. apply G4. now apply in_app_iff.
  - intros cycle I. specialize (G5 cycle I). apply orb_true_iff in G5 as [D|D]; [now left|right].
    now apply forallb_forall.
  - intros cycle i C I. specialize (G6 cycle C). rewrite forallb_forall in G6. now apply negb_true_iff, G6.
Qed.

Lemma length_s : length s = n.
Proof. pose proof (Permutation_length Perm) as L. now rewrite seq_length in L. Qed.

Lemma in_all i : i < n -> exists cycle, In i cycle /\ (In cycle cycles \/ In cycle dropped).
Proof.
  destruct good_parts as [P _]. intros I. apply (permuted_in n all i P) in I. apply in_app_iff in I as [I|I];
    apply in_concat in I as [cycle [C I]]; exists cycle; auto.
Qed.

Lemma in_places cycle i : In cycle cycles \/ In cycle dropped -> In i cycle -> i < n.
Proof.
  destruct good_parts as [P _]. intros C I. apply (permuted_in n all i P). apply in_app_iff.
  destruct C as [C|C]; [left|right]; apply in_concat; now exists cycle.
Qed.

Lemma constant c cycle : length c = n -> carry s c = c -> In cycle cycles \/ In cycle dropped ->
  forall i, In i cycle -> nth i c false = nth (hd 0 cycle) c false.
Proof.
  intros L F C. destruct good_parts as [_ [_ [_ [G _]]]]. pose proof (G _ C) as K. destruct cycle as [|a rest]; [easy|].
  cbn [hd]. apply same_places_spec in K.
  apply (chain (fun i => nth i s n) (fun i => nth i c false) a rest a K). intros i I. cbn beta.
  rewrite <- nth_carry; [now rewrite F|apply length_s|]. now apply in_places with (a :: rest).
Qed.

Lemma next_in cycle i : In cycle cycles \/ In cycle dropped -> In i cycle -> In (nth i s n) cycle.
Proof.
  intros C I. destruct good_parts as [_ [_ [_ [G _]]]]. pose proof (G _ C) as K. destruct cycle as [|a rest]; [easy|].
  apply same_places_spec in K. assert (J : In (nth i s n) (rest ++ [a])) by (rewrite <- K; apply in_map_iff; now exists i).
  apply in_app_iff in J as [J|[<-|[]]]; [now right|now left].
Qed.

Definition full (d : list bool) : list bool := flat cycles d ++ repeat false (length (concat dropped)).
Definition spread (d : list bool) : list bool := carry places (full d).

Lemma length_spread d : length (spread d) = n.
Proof. destruct good_parts as [_ [L _]]. unfold spread, carry. now rewrite map_length. Qed.

Lemma spread_full d : length d = length cycles -> carry all (spread d) = full d.
Proof.
  intros L. destruct good_parts as [P [Lp [E _]]]. unfold spread. rewrite <- (carry_product n).
  - rewrite E. assert (Lf : length (full d) = n).
    { unfold full. rewrite app_length, flat_length, repeat_length, <- app_length by exact L.
      apply Permutation_length in P. now rewrite seq_length in P. }
    rewrite <- Lf. apply carry_seq.
  - intros i I. rewrite Lp. now apply (permuted_in n all i P).
Qed.

Lemma spread_agrees d : length d = length cycles ->
  agree (spread d) cycles d /\ forall i, In i (concat dropped) -> nth i (spread d) false = false.
Proof.
  intros L. pose proof (spread_full d L) as E. unfold all, full, carry in E. rewrite map_app in E.
  apply app_parts in E as [E1 E2]; [|now rewrite map_length, flat_length].
  split; [now apply agree_flat|]. now apply all_repeat.
Qed.

Lemma covered_spread x c d : length c = n -> agree c cycles d -> (forall i, In i (concat dropped) -> nth i c false = false) ->
  covered x (options (quotient p cycles)) d = covered x (options p) c.
Proof.
  intros L A F. destruct good_parts as [P _]. cbn [quotient options]. rewrite (covered_cycles x p c) by exact A.
  rewrite covered_counts by exact L. fold n. rewrite <- (sum_permuted _ _ (Permutation_map (counts x p c) P)).
  unfold all. rewrite map_app, sum_app, (counts_false x p c (concat dropped) F). lia.
Qed.

Lemma agree_heads c l : (forall cycle, In cycle l -> forall i, In i cycle -> nth i c false = nth (hd 0 cycle) c false) ->
  agree c l (map (fun cycle => nth (hd 0 cycle) c false) l).
Proof.
  induction l as [|a l IH]; intros H; cbn; [easy|]. split; [apply H; now left|]. apply IH. intros; apply H; [now right|assumption].
Qed.

Lemma unchanged_right m : right_number (quotient p cycles) m ->
  exists l, NoDup l /\
    (forall c, In c l <-> solution p c /\ carry s c = c /\ forall i, left_out i = true -> nth i c false = false) /\
    m = N.of_nat (length l).
Proof.
  intros [ds [N [D ->]]]. destruct good_parts as [P [Lp [_ [Cyc [Dead Kept]]]]].
  assert (Len : forall d, In d ds -> length d = length cycles).
  { intros d I. apply D in I as [L _]. cbn in L. now rewrite map_length in L. }
  exists (map spread ds). split; [|split; [|now rewrite map_length]].
  - revert Len. clear D. induction N as [|d l I N IH]; intros Len; cbn; constructor; [|apply IH; intros; apply Len; now right].
    rewrite in_map_iff. intros [d' [E I']]. enough (d' = d) by (subst; contradiction).
    assert (L : length d = length cycles) by (apply Len; now left).
    assert (L' : length d' = length cycles) by (apply Len; now right).
    apply (flat_one_to_one cycles); auto.
    + intros cycle C E'. subst cycle. specialize (Cyc [] (or_introl C)). discriminate.
    + pose proof (spread_full d L) as F. rewrite <- E, (spread_full d' L') in F. unfold full in F. now apply app_inv_tail in F.
  - intros c. rewrite in_map_iff. split.
    + intros [d [<- I]]. pose proof (Len d I) as L. destruct (spread_agrees d L) as [A F]. apply D in I as [_ S]. split.
      * split; [apply length_spread|]. intros it It. specialize (S it It).
        rewrite (covered_spread (name it) (spread d) d) in S; auto. apply length_spread.
      * split.
        2:{ intros i O. destruct (Nat.lt_ge_cases i n) as [Ii|Ii]; [|apply nth_overflow; now rewrite length_spread].
            destruct (in_all i Ii) as [cycle [Ic [C|C]]]; [now rewrite (Kept cycle i C Ic) in O|].
            apply F, in_concat. now exists cycle. }
        apply (nth_ext _ _ false false).
        { rewrite length_spread. unfold carry. rewrite map_length. apply length_s. }
        intros i I. assert (Ii : i < n) by (unfold carry in I; rewrite map_length, length_s in I; exact I).
        rewrite (nth_carry n) by (auto using length_s). destruct (in_all i Ii) as [cycle [Ic C]].
        pose proof (next_in cycle i C Ic) as J. destruct C as [C|C].
        -- destruct (agree_in _ _ _ _ A C) as [b B]. now rewrite (B _ J), (B _ Ic).
        -- rewrite !F; [reflexivity| |]; apply in_concat; now exists cycle.
    + intros [[L S] [Fixed Out]]. fold n in L.
      assert (F : forall i, In i (concat dropped) -> nth i c false = false).
      { intros i I. apply in_concat in I as [cycle [C I]]. destruct (Dead cycle C) as [X|X]; [|now apply Out, X].
        rewrite (constant c cycle L Fixed (or_intror C) i I).
        destruct (nth (hd 0 cycle) c false) eqn:T; [|reflexivity]. exfalso.
        unfold dead in X. apply existsb_exists in X as [it [It X]]. apply Nat.ltb_lt in X.
        specialize (S it It). rewrite covered_counts in S by exact L. fold n in S.
        rewrite <- (sum_permuted _ _ (Permutation_map (counts (name it) p c) P)) in S.
        unfold all in S. rewrite map_app, sum_app in S.
        pose proof (part_of_sum (counts (name it) p c) cycle dropped C) as Q.
        rewrite counts_true in Q; [lia|]. intros j J. now rewrite (constant c cycle L Fixed (or_intror C) j J). }
      set (d := map (fun cycle => nth (hd 0 cycle) c false) cycles).
      assert (A : agree c cycles d) by (apply agree_heads; intros cycle C; apply constant; auto).
      exists d. split.
      * apply (carry_one_to_one n all); auto using length_spread. rewrite spread_full by (unfold d; now rewrite map_length).
        unfold all, full, carry. rewrite map_app. f_equal; symmetry.
        -- apply agree_flat; [unfold d; now rewrite map_length|exact A].
        -- now apply all_repeat.
      * apply D. split; [cbn; unfold d; now rewrite !map_length|]. intros it It.
        rewrite (covered_spread (name it) c d) by auto. now apply S.
Qed.
End Cycles.

(* A group: the unit first, then the others, each once; products and inverses are among them. *)
Fixpoint distinct (g : list (list nat)) : bool :=
  match g with [] => true | s :: g => negb (existsb (same_places s) g) && distinct g end.

Definition is_group (n : nat) (g : list (list nat)) : bool :=
  match g with [] => false | unit :: _ => same_places unit (seq 0 n) end &&
  forallb (fun s => length s =? n) g && distinct g &&
  forallb (fun s => existsb (fun t => undoes n t s) g) g &&
  forallb (fun s => forallb (fun t => existsb (same_places (product n s t)) g) g) g.

Lemma distinct_right g : distinct g = true -> NoDup g.
Proof.
  induction g as [|s g IH]; cbn; intros H; constructor; apply andb_true_iff in H as [H1 H2]; [|auto].
  intros I. apply negb_true_iff, not_true_iff_false in H1. apply H1, existsb_exists. exists s. split; [exact I|]. now apply same_places_spec.
Qed.

Theorem burnside p g l : is_group (length (options p)) g = true ->
  (forall s c, In s g -> solution p c -> solution p (carry s c)) -> NoDup l -> (forall c, In c l <-> solution p c) ->
  exists k, right_orbits p g (N.of_nat k) /\
    sum (map (fun s => length (filter (fun c => is (carry s c) c) l)) g) = length g * k.
Proof.
  set (n := length (options p)). intros G Sym N L. unfold is_group in G. repeat rewrite andb_true_iff in G.
  destruct G as [[[[G1 G2] G3] G4] G5]. destruct g as [|unit g']; [discriminate|]. set (g := unit :: g') in *.
  apply same_places_spec in G1. rewrite forallb_forall in G2, G4, G5. apply distinct_right in G3.
  assert (Len : forall s, In s g -> length s = n) by (intros s I; apply Nat.eqb_eq; auto).
  assert (Perm : forall s, In s g -> Permutation s (seq 0 n)).
  { intros s I. specialize (G4 s I). apply existsb_exists in G4 as [t [T U]]. apply undone with t; auto. }
  assert (Prod : forall s t c, In s g -> In t g -> carry (product n s t) c = carry s (carry t c)).
  { intros s t c I T. apply carry_product. intros i Ii. rewrite (Len t T). now apply (permuted_in n s i (Perm s I)). }
  assert (Unit : forall c, length c = n -> carry unit c = c) by (intros c C; rewrite G1, <- C; apply carry_seq).
  assert (Closed : forall s t, In s g -> In t g -> In (product n s t) g).
  { intros s t I T. specialize (G5 s I). rewrite forallb_forall in G5. specialize (G5 t T).
    apply existsb_exists in G5 as [u [U E]]. apply same_places_spec in E. now rewrite E. }
  assert (Left : forall s, In s g -> exists t, In t g /\ forall c, length c = n -> carry t (carry s c) = c).
  { intros s I. specialize (G4 s I). apply existsb_exists in G4 as [t [T U]]. apply same_places_spec in U.
    exists t. split; [exact T|]. intros c C. apply (carry_one_to_one n s); auto.
    - unfold carry. rewrite map_length. auto.
    - rewrite <- Prod by auto. rewrite U. pose proof (Len s I) as Ls.
      assert (Lc : length (carry s c) = n) by (unfold carry; now rewrite map_length).
      rewrite <- Lc. apply carry_seq. }
  destruct (burnside_on g (product n) (solution p) unit G3 (or_introl eq_refl)) with (n := length l) (l := l)
    as [leaders [H1 [H2 [H3 H4]]]]; auto.
  - intros c [C _]. now apply Unit.
  - intros s s' t I I' T. apply product_one_to_one; auto.
  - intros s I. destruct (Left s I) as [t [T B]]. exists t. split; [exact T|]. intros c [C _]. now apply B.
  - intros c C. now apply L.
  - intros s c I C. apply L, Sym; [exact I|]. now apply L.
  - exists (length leaders). split.
    + exists leaders. split; [exact H1|]. split; [intros c C; now apply L, H2|]. split; [reflexivity|].
      intros c C. apply H4. now apply L.
    + rewrite <- H3. apply fixed_and_arrows.
Qed.

(* A symmetry, and how the solutions are counted that it leaves unchanged. *)
Record element := {
  image : list nat; names : list int;
  cycles : list (list nat); dropped : list (list nat); where_they_are : list nat;
  its_places : list (list int); its_headings : list (option (int * option hint) * nat) }.

(* An item that is covered exactly once, by one option or another. If a symmetry carries one of these options to
   another, as many solutions have the one as the other, so that one is enough to count. *)
Section Branches.
Variables (p : problem) (x : int).
Let n := length (options p).

Definition covers (i : nat) : bool := 0 <? times x (nth i (options p) []).
Definition covering : list nat := filter covers (seq 0 n).
Definition besides (j i : nat) : bool := negb (i =? j) && covers i.
Definition is_once : bool := existsb (fun it => (name it =? x)%uint63 && (low it =? 1) && (high it =? 1)) (items p).

(* The number of solutions with option i, which is that of an option j that a symmetry carries to it. *)
Definition known (group : list (list nat)) (numbers : list (nat * N)) (i : nat) : option N :=
  option_map snd (find (fun '((j, _) : nat * N) => existsb (fun s => nth j s n =? i) group) numbers).

Fixpoint add_up (number : nat -> option N) (l : list nat) : option N :=
  match l with
  | [] => Some 0%N
  | i :: l => match number i, add_up number l with Some m, Some k => Some (m + k)%N | _, _ => None end
  end.

Definition having (i : nat) (l : list (list bool)) : nat := length (filter (fun c => nth i c false) l).
Definition bit_of (b : bool) : nat := if b then 1 else 0.

Hypothesis Once : is_once = true.

Lemma sum_at_least (f : nat -> nat) a b l : In a l -> In b l -> a <> b -> f a + f b <= sum (map f l).
Proof.
  assert (One : forall y l, In y l -> f y <= sum (map f l)).
  { intros y r. induction r as [|z r IH]; [easy|]. intros [->|I]; cbn; [lia|]. specialize (IH I). lia. }
  induction l as [|z l IH]; [easy|]. intros [->|A] [->|B] D; cbn; [easy| | |specialize (IH A B D); lia].
  - specialize (One b l B). lia.
  - specialize (One a l A). lia.
Qed.

Lemma one_of_them c : solution p c -> sum (map (fun j => bit_of (nth j c false)) covering) = 1.
Proof.
  intros [L S]. unfold is_once in Once. apply existsb_exists in Once as [it [I E]]. repeat rewrite andb_true_iff in E.
  destruct E as [[E1 E2] E3]. apply eqb_correct in E1. apply Nat.eqb_eq in E2, E3. specialize (S it I).
  rewrite E1, E2, E3, covered_sum, (sum_filter _ covers) in S by exact L. fold n in S. fold covering in S.
  rewrite (sum_zero _ (filter (fun i => negb (covers i)) (seq 0 n))), Nat.add_0_r in S.
  - assert (C : forall j, In j covering -> 0 < times x (nth j (options p) [])).
    { intros j J. apply filter_In in J as [_ J]. now apply Nat.ltb_lt. }
    revert C S. generalize covering. intros l C S.
    enough (sum (map (fun j => bit_of (nth j c false)) l) <= 1 /\ 0 < sum (map (fun j => bit_of (nth j c false)) l)) by lia.
    destruct S as [S1 S2]. split.
    + refine (Nat.le_trans _ _ _ _ S2). clear S1 S2. induction l as [|j l IH]; cbn [map sum]; [lia|].
      specialize (C j (or_introl eq_refl)) as J. assert (forall j, In j l -> 0 < times x (nth j (options p) [])) by (intros; apply C; now right).
      specialize (IH H). unfold bit_of at 1. destruct (nth j c false); lia.
    + clear S2. revert S1. induction l as [|j l IH]; cbn [map sum]; [lia|]. intros S.
      unfold bit_of at 1. destruct (nth j c false); [lia|]. cbn [Nat.add]. apply IH; [intros; apply C; now right|lia].
  - intros j J. apply filter_In in J as [_ J]. apply negb_true_iff, Nat.ltb_ge in J. destruct (nth j c false); lia.
Qed.

Lemma number_of_branches l : (forall c, In c l -> solution p c) ->
  length l = sum (map (fun j => having j l) covering).
Proof.
  intros H. rewrite (sum_ext _ (fun j => sum (map (fun c => bit_of (nth j c false)) l))).
  - rewrite <- (sum_swap (fun c j => bit_of (nth j c false))). rewrite (sum_ext _ (fun _ => 1)).
    + clear. induction l; cbn; lia.
    + intros c C. now apply one_of_them, H.
  - intros j _. unfold having. apply length_filter.
Qed.

Lemma branch_spec j c : In j covering -> solution p c ->
  (forall i, besides j i = true -> nth i c false = false) <-> nth j c false = true.
Proof.
  intros J S. pose proof (one_of_them c S) as O. split.
  - intros H. destruct (nth j c false) eqn:E; [reflexivity|]. rewrite sum_zero in O; [discriminate|].
    intros i I. destruct (Nat.eq_dec i j) as [->|D]; [now rewrite E|]. rewrite (H i); [reflexivity|].
    unfold besides. apply filter_In in I as [_ I]. rewrite I. apply Nat.eqb_neq in D. now rewrite D.
  - intros H i B. unfold besides in B. apply andb_true_iff in B as [B1 B2]. apply negb_true_iff, Nat.eqb_neq in B1.
    destruct (nth i c false) eqn:E; [|reflexivity]. exfalso.
    assert (I : In i covering).
    { apply filter_In. split; [|exact B2]. apply in_seq. split; [lia|]. cbn. destruct (Nat.lt_ge_cases i n) as [G|G]; [exact G|].
      rewrite nth_overflow in E; [discriminate|]. destruct S as [S _]. now rewrite S. }
    pose proof (sum_at_least (fun j => bit_of (nth j c false)) i j covering I J B1) as A. cbn beta in A. rewrite E, H in A.
    cbn in A. lia.
Qed.

Lemma carried_number s j l : Permutation s (seq 0 n) -> NoDup l -> (forall c, In c l -> length c = n) ->
  (forall c, In c l -> In (carry s c) l) -> j < n -> having (nth j s n) l = having j l.
Proof.
  intros P N Len In_l J. assert (Ls : length s = n) by (apply Permutation_length in P; now rewrite seq_length in P).
  assert (Q : Permutation (map (carry s) l) l).
  { apply NoDup_Permutation_bis; [|now rewrite map_length|intros c C; apply in_map_iff in C as [d [<- D]]; auto].
    clear In_l. induction N as [|c l C N IH]; cbn; constructor; [|apply IH; intros; apply Len; now right].
    rewrite in_map_iff. intros [d [E D]]. apply (carry_one_to_one n s) in E; [now subst|exact P| |]; apply Len; [now right|now left]. }
  unfold having. rewrite !length_filter. rewrite <- (sum_permuted _ _ (Permutation_map (fun c => if nth j c false then 1 else 0) Q)).
  rewrite map_map. apply sum_ext. intros c C. now rewrite (nth_carry n) by auto.
Qed.

Lemma known_right group numbers l i m :
  (forall s, In s group -> Permutation s (seq 0 n)) -> NoDup l -> (forall c, In c l -> length c = n) ->
  (forall s c, In s group -> In c l -> In (carry s c) l) ->
  (forall j k, In (j, k) numbers -> j < n /\ k = N.of_nat (having j l)) ->
  known group numbers i = Some m -> m = N.of_nat (having i l).
Proof.
  intros P N Len I R H. unfold known in H. destruct (find _ numbers) as [[j k]|] eqn:F; [|discriminate].
  injection H as <-. apply find_some in F as [F E]. apply existsb_exists in E as [s [S E]]. apply Nat.eqb_eq in E.
  destruct (R j k F) as [J ->]. cbn. rewrite <- E. f_equal. symmetry. apply carried_number; auto.
Qed.

Lemma add_up_right number (f : nat -> nat) l t : (forall i m, In i l -> number i = Some m -> m = N.of_nat (f i)) ->
  add_up number l = Some t -> t = N.of_nat (sum (map f l)).
Proof.
  revert t. induction l as [|i l IH]; intros t H E; cbn in E; [now injection E as <-|].
  destruct (number i) as [m|] eqn:M; [|discriminate]. destruct (add_up number l) as [k|]; [|discriminate].
  injection E as <-. cbn [map sum]. rewrite Nat2N.inj_add. f_equal; [apply H; [now left|exact M]|].
  apply IH; [|reflexivity]. intros; apply H; [now right|assumption].
Qed.
End Branches.

Module Orbits (S : SETS).
Include Covers S.

Definition unchanged (p : problem) (left_out : nat -> bool) (e : element) : option N :=
  if good_cycles p left_out (image e) (cycles e) (dropped e) (where_they_are e)
  then count_covers (quotient p (cycles e)) (its_places e) (its_headings e) else None.

Definition none (_ : nat) : bool := false.

Fixpoint unchanged_by_all (p : problem) (es : list element) : option (list N) :=
  match es with
  | [] => Some []
  | e :: es => match unchanged p none e, unchanged_by_all p es with Some n, Some ns => Some (n :: ns) | _, _ => None end
  end.

(* For each option j that is given, and covers item x, the number of solutions with it. *)
Fixpoint branch_numbers (p : problem) (x : int) (parts : list (nat * element)) : option (list (nat * N)) :=
  match parts with
  | [] => Some []
  | (j, e) :: parts =>
      if covers p x j && same_places (image e) (seq 0 (length (options p))) then
        match unchanged p (besides p x j) e, branch_numbers p x parts with
        | Some m, Some ms => Some ((j, m) :: ms)
        | _, _ => None
        end
      else None
  end.

Definition by_branches (p : problem) (group : list (list nat)) (x : int) (parts : list (nat * element)) : option N :=
  if is_once p x then
    match branch_numbers p x parts with
    | Some numbers => add_up (known p group numbers) (covering p x)
    | None => None
    end
  else None.

(* The number of all solutions: by the options of an item, or at once. *)
Definition in_all (p : problem) (group : list (list nat)) (branches : option (int * list (nat * element))) (e : element) :
    option N :=
  match branches with Some (x, parts) => by_branches p group x parts | None => unchanged p none e end.

(* The numbers of all solutions, and of those up to symmetry. *)
Definition count_orbits (p : problem) (branches : option (int * list (nat * element))) (es : list element) : option (N * N) :=
  if is_group (length (options p)) (map image es) && forallb (fun e => good_symmetry p (image e) (names e)) es then
    match es with
    | [] => None
    | e :: rest =>
        match in_all p (map image es) branches e, unchanged_by_all p rest with
        | Some total, Some others => Some (total, N.div (fold_right N.add total others) (N.of_nat (length es)))
        | _, _ => None
        end
    end
  else None.

Lemma left_out_spec p l left_out e n : NoDup l -> (forall c, In c l <-> solution p c) ->
  Permutation (image e) (seq 0 (length (options p))) -> unchanged p left_out e = Some n ->
  exists l', NoDup l' /\ n = N.of_nat (length l') /\
    forall c, In c l' <-> In c l /\ carry (image e) c = c /\ forall i, left_out i = true -> nth i c false = false.
Proof.
  intros N L P H. unfold unchanged in H. destruct (good_cycles _ _ _ _ _ _) eqn:G; [|discriminate].
  apply count_is_right in H. destruct (unchanged_right p left_out (image e) _ _ _ P G n H) as [l' [N' [L' ->]]].
  exists l'. split; [exact N'|]. split; [reflexivity|]. intros c. now rewrite L', L.
Qed.

Lemma unchanged_spec p l : NoDup l -> (forall c, In c l <-> solution p c) -> forall e n,
  Permutation (image e) (seq 0 (length (options p))) -> unchanged p none e = Some n ->
  n = N.of_nat (length (filter (fun c => is (carry (image e) c) c) l)).
Proof.
  intros N L e n P H. destruct (left_out_spec p l none e n N L P H) as [l' [N' [-> L']]]. f_equal.
  apply Permutation_length, NoDup_Permutation; [exact N'|now apply NoDup_filter|].
  intros c. rewrite L', filter_In, is_spec. split; [tauto|]. intros [I C]. split; [exact I|]. split; [exact C|easy].
Qed.

Lemma branches_right p l x : NoDup l -> (forall c, In c l <-> solution p c) -> is_once p x = true ->
  forall parts numbers, branch_numbers p x parts = Some numbers ->
  forall j k, In (j, k) numbers -> j < length (options p) /\ k = N.of_nat (having j l).
Proof.
  intros N L O. induction parts as [|[j0 e] parts IH]; intros numbers H j k I; cbn [branch_numbers] in H; [now injection H as <-|].
  destruct (covers p x j0 && same_places (image e) (seq 0 (length (options p)))) eqn:G; [|discriminate].
  apply andb_true_iff in G as [C G]. apply same_places_spec in G.
  destruct (unchanged p (besides p x j0) e) as [m|] eqn:M; [|discriminate].
  destruct (branch_numbers p x parts) as [ms|]; [|discriminate]. injection H as <-. destruct I as [E|I]; [|now apply (IH ms)].
  injection E as <- <-. assert (J : j0 < length (options p)).
  { destruct (Nat.lt_ge_cases j0 (length (options p))) as [J|J]; [exact J|]. exfalso. unfold covers in C.
    now rewrite nth_overflow in C by exact J. }
  assert (Cov : In j0 (covering p x)) by (apply filter_In; split; [apply in_seq; lia|exact C]).
  split; [exact J|]. assert (P : Permutation (image e) (seq 0 (length (options p)))) by (rewrite G; apply Permutation_refl).
  destruct (left_out_spec p l _ e m N L P M) as [l' [N' [-> L']]]. f_equal. unfold having.
  apply Permutation_length, NoDup_Permutation; [exact N'|now apply NoDup_filter|].
  intros c. rewrite L', filter_In. split.
  - intros [Ic [_ B]]. split; [exact Ic|]. now apply (branch_spec p x O j0 c Cov (proj1 (L c) Ic)).
  - intros [Ic B]. split; [exact Ic|]. split; [|now apply (branch_spec p x O j0 c Cov (proj1 (L c) Ic))].
    apply L in Ic as [Lc _]. rewrite G, <- Lc. apply carry_seq.
Qed.

Theorem orbits_are_right p branches es total orbits : count_orbits p branches es = Some (total, orbits) ->
  right_number p total /\ right_orbits p (map image es) orbits.
Proof.
  unfold count_orbits. destruct (is_group (length (options p)) (map image es) && _) eqn:G; [|discriminate].
  apply andb_true_iff in G as [G S]. rewrite forallb_forall in S.
  assert (Perm : forall e, In e es -> Permutation (image e) (seq 0 (length (options p)))).
  { intros e I. unfold is_group in G. repeat rewrite andb_true_iff in G. destruct G as [[[[_ G2] _] G4] _].
    rewrite forallb_forall in G2, G4. assert (J : In (image e) (map image es)) by now apply in_map.
    specialize (G4 _ J). apply existsb_exists in G4 as [t [T B]].
    apply undone with t; [apply Nat.eqb_eq; auto|apply Nat.eqb_eq; auto|exact B]. }
  destruct es as [|e es]; [discriminate|]. destruct (in_all _ _ _ _) as [n|] eqn:T; [|discriminate].
  destruct (unchanged_by_all p es) as [ns|] eqn:U; [|discriminate]. intros H. injection H as -> <-.
  assert (First : image e = seq 0 (length (options p))).
  { unfold is_group in G. repeat rewrite andb_true_iff in G. destruct G as [[[[G1 _] _] _] _]. now apply same_places_spec. }
  set (l := extensions (items p) (options p) (fun _ => 0)).
  assert (N : NoDup l) by apply extensions_distinct.
  assert (L : forall c, In c l <-> solution p c) by (intros c; apply extensions_spec; intros; lia).
  assert (Sym : forall s c, In s (map image (e :: es)) -> solution p c -> solution p (carry s c)).
  { intros s c I C. apply in_map_iff in I as [e' [<- I]]. apply symmetry_right with (names e'); auto. }
  assert (All : length (filter (fun c => is (carry (image e) c) c) l) = length l).
  { apply Permutation_length, NoDup_Permutation; [now apply NoDup_filter|exact N|]. intros c. rewrite filter_In, is_spec.
    split; [tauto|]. intros I. split; [exact I|]. apply L in I as [Lc _]. rewrite First, <- Lc. apply carry_seq. }
  assert (Total : total = N.of_nat (length l)).
  { destruct branches as [[x parts]|]; cbn [in_all] in T.
    - unfold by_branches in T. destruct (is_once p x) eqn:O; [|discriminate].
      destruct (branch_numbers p x parts) as [numbers|] eqn:B; [|discriminate].
      rewrite (number_of_branches p x O l) by (intros c; apply L).
      apply (add_up_right (known p (map image (e :: es)) numbers)); [|exact T]. intros i m _ K.
      apply (known_right p (map image (e :: es)) numbers l i m); auto.
      + intros s I. apply in_map_iff in I as [e' [<- I]]. auto.
      + intros c C. now apply L in C as [C _].
      + intros s c I C. apply L, Sym; [exact I|]. now apply L.
      + exact (branches_right p l x N L O parts numbers B).
    - rewrite <- All. apply (unchanged_spec p l N L e total); [apply Perm; now left|exact T]. }
  split; [now exists l|].
  destruct (burnside p (map image (e :: es)) l G) as [k [K Sum]]; auto.
  assert (A : forall es' ns', unchanged_by_all p es' = Some ns' ->
    (forall e', In e' es' -> Permutation (image e') (seq 0 (length (options p)))) ->
    fold_right N.add 0%N ns' = N.of_nat (sum (map (fun s => length (filter (fun c => is (carry s c) c) l)) (map image es')))).
  { induction es' as [|e' es' IH]; intros ns' E Q; cbn in E.
    - injection E as <-. reflexivity.
    - destruct (unchanged p none e') as [m|] eqn:M; [|discriminate]. destruct (unchanged_by_all p es') as [ms|]; [|discriminate].
      injection E as <-. cbn [fold_right map sum]. rewrite Nat2N.inj_add. rewrite (IH ms eq_refl).
      + f_equal. apply (unchanged_spec p l N L e' m); [apply Q; now left|exact M].
      + intros e0 I0. apply Q. now right. }
  assert (B : fold_right N.add total ns = (total + fold_right N.add 0 ns)%N).
  { clear. induction ns as [|y ns IH]; cbn; [lia|]. rewrite IH. lia. }
  rewrite B, (A _ _ U) by (intros e' I; apply Perm; now right). rewrite Total, <- All, <- Nat2N.inj_add.
  rewrite map_length in Sum. cbn [map sum length] in Sum. rewrite Sum, Nat2N.inj_mul.
  change (N.pos (Pos.of_succ_nat (length es))) with (N.of_nat (Datatypes.S (length es))).
  rewrite N.mul_comm, N.div_mul; [exact K|]. rewrite Nat2N.inj_succ. apply N.neq_succ_0.
Qed.
End Orbits.
