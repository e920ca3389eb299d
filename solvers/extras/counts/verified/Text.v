(* A cover as a text, in Knuth's format: what the text says, and the proof that its number is right. *)
From Coq Require Import ZArith NArith Ascii String Decimal DecimalN DecimalString Bool Lia Arith Uint63 List.
From Verified Require Import Search Cover Orbits.
Import ListNotations.
Local Open Scope char_scope.
Local Open Scope list_scope.

(* A text is lines, and a line is words between blanks. *)
Definition text := list ascii.
Definition newline : ascii := "010".
Definition bar : ascii := "|".

Fixpoint pieces (between : ascii) (t : text) : list text :=
  match t with
  | [] => [[]]
  | c :: t =>
      match pieces between t with
      | first :: others => if c =? between then [] :: first :: others else (c :: first) :: others
      | [] => []
      end
  end.

Definition is_some {A} (l : list A) : bool := match l with [] => false | _ => true end.

Definition words (line : text) : list text := filter is_some (pieces " " line).
Definition lines (t : text) : list text := pieces newline t.

(* Lines that begin with a bar are comments; those of symmetries mean something, too. *)
Definition is_comment (line : text) : bool := match line with c :: _ => c =? bar | [] => false end.

Definition statements (t : text) : list (list text) :=
  filter is_some (map words (filter (fun line => negb (is_comment line)) (lines t))).

Definition same_text (a b : text) : bool := if list_eq_dec ascii_dec a b then true else false.

Definition image_of (line : list text) : list (list text) :=
  match line with
  | one :: two :: image =>
      if same_text one [bar] && same_text two (list_ascii_of_string "symmetry") then [image] else []
  | _ => []
  end.

Definition symmetries (t : text) : list (list text) := concat (map (fun line => image_of (words line)) (lines t)).

(* Numbers are written in decimal. *)
Definition numeral (n : N) : text := list_ascii_of_string (NilEmpty.string_of_uint (N.to_uint n)).
Definition numeral_of (n : nat) : text := numeral (N.of_nat n).

Lemma numeral_same m n : numeral m = numeral n -> m = n.
Proof.
  unfold numeral. intros H. apply (f_equal string_of_list_ascii) in H.
  rewrite !string_of_list_ascii_of_string in H. apply (f_equal NilEmpty.uint_of_string) in H.
  rewrite !NilEmpty.usu in H. injection H as H. now apply DecimalN.Unsigned.to_uint_inj.
Qed.

(* An item is written as its name if it is covered exactly once, and otherwise n|name or m:n|name. *)
Definition says_item (word called : text) (it : item) : Prop :=
  word = called /\ low it = 1 /\ high it = 1 \/
  word = numeral_of (high it) ++ bar :: called /\ low it = high it \/
  word = numeral_of (low it) ++ ":" :: numeral_of (high it) ++ bar :: called.

Fixpoint says_items (line called : list text) (its : list item) : Prop :=
  match line, called, its with
  | [], [], [] => True
  | word :: line, one :: called, it :: its => says_item word one it /\ says_items line called its
  | _, _, _ => False
  end.

(* The word for an item in an option. *)
Fixpoint spelled (called : list text) (its : list item) (x : int) : text :=
  match called, its with
  | one :: called, it :: its => if (name it =? x)%uint63 then one else spelled called its x
  | _, _ => []
  end.

(* A text says a problem and a group: the first statement has the items, each other one an option, and each line of a
   symmetry has the option to which it carries each option. The identity is not written. *)
Definition says (t : text) (p : problem) (group : list (list nat)) : Prop :=
  exists (called : list text) (first : list text) (others : list (list nat)),
    NoDup called /\ (forall one, In one called -> ~ In bar one) /\ NoDup (map name (items p)) /\
    statements t = first :: map (map (spelled called (items p))) (options p) /\
    says_items first called (items p) /\
    group = seq 0 (length (options p)) :: others /\ symmetries t = map (map numeral_of) others.

(* The answer: the number of solutions and, if there are symmetries, the number up to these. *)
Definition answer (t : text) (total orbits : N) : text :=
  numeral total ++ newline :: if is_some (symmetries t) then numeral orbits ++ [newline] else [].

(* The check that a text says a problem and a group. *)
Fixpoint apart {A} (same : A -> A -> bool) (l : list A) : bool :=
  match l with [] => true | x :: l => negb (existsb (same x) l) && apart same l end.

Definition reads_item (word called : text) (it : item) : bool :=
  same_text word called && (low it =? 1)%nat && (high it =? 1)%nat ||
  same_text word (numeral_of (high it) ++ bar :: called) && (low it =? high it)%nat ||
  same_text word (numeral_of (low it) ++ ":" :: numeral_of (high it) ++ bar :: called).

Fixpoint reads_items (line called : list text) (its : list item) : bool :=
  match line, called, its with
  | [], [], [] => true
  | word :: line, one :: called, it :: its => reads_item word one it && reads_items line called its
  | _, _, _ => false
  end.

Definition same_texts (a b : list text) : bool := if list_eq_dec (list_eq_dec ascii_dec) a b then true else false.

Fixpoint same_lines (a b : list (list text)) : bool :=
  match a, b with
  | [], [] => true
  | one :: a, two :: b => same_texts one two && same_lines a b
  | _, _ => false
  end.

Definition reads (t : text) (called : list text) (p : problem) (group : list (list nat)) : bool :=
  match statements t, group with
  | first :: rest, identity :: others =>
      apart same_text called && forallb (fun one => negb (existsb (Ascii.eqb bar) one)) called &&
      apart Uint63.eqb (map name (items p)) && reads_items first called (items p) &&
      same_lines rest (map (map (spelled called (items p))) (options p)) &&
      same_places identity (seq 0 (length (options p))) && same_lines (symmetries t) (map (map numeral_of) others)
  | _, _ => false
  end.

Lemma same_text_spec a b : same_text a b = true <-> a = b.
Proof. unfold same_text. now destruct (list_eq_dec _ a b). Qed.

Lemma same_texts_spec a b : same_texts a b = true -> a = b.
Proof. unfold same_texts. now destruct (list_eq_dec (list_eq_dec ascii_dec) a b). Qed.

Lemma same_lines_spec a : forall b, same_lines a b = true -> a = b.
Proof.
  induction a as [|one a IH]; intros [|two b] H; cbn in H; try easy. apply andb_true_iff in H as [H1 H2].
  apply same_texts_spec in H1 as ->. now apply IH in H2 as ->.
Qed.

Lemma apart_spec {A} (same : A -> A -> bool) l : (forall x, same x x = true) -> apart same l = true -> NoDup l.
Proof.
  intros S. induction l as [|x l IH]; cbn; intros H; constructor; apply andb_true_iff in H as [H1 H2]; auto.
  intros I. apply negb_true_iff in H1. assert (E : existsb (same x) l = true) by (apply existsb_exists; eauto). congruence.
Qed.

Lemma reads_item_spec word called it : reads_item word called it = true -> says_item word called it.
Proof.
  unfold reads_item, says_item. rewrite !orb_true_iff, !andb_true_iff, !same_text_spec, !Nat.eqb_eq. tauto.
Qed.

Lemma reads_items_spec line : forall called its, reads_items line called its = true -> says_items line called its.
Proof.
  induction line as [|word line IH]; intros [|one called] [|it its]; cbn; try easy.
  rewrite andb_true_iff. intros [H1 H2]. split; [now apply reads_item_spec|auto].
Qed.

Lemma reads_spec t called p group : reads t called p group = true -> says t p group.
Proof.
  unfold reads. destruct (statements t) as [|first rest] eqn:E; [easy|]. destruct group as [|identity others]; [easy|].
  rewrite !andb_true_iff. intros [[[[[[A B] C] D] F] G] H]. exists called, first, others.
  split; [apply apart_spec with same_text; [intros x; now apply same_text_spec|exact A]|].
  split. { intros one I J. rewrite forallb_forall in B. specialize (B one I). apply negb_true_iff in B.
    assert (existsb (Ascii.eqb bar) one = true) by (apply existsb_exists; exists bar; split; [exact J|apply Ascii.eqb_refl]).
    congruence. }
  split; [apply apart_spec with Uint63.eqb; [intros x; now apply Uint63.eqb_spec|exact C]|].
  split; [rewrite E; f_equal; now apply same_lines_spec|].
  split; [now apply reads_items_spec|].
  split; [f_equal; now apply same_places_spec|now apply same_lines_spec].
Qed.

Module Texts (S : SETS).
Include Orbits S.

Definition count_text (t : text) (called : list text) (p : problem)
    (branches : option (int * list (nat * element))) (es : list element) : option text :=
  if reads t called p (map image es) then
    match count_orbits p branches es with Some (total, orbits) => Some (answer t total orbits) | None => None end
  else None.

(* Whatever is handed over besides the text: an answer has the numbers of the problem that the text says. *)
Theorem answer_is_right t called p branches es said : count_text t called p branches es = Some said ->
  exists group total orbits,
    says t p group /\ right_number p total /\ right_orbits p group orbits /\ said = answer t total orbits.
Proof.
  unfold count_text. destruct (reads _ _ _ _) eqn:R; [|easy]. destruct (count_orbits _ _ _) as [[total orbits]|] eqn:C; [|easy].
  intros H. injection H as <-. apply orbits_are_right in C as [C1 C2]. apply reads_spec in R.
  now exists (map image es), total, orbits.
Qed.
End Texts.
