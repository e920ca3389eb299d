(* Exact covers, counted without listing them: what is counted, and the proof that the number is right. *)
From Coq Require Import ZArith NArith List Bool Lia Arith Uint63.
From Verified Require Import Search.
Import ListNotations.

(* What is counted. Items have names, and bounds on how many of the chosen options cover them. An option is the list
   of the items that it covers; an item that stands in it twice is covered twice. *)
Record item := { name : int; low : nat; high : nat }.
Record problem := { items : list item; options : list (list int) }.

Fixpoint times (x : int) (o : list int) : nat :=
  match o with
  | [] => 0
  | y :: o => (if (x =? y)%uint63 then 1 else 0) + times x o
  end.

(* A choice says of each option whether it is chosen. *)
Fixpoint covered (x : int) (os : list (list int)) (c : list bool) : nat :=
  match os, c with
  | o :: os, b :: c => (if b then times x o else 0) + covered x os c
  | _, _ => 0
  end.

Definition solution (p : problem) (c : list bool) : Prop :=
  length c = length (options p) /\
  forall it, In it (items p) -> low it <= covered (name it) (options p) c <= high it.

(* A number is right if it is the length of a list that has every solution once. *)
Definition right_number (p : problem) (n : N) : Prop :=
  exists solutions : list (list bool),
    NoDup solutions /\ (forall c, In c solutions <-> solution p c) /\ n = N.of_nat (length solutions).

(* All choices that go on from how often each item is covered so far. *)
Definition add (o : list int) (v : int -> nat) : int -> nat := fun x => v x + times x o.

Definition fits (its : list item) (o : list int) (v : int -> nat) : bool :=
  forallb (fun it => v (name it) + times (name it) o <=? high it) its.

Fixpoint extensions (its : list item) (os : list (list int)) (v : int -> nat) : list (list bool) :=
  match os with
  | [] => if forallb (fun it => low it <=? v (name it)) its then [[]] else []
  | o :: os =>
      map (cons false) (extensions its os v) ++
      (if fits its o v then map (cons true) (extensions its os (add o v)) else [])
  end.

Lemma NoDup_map_cons (b : bool) l : NoDup l -> NoDup (map (cons b) l).
Proof.
  intros H. induction H as [|x l Hx H IH]; cbn; constructor; [|assumption].
  rewrite in_map_iff. intros [y [E Hy]]. congruence.
Qed.

Lemma NoDup_apart {A} (l1 l2 : list A) : NoDup l1 -> NoDup l2 -> (forall x, In x l1 -> ~ In x l2) -> NoDup (l1 ++ l2).
Proof.
  intros H1 H2 H. induction H1 as [|x l Hx H1 IH]; [assumption|]. cbn. constructor.
  - rewrite in_app_iff. intros [Y|Y]; [easy|]. now apply (H x (or_introl eq_refl)).
  - apply IH. intros y Y. apply H. now right.
Qed.

Lemma NoDup_end {A} (l1 l2 : list A) : NoDup (l1 ++ l2) -> NoDup l2.
Proof. induction l1 as [|x l1 IH]; cbn; intros H; [exact H|]. apply NoDup_cons_iff in H as [_ H]. auto. Qed.

Lemma extensions_distinct its os : forall v, NoDup (extensions its os v).
Proof.
  induction os as [|o os IH]; intros v; cbn [extensions].
  - destruct (forallb _ _); repeat constructor. easy.
  - destruct (fits its o v); [|rewrite app_nil_r; now apply NoDup_map_cons].
    apply NoDup_apart; try now apply NoDup_map_cons.
    intros x Hx Hy. rewrite in_map_iff in Hx, Hy. destruct Hx as [? [<- _]], Hy as [? [E _]]. discriminate.
Qed.

Lemma extensions_spec its os : forall v c, (forall it, In it its -> v (name it) <= high it) ->
  In c (extensions its os v) <->
  length c = length os /\ forall it, In it its -> low it <= v (name it) + covered (name it) os c <= high it.
Proof.
  induction os as [|o os IH]; intros v c B; cbn [extensions].
  - destruct (forallb _ _) eqn:E.
    + rewrite forallb_forall in E. split.
      * intros [<-|[]]. split; [reflexivity|]. intros it I. specialize (E it I). apply Nat.leb_le in E.
        specialize (B it I). cbn. lia.
      * intros [L _]. destruct c; [now left|discriminate].
    + split; [easy|]. intros [L H]. destruct c; [|discriminate]. exfalso. apply not_true_iff_false in E. apply E.
      apply forallb_forall. intros it I. apply Nat.leb_le. specialize (H it I). cbn in H. lia.
  - rewrite in_app_iff, in_map_iff. split.
    + intros [[d [<- Hd]]|H].
      * apply IH in Hd as [L H]; [|assumption]. split; [cbn; now rewrite L|]. exact H.
      * destruct (fits its o v) eqn:F; [|easy]. unfold fits in F. rewrite forallb_forall in F.
        apply in_map_iff in H as [d [<- Hd]]. apply IH in Hd as [L H].
        -- split; [cbn; now rewrite L|]. intros it I. specialize (H it I). unfold add in H. cbn [covered]. lia.
        -- intros it I. specialize (F it I). apply Nat.leb_le in F. exact F.
    + intros [L H]. destruct c as [|[] c]; [discriminate| |].
      * right. assert (F : fits its o v = true).
        { apply forallb_forall. intros it I. apply Nat.leb_le. specialize (H it I). cbn [covered] in H. lia. }
        rewrite F. apply in_map_iff. exists c. split; [reflexivity|]. apply IH.
        -- intros it I. unfold fits in F. rewrite forallb_forall in F. specialize (F it I). now apply Nat.leb_le in F.
        -- split; [now injection L|]. intros it I. specialize (H it I). unfold add. cbn [covered] in H. lia.
      * left. exists c. split; [reflexivity|]. apply IH; [assumption|]. split; [now injection L|].
        intros it I. apply (H it I).
Qed.

Lemma extensions_right p n : n = N.of_nat (length (extensions (items p) (options p) (fun _ => 0))) -> right_number p n.
Proof.
  intros E. exists (extensions (items p) (options p) (fun _ => 0)). split; [apply extensions_distinct|]. split; [|exact E].
  intros c. apply extensions_spec. intros; lia.
Qed.

(* Items in places: an item that may be covered up to n times has n places, which are covered from the first on. *)
Module Covers (S : SETS).
Include Counter S.

Definition coded := list (item * list int).

Fixpoint distinct_places (xs : list int) (used : S.t) : bool :=
  match xs with
  | [] => true
  | x :: xs => S.fits x && S.disjoint used (S.single x) && distinct_places xs (S.union used (S.single x))
  end.

Fixpoint distinct_names (its : list item) : bool :=
  match its with
  | [] => true
  | it :: its => forallb (fun other => negb (name other =? name it)%uint63) its && distinct_names its
  end.

Definition well_coded (cs : coded) : bool :=
  forallb (fun '((it, xs) : item * list int) => (length xs =? high it) && (low it <=? high it)) cs &&
  distinct_names (map fst cs) && distinct_places (concat (map snd cs)) S.empty.

Fixpoint places_of (cs : coded) (x : int) : option (list int) :=
  match cs with
  | [] => None
  | (it, xs) :: cs => if (name it =? x)%uint63 then Some xs else places_of cs x
  end.

Definition singles (xs : list int) (s : S.t) : S.t := fold_right (fun x s => S.union (S.single x) s) s xs.

Definition must_of (cs : coded) : S.t :=
  singles (concat (map (fun '((it, xs) : item * list int) => firstn (low it) xs) cs)) S.empty.

(* The items of an option that have one place go into its base, once; the others are bumps. *)
Fixpoint with_base (cs : coded) (o : list int) (base : S.t) (later : list int) : S.t * list int :=
  match o with
  | [] => (base, later)
  | x :: o =>
      match places_of cs x with
      | Some [place] =>
          if S.disjoint base (S.single place) then with_base cs o (S.union base (S.single place)) later
          else with_base cs o base (x :: later)
      | _ => with_base cs o base (x :: later)
      end
  end.

Fixpoint with_bumps (cs : coded) (o : list int) (bumps : list (list S.t)) : option (list (list S.t)) :=
  match o with
  | [] => Some bumps
  | x :: o =>
      match places_of cs x with
      | Some places => with_bumps cs o (bumps ++ [map S.single places])
      | None => None
      end
  end.

Definition encode (cs : coded) (o : list int) : option move :=
  let (base, later) := with_base cs o S.empty [] in
  match with_bumps cs later [] with Some bumps => Some {| base := base; bumps := bumps |} | None => None end.

Fixpoint encode_all (cs : coded) (os : list (list int)) : option (list move) :=
  match os with
  | [] => Some []
  | o :: os =>
      match encode cs o, encode_all cs os with Some m, Some ms => Some (m :: ms) | _, _ => None end
  end.

(* So many moves make a layer, as those that cover a place, or one by one. *)
Definition heading := (option (int * option hint) * nat)%type.

Definition pocket_of (h : hint) : pocket :=
  {| shift := from h; cells := neighbours h; area := board h;
     inner := fold_right (fun '((b, _) : int * int) x => (b lor x)%uint63) 0%uint63 (neighbours h);
     special := singles (marks h) S.empty; sizes := after h; sizes_before := before h |}.

Fixpoint split (hs : list heading) (ms : list move) : list layer :=
  match hs with
  | [] => map Single ms
  | (None, n) :: hs => map Single (firstn n ms) ++ split hs (skipn n ms)
  | (Some (x, p), n) :: hs => Group (S.single x) (firstn n ms) (option_map pocket_of p) :: split hs (skipn n ms)
  end.

(* places: of each item. Nothing that is given besides the problem need be believed. *)
Definition count_covers (p : problem) (places : list (list int)) (hs : list heading) : option N :=
  let cs := combine (items p) places in
  if (length places =? length (items p)) && well_coded cs then
    match encode_all cs (options p) with
    | Some ms => count (must_of cs) (split hs ms)
    | None => None
    end
  else None.

(* Why it is right. *)
Lemma moves_split hs : forall ms, moves (split hs ms) = ms.
Proof.
  assert (M : forall ms, moves (map Single ms) = ms) by (induction ms as [|m ms IH]; cbn; [|unfold moves in IH; rewrite IH]; reflexivity).
  induction hs as [|[[[x p]|] n] hs IH]; intros ms; cbn [split]; [apply M| |]; unfold moves in *.
  - cbn [flat_map moves_of]. rewrite IH. apply firstn_skipn.
  - rewrite flat_map_app, M, IH. apply firstn_skipn.
Qed.

Lemma disjoint_single s x : S.fits x = true -> S.disjoint s (S.single x) = negb (S.mem s x).
Proof.
  intros F. apply eq_true_iff_eq. rewrite S.disjoint_spec, negb_true_iff. split.
  - intros H. specialize (H x). rewrite S.mem_single in H by assumption.
    replace (x =? x)%uint63 with true in H by (symmetry; now apply eqb_spec). now rewrite andb_true_r in H.
  - intros H i. rewrite S.mem_single by assumption. destruct (x =? i)%uint63 eqn:E; [|apply andb_false_r].
    apply eqb_correct in E. subst i. now rewrite H.
Qed.

Lemma distinct_spec xs : forall used, distinct_places xs used = true ->
  (forall x, In x xs -> S.fits x = true /\ S.mem used x = false) /\ NoDup xs.
Proof.
  induction xs as [|x xs IH]; intros used H; [split; [easy|constructor]|]. cbn in H.
  apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2]. rewrite disjoint_single in H2 by assumption.
  apply negb_true_iff in H2. destruct (IH _ H3) as [I N]. split.
  - intros y [<-|Y]; [auto|]. destruct (I y Y) as [Fy M]. split; [exact Fy|]. rewrite S.mem_union in M.
    now apply orb_false_iff in M.
  - constructor; [|exact N]. intros X. destruct (I x X) as [_ M].
    rewrite S.mem_union, S.mem_single in M by assumption. apply orb_false_iff in M as [_ M].
    apply not_true_iff_false in M. apply M. now apply eqb_spec.
Qed.

Section Coding.
Variable cs : coded.
Hypothesis Well : well_coded cs = true.

Let its := map fst cs.

Lemma all_places : NoDup (concat (map snd cs)) /\ forall it xs x, In (it, xs) cs -> In x xs -> S.fits x = true.
Proof.
  unfold well_coded in Well. apply andb_true_iff in Well as [_ D]. apply distinct_spec in D as [D1 D2].
  split; [exact D2|]. intros it xs x I X. apply D1, in_concat. exists xs. split; [|exact X].
  apply in_map_iff. now exists (it, xs).
Qed.

Lemma bounds_of it xs : In (it, xs) cs -> length xs = high it /\ low it <= high it.
Proof.
  intros I. unfold well_coded in Well. repeat rewrite andb_true_iff in Well. destruct Well as [[H _] _].
  rewrite forallb_forall in H. specialize (H _ I). cbn in H. apply andb_true_iff in H as [A B].
  apply Nat.eqb_eq in A. apply Nat.leb_le in B. auto.
Qed.

(* A place belongs to one item, and has one number there. *)
Lemma one_owner (l : coded) : NoDup (concat (map snd l)) -> forall it xs it' xs' j j' x,
  In (it, xs) l -> In (it', xs') l -> nth_error xs j = Some x -> nth_error xs' j' = Some x -> (it, xs) = (it', xs') /\ j = j'.
Proof.
  induction l as [|[it0 xs0] l IH]; intros N it xs it' xs' j j' x I I' X X'; [easy|]. cbn in N.
  assert (Out : forall it xs k, In (it, xs) l -> nth_error xs k = Some x -> ~ In x xs0).
  { intros a b k Ia Ib Ix.
    assert (In x (concat (map snd l))) by (apply in_concat; exists b; split; [apply in_map_iff; now exists (a, b)|eapply nth_error_In; eauto]).
    clear - N Ix H. induction xs0 as [|y ys IHy]; [easy|]. cbn in N. apply NoDup_cons_iff in N as [N1 N2].
    destruct Ix as [->|Ix]; [|auto]. apply N1, in_app_iff. auto. }
  destruct I as [E|I], I' as [E'|I'].
  - rewrite E in E'. split; [exact E'|]. injection E as -> ->. injection E' as _ ->.
    assert (Nx : NoDup xs').
    { clear - N. induction xs' as [|y ys IHy]; [constructor|]. cbn in N. apply NoDup_cons_iff in N as [N1 N2].
      constructor; [|auto]. intros Y. apply N1, in_app_iff. auto. }
    rewrite NoDup_nth_error in Nx. apply Nx; [|congruence]. apply nth_error_Some. congruence.
  - exfalso. injection E as -> ->. apply (Out _ _ _ I' X'). eapply nth_error_In; eauto.
  - exfalso. injection E' as -> ->. apply (Out _ _ _ I X). eapply nth_error_In; eauto.
  - apply NoDup_end in N. eapply IH; eauto.
Qed.

Lemma places_in l x xs : places_of l x = Some xs -> exists it, In (it, xs) l /\ name it = x.
Proof.
  induction l as [|[it ys] l IH]; cbn; [discriminate|]. destruct (name it =? x)%uint63 eqn:E.
  - intros H. injection H as ->. apply eqb_correct in E. exists it. auto.
  - intros H. destruct (IH H) as [it' [I N]]. exists it'. auto.
Qed.

Lemma distinct_names_spec l it it' : distinct_names l = true -> In it l -> In it' l -> name it = name it' -> it = it'.
Proof.
  induction l as [|a l IH]; cbn; [easy|]. intros H. apply andb_true_iff in H as [H1 H2]. rewrite forallb_forall in H1.
  assert (G : forall b, In b l -> name b = name a -> False).
  { intros b B E. specialize (H1 b B). rewrite E in H1. apply negb_true_iff, not_true_iff_false in H1. apply H1. now apply eqb_spec. }
  intros [<-|I] [<-|I'] E; auto; exfalso; eauto.
Qed.

Lemma item_of_name it it' xs xs' : In (it, xs) cs -> In (it', xs') cs -> name it = name it' -> it = it'.
Proof.
  intros I I' E. unfold well_coded in Well. repeat rewrite andb_true_iff in Well. destruct Well as [[_ D] _].
  apply (distinct_names_spec _ _ _ D); [exact (in_map fst _ _ I)|exact (in_map fst _ _ I')|exact E].
Qed.

(* A state stands for how often each item is covered. *)
Definition stands (s : S.t) (v : int -> nat) : Prop :=
  forall it xs, In (it, xs) cs -> v (name it) <= high it /\
    forall j x, nth_error xs j = Some x -> S.mem s x = (j <? v (name it)).

Lemma stands_ext s t v w : (forall i, S.mem s i = S.mem t i) -> (forall x, v x = w x) -> stands s v -> stands t w.
Proof. intros E F H it xs I. destruct (H it xs I) as [H1 H2]. rewrite <- F. split; [exact H1|]. intros j x X. rewrite <- E. eauto. Qed.

Lemma bump_finds s n xs : forall k, (forall x, In x xs -> S.fits x = true) -> k <= n ->
  (forall j x, nth_error xs j = Some x -> S.mem s x = (k + j <? n)) ->
  match nth_error xs (n - k) with
  | Some x => bump s (map S.single xs) = Some (S.union s (S.single x))
  | None => bump s (map S.single xs) = None
  end.
Proof.
  induction xs as [|x xs IH]; intros k F K H; cbn [map bump]; [now destruct (n - k)|].
  rewrite disjoint_single by (apply F; now left). rewrite (H 0 x eq_refl), Nat.add_0_r.
  destruct (k <? n) eqn:L; cbn [negb].
  - apply Nat.ltb_lt in L. replace (n - k) with (Datatypes.S (n - Datatypes.S k)) by lia. cbn [nth_error]. apply IH; [intros; apply F; now right|lia|].
    intros j y Y. rewrite (H (Datatypes.S j) y Y). f_equal. lia.
  - apply Nat.ltb_ge in L. replace (n - k) with 0 by lia. reflexivity.
Qed.

Definition once (x : int) : list int := [x].

Lemma times_once x y : times x (once y) = if (x =? y)%uint63 then 1 else 0.
Proof. cbn. lia. Qed.

(* A bump is one more time that its item is covered, or there is no room for that. *)
Lemma bump_covers s v x xs : stands s v -> places_of cs x = Some xs ->
  match bump s (map S.single xs) with
  | Some t => stands t (add (once x) v)
  | None => fits its (once x) v = false
  end.
Proof.
  intros H P. destruct (places_in _ _ _ P) as [it [I <-]]. destruct (H it xs I) as [H1 H2]. destruct all_places as [ND Fit].
  destruct (bounds_of _ _ I) as [Len _].
  pose proof (bump_finds s (v (name it)) xs 0 (fun x => Fit it xs x I) (Nat.le_0_l _) H2) as B.
  rewrite Nat.sub_0_r in B. destruct (nth_error xs (v (name it))) as [y|] eqn:Y; rewrite B.
  - assert (Fy : S.fits y = true) by (apply (Fit it xs y I); eapply nth_error_In; eauto).
    assert (Lt : v (name it) < high it) by (rewrite <- Len; apply nth_error_Some; congruence).
    intros it' xs' I'. destruct (H it' xs' I') as [H1' H2']. unfold add. rewrite times_once. split.
    + destruct (name it' =? name it)%uint63 eqn:E; [|lia]. apply eqb_correct in E.
      rewrite (item_of_name it' it xs' xs I' I E). lia.
    + intros j z Z. rewrite S.mem_union, S.mem_single by assumption. rewrite (H2' j z Z).
      destruct (y =? z)%uint63 eqn:E.
      * apply eqb_correct in E. subst z. destruct (one_owner cs ND _ _ _ _ _ _ _ I I' Y Z) as [Same Num].
        injection Same as <- <-. subst j. replace (name it =? name it)%uint63 with true by (symmetry; now apply eqb_spec).
        rewrite orb_true_r. symmetry. apply Nat.ltb_lt. lia.
      * rewrite orb_false_r. destruct (name it' =? name it)%uint63 eqn:E'; [|f_equal; lia].
        apply eqb_correct in E'. pose proof (item_of_name it' it xs' xs I' I E') as ->.
        destruct (Nat.eq_dec j (v (name it))) as [->|Ne].
        -- exfalso. assert (xs = xs') as <-.
           { clear - ND I I' Y Z E Len Well. destruct (bounds_of _ _ I') as [Len' _].
             destruct xs as [|a xs]; [destruct (v (name it)); discriminate|].
             destruct xs' as [|a' xs']; [destruct (v (name it)); discriminate|].
             assert (D : distinct_names (map fst cs) = true) by (unfold well_coded in Well; repeat rewrite andb_true_iff in Well; tauto).
             clear - D I I'. revert D I I'. induction cs as [|[b bs] l IH]; cbn; [easy|]. intros D.
             apply andb_true_iff in D as [D1 D2]. rewrite forallb_forall in D1.
             assert (G : forall q, In (it, q) l -> name it = name b -> False).
             { intros q Q E. specialize (D1 it (in_map fst _ _ Q)). apply negb_true_iff, not_true_iff_false in D1.
               apply D1. now apply eqb_spec. }
             intros [E|I] [E'|I'].
             - congruence.
             - exfalso. injection E as <- _. eauto.
             - exfalso. injection E' as <- _. eauto.
             - auto. }
           rewrite Y in Z. injection Z as <-. apply not_true_iff_false in E. apply E. now apply eqb_spec.
        -- destruct (Nat.ltb_spec j (v (name it))), (Nat.ltb_spec j (v (name it) + 1)); auto; lia.
  - apply nth_error_None in Y. apply not_true_iff_false. unfold fits. rewrite forallb_forall. intros F.
    specialize (F it (in_map fst _ _ I)). rewrite times_once in F.
    replace (name it =? name it)%uint63 with true in F by (symmetry; now apply eqb_spec). apply Nat.leb_le in F. lia.
Qed.

Lemma fits_more o o' v : (forall x, times x o <= times x o') -> fits its o v = false -> fits its o' v = false.
Proof.
  intros L F. apply not_true_iff_false. intros G. apply not_true_iff_false in F. apply F. unfold fits in *.
  rewrite forallb_forall in *. intros it I. specialize (G it I). apply Nat.leb_le in G. apply Nat.leb_le.
  specialize (L (name it)). lia.
Qed.

(* A move stands for a list of items. *)
Definition means (m : move) (o : list int) : Prop := forall s v, stands s v ->
  match take s m with Some t => stands t (add o v) | None => fits its o v = false end.

Lemma means_ext m o o' : (forall x, times x o = times x o') -> means m o -> means m o'.
Proof.
  intros E M s v H. specialize (M s v H). destruct (take s m) as [t|].
  - eapply stands_ext; [reflexivity| |exact M]. intros x. unfold add. now rewrite E.
  - eapply fits_more; [|exact M]. intros x. rewrite E. lia.
Qed.

Lemma bump_all_app one two : forall s,
  bump_all s (one ++ two) = match bump_all s one with Some t => bump_all t two | None => None end.
Proof.
  induction one as [|p one IH]; intros s; [reflexivity|]. cbn. destruct (bump s p); [apply IH|reflexivity].
Qed.

Lemma means_bump b bs o x xs : means {| base := b; bumps := bs |} o -> places_of cs x = Some xs ->
  means {| base := b; bumps := bs ++ [map S.single xs] |} (x :: o).
Proof.
  intros M P s v H. specialize (M s v H). unfold take in *. cbn [base bumps] in *.
  destruct (S.disjoint s b); [|eapply fits_more; [|exact M]; intros y; cbn; lia].
  rewrite bump_all_app. destruct (bump_all (S.union s b) bs) as [t|]; [|eapply fits_more; [|exact M]; intros y; cbn; lia].
  cbn [bump_all]. pose proof (bump_covers t (add o v) x xs M P) as B. destruct (bump t (map S.single xs)) as [u|].
  - eapply stands_ext; [reflexivity| |exact B]. intros y. unfold add. cbn. lia.
  - clear - B. unfold fits in *. apply not_true_iff_false. intros G. apply not_true_iff_false in B. apply B.
    rewrite forallb_forall in *. intros it I. specialize (G it I). apply Nat.leb_le in G. apply Nat.leb_le. unfold add. cbn in *. lia.
Qed.

Lemma means_base b o x y : means {| base := b; bumps := [] |} o -> places_of cs x = Some [y] ->
  S.disjoint b (S.single y) = true -> means {| base := S.union b (S.single y); bumps := [] |} (x :: o).
Proof.
  intros M P D s v H. pose proof (means_bump b [] o x [y] M P s v H) as G. unfold take in *.
  cbn [base bumps app map bump_all bump] in *.
  destruct (places_in _ _ _ P) as [it [I _]]. destruct all_places as [_ Fit].
  assert (Fy : S.fits y = true) by (apply (Fit it [y] y I); now left).
  rewrite disjoint_single in D by assumption. apply negb_true_iff in D.
  assert (E : S.disjoint s (S.union b (S.single y)) = S.disjoint s b && S.disjoint (S.union s b) (S.single y)).
  { rewrite disjoint_single by assumption. rewrite S.mem_union, D, orb_false_r. apply eq_true_iff_eq.
    rewrite andb_true_iff, negb_true_iff, !S.disjoint_spec. split.
    - intros A. split.
      + intros i. specialize (A i). rewrite S.mem_union in A. destruct (S.mem s i), (S.mem b i); auto.
      + specialize (A y). rewrite S.mem_union, S.mem_single in A by assumption.
        replace (y =? y)%uint63 with true in A by (symmetry; now apply eqb_spec). now rewrite orb_true_r, andb_true_r in A.
    - intros [A B] i. specialize (A i). rewrite S.mem_union, S.mem_single by assumption.
      destruct (y =? i)%uint63 eqn:Y; [apply eqb_correct in Y; subst i; now rewrite B|]. now rewrite orb_false_r. }
  rewrite E. destruct (S.disjoint s b); cbn [andb]; [|exact G].
  destruct (S.disjoint (S.union s b) (S.single y)); [|exact G].
  eapply stands_ext; [|reflexivity|exact G]. intros i. rewrite !S.mem_union. now rewrite orb_assoc.
Qed.

Lemma times_app x a b : times x (a ++ b) = times x a + times x b.
Proof. induction a as [|y a IH]; [reflexivity|]. cbn. rewrite IH. lia. Qed.

Lemma with_base_means o : forall b later base' later' so_far,
  means {| base := b; bumps := [] |} so_far -> with_base cs o b later = (base', later') ->
  exists taken, means {| base := base'; bumps := [] |} taken /\
    forall x, times x taken + times x later' = times x so_far + times x later + times x o.
Proof.
  induction o as [|x o IH]; intros b later base' later' so_far M E; cbn in E.
  - injection E as <- <-. exists so_far. split; [exact M|]. intros y. cbn. lia.
  - assert (Skip : with_base cs o b (x :: later) = (base', later') -> exists taken, means {| base := base'; bumps := [] |} taken /\
      forall y, times y taken + times y later' = times y so_far + times y later + times y (x :: o)).
    { intros F. destruct (IH _ _ _ _ _ M F) as [taken [T1 T2]]. exists taken. split; [exact T1|]. intros y.
      specialize (T2 y). cbn in *. lia. }
    destruct (places_of cs x) as [[|y [|z zs]]|] eqn:P; auto.
    destruct (S.disjoint b (S.single y)) eqn:D; auto.
    destruct (IH _ _ _ _ _ (means_base _ _ _ _ M P D) E) as [taken [T1 T2]]. exists taken. split; [exact T1|].
    intros z. specialize (T2 z). cbn in *. lia.
Qed.

Lemma with_bumps_means o : forall b bs bs' so_far,
  means {| base := b; bumps := bs |} so_far -> with_bumps cs o bs = Some bs' ->
  exists taken, means {| base := b; bumps := bs' |} taken /\ forall x, times x taken = times x so_far + times x o.
Proof.
  induction o as [|x o IH]; intros b bs bs' so_far M E; cbn in E.
  - injection E as <-. exists so_far. split; [exact M|]. intros y. cbn. lia.
  - destruct (places_of cs x) as [xs|] eqn:P; [|discriminate].
    destruct (IH _ _ _ _ (means_bump _ _ _ _ _ M P) E) as [taken [T1 T2]]. exists taken. split; [exact T1|].
    intros y. specialize (T2 y). cbn in *. lia.
Qed.

Lemma means_nothing : means {| base := S.empty; bumps := [] |} [].
Proof.
  intros s v H. unfold take. cbn [base bumps bump_all].
  assert (S.disjoint s S.empty = true) as -> by (apply S.disjoint_spec; intros i; rewrite S.mem_empty; apply andb_false_r).
  eapply stands_ext; [| |exact H].
  - intros i. now rewrite S.mem_union, S.mem_empty, orb_false_r.
  - intros x. unfold add. cbn. lia.
Qed.

Lemma encode_means o m : encode cs o = Some m -> means m o.
Proof.
  unfold encode. destruct (with_base cs o S.empty []) as [b later] eqn:B. destruct (with_bumps cs later []) as [bs|] eqn:E; [|discriminate].
  intros H. injection H as <-. destruct (with_base_means _ _ _ _ _ _ means_nothing B) as [t1 [M1 T1]].
  destruct (with_bumps_means _ _ _ _ _ M1 E) as [t2 [M2 T2]]. eapply means_ext; [|exact M2].
  intros x. specialize (T1 x). specialize (T2 x). cbn in T1. lia.
Qed.

Lemma mem_singles xs s i : (forall x, In x xs -> S.fits x = true) ->
  S.mem (singles xs s) i = existsb (fun x => (x =? i)%uint63) xs || S.mem s i.
Proof.
  unfold singles. induction xs as [|x xs IH]; intros F; cbn [fold_right existsb]; [reflexivity|].
  rewrite S.mem_union, S.mem_single, IH by (intros; apply F; cbn; auto). now rewrite orb_assoc.
Qed.

Lemma In_firstn {A} (x : A) n l : In x (firstn n l) -> exists j, j < n /\ nth_error l j = Some x.
Proof.
  revert l. induction n as [|n IH]; intros [|y l]; cbn; try easy. intros [->|I].
  - exists 0. split; [lia|reflexivity].
  - destruct (IH l I) as [j [J N]]. exists (Datatypes.S j). split; [lia|exact N].
Qed.

Lemma must_spec s v : stands s v -> S.within (must_of cs) s = forallb (fun it => low it <=? v (name it)) its.
Proof.
  intros H. destruct all_places as [_ Fit]. apply eq_true_iff_eq. rewrite S.within_spec, forallb_forall.
  assert (F : forall x, In x (concat (map (fun '((it, xs) : item * list int) => firstn (low it) xs) cs)) ->
    exists it xs j, In (it, xs) cs /\ j < low it /\ nth_error xs j = Some x).
  { intros x X. apply in_concat in X as [l [L X]]. apply in_map_iff in L as [[it xs] [<- I]].
    destruct (In_firstn _ _ _ X) as [j [J N]]. exists it, xs, j. auto. }
  assert (M : forall i, S.mem (must_of cs) i = existsb (fun x => (x =? i)%uint63)
    (concat (map (fun '((it, xs) : item * list int) => firstn (low it) xs) cs))).
  { intros i. unfold must_of. rewrite mem_singles, S.mem_empty; [apply orb_false_r|]. intros x X.
    destruct (F x X) as [it [xs [j [I [_ N]]]]]. apply (Fit it xs x I). eapply nth_error_In; eauto. }
  split.
  - intros W it I. apply in_map_iff in I as [[it' xs] [E I]]. cbn in E. subst it'. apply Nat.leb_le.
    destruct (Nat.le_gt_cases (low it) (v (name it))) as [L|L]; [exact L|]. exfalso.
    destruct (H it xs I) as [H1 H2]. destruct (bounds_of _ _ I) as [Len Lh].
    destruct (nth_error xs (v (name it))) as [x|] eqn:X; [|apply nth_error_None in X; lia].
    assert (Mx : S.mem (must_of cs) x = true).
    { rewrite M. apply existsb_exists. exists x. split; [|now apply eqb_spec]. apply in_concat.
      exists (firstn (low it) xs). split; [apply in_map_iff; now exists (it, xs)|].
      rewrite <- (firstn_skipn (low it) xs) in X. rewrite nth_error_app1 in X; [eapply nth_error_In; eauto|].
      rewrite firstn_length. lia. }
    specialize (W x Mx). rewrite (H2 _ _ X) in W. apply Nat.ltb_lt in W. lia.
  - intros W i Mi. rewrite M in Mi. apply existsb_exists in Mi as [x [X E]]. apply eqb_correct in E. subst i.
    destruct (F x X) as [it [xs [j [I [J N]]]]]. destruct (H it xs I) as [_ H2]. rewrite (H2 j x N). apply Nat.ltb_lt.
    specialize (W it (in_map fst _ _ I)). apply Nat.leb_le in W. lia.
Qed.

Lemma ways_extensions os : forall ms, encode_all cs os = Some ms -> forall s v, stands s v ->
  ways (must_of cs) ms s = N.of_nat (length (extensions its os v)).
Proof.
  induction os as [|o os IH]; intros ms E s v H; cbn [encode_all] in E.
  - injection E as <-. cbn [ways extensions]. rewrite (must_spec s v H). now destruct (forallb _ _).
  - destruct (encode cs o) as [m|] eqn:M; [|discriminate]. destruct (encode_all cs os) as [ms'|]; [|discriminate].
    injection E as <-. cbn [ways extensions]. rewrite app_length, map_length, Nat2N.inj_add, (IH _ eq_refl s v H). f_equal.
    pose proof (encode_means o m M s v H) as T. destruct (take s m) as [t|].
    + assert (F : fits its o v = true).
      { apply forallb_forall. intros it I. apply in_map_iff in I as [[it' xs] [E I]]. cbn in E. subst it'.
        apply Nat.leb_le. apply (T it xs I). }
      rewrite F, map_length. now apply IH.
    + now rewrite T.
Qed.
End Coding.

Theorem count_is_right p places hs n : count_covers p places hs = Some n -> right_number p n.
Proof.
  unfold count_covers. set (cs := combine (items p) places). destruct ((length places =? length (items p)) && well_coded cs) eqn:W; [|discriminate].
  apply andb_true_iff in W as [L W]. apply Nat.eqb_eq in L. destruct (encode_all cs (options p)) as [ms|] eqn:E; [|discriminate].
  intros C. apply count_ways in C. rewrite moves_split in C. apply extensions_right.
  assert (F : map fst cs = items p).
  { unfold cs. clear - L. revert places L. induction (items p) as [|it l IH]; intros [|x places] L; try discriminate; [reflexivity|].
    cbn. f_equal. apply IH. now injection L. }
  rewrite C, (ways_extensions cs W (options p) ms E S.empty (fun _ => 0)); [now rewrite F|].
  intros it xs I. split; [lia|]. intros j x X. now rewrite S.mem_empty.
Qed.
End Covers.
