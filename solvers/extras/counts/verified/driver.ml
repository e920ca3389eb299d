(* Hands an exact cover in Knuth's format to the counter and prints its answer. What has to be believed is the end, which
   reads the input and writes the answer. All else is an offer that the counter checks: what the text says, an order of
   places, and pockets. *)
open Counter

let words line = List.filter (fun word -> word <> "") (String.split_on_char ' ' line)

let letters word = List.of_seq (String.to_seq word)

let is_comment line = String.length line > 0 && line.[0] = '|'

(* An item as it is written: name, n|name or m:n|name. *)
let bounded word =
  match String.index_opt word '|' with
  | None -> (word, 1, 1)
  | Some bar ->
      let name = String.sub word (bar + 1) (String.length word - bar - 1) in
      (match List.map int_of_string (String.split_on_char ':' (String.sub word 0 bar)) with
       | [n] -> (name, n, n)
       | [m; n] -> (name, m, n)
       | _ | exception Failure _ -> failwith (word ^ " is no item; secondary items are written 0:1|name"))

let read all =
  match List.filter (fun line -> words line <> [] && not (is_comment line)) all with
  | [] -> failwith "no items"
  | first :: rest ->
      let bounds = Array.of_list (List.map bounded (words first)) in
      let number = Hashtbl.create 997 in
      Array.iteri (fun i (name, _, _) -> Hashtbl.add number name i) bounds;
      let find word =
        match Hashtbl.find_opt number word with Some i -> i | None -> failwith (word ^ " is none of the items")
      in
      let options = List.map (fun line -> List.map find (words line)) rest in
      (bounds, options)

(* Numbers share their parts. *)
let numbers = Hashtbl.create 997

let rec nat n =
  if n <= 0 then O
  else
    match Hashtbl.find_opt numbers n with
    | Some number -> number
    | None -> let number = S (nat (n - 1)) in Hashtbl.add numbers n number; number

let problem bounds options =
  { items = List.mapi (fun i (_, m, n) -> { name = i; low = nat m; high = nat n }) (Array.to_list bounds); options }

(* Each line of a symmetry says of every option, in the order of the file, to which the symmetry carries it. *)
let symmetries all =
  List.filter_map
    (fun line -> match words line with "|" :: "symmetry" :: image -> Some (List.map int_of_string image) | _ -> None)
    all

(* Comments of a kind, as numbers. *)
let hints all keyword =
  List.filter_map
    (fun line -> match words line with "|" :: word :: rest when word = keyword -> Some (List.map int_of_string rest) | _ -> None)
    all

let places (bounds : (string * int * int) array) =
  let next = ref 0 in
  Array.map (fun (_, _, n) -> List.init n (fun _ -> incr next; !next - 1)) bounds

let rec runs = function
  | [] -> []
  | (x, _) :: _ as firsts ->
      let rec span n = function (y, _) :: rest when y = x -> span (n + 1) rest | rest -> (n, rest) in
      let n, rest = span 0 firsts in
      (x, n) :: runs rest

let bit i = 1 lsl i

(* What the first items, which lie beside each other, tell of pockets behind place x. *)
let pocket near links sizes sizes_before special reach x =
  let shift = x + 1 in
  let inside y = y > x && y < min near (shift + 63) in
  let cells =
    List.filter_map
      (fun y ->
        let neighbours = List.filter (fun z -> z > x) links.(y) in
        if inside y && y <= reach && List.for_all inside neighbours then
          Some (bit (y - shift), List.fold_left (fun mask z -> mask lor bit (z - shift)) 0 neighbours)
        else None)
      (List.init near Fun.id)
  in
  if cells = [] then None
  else
    let table f = List.init (List.length cells + 1) f in
    Some
      { from = shift; neighbours = cells; marks = special; after = table sizes; before = table sizes_before;
        board = List.fold_left (fun mask y -> if inside y then mask lor bit (y - shift) else mask) 0 (List.init near Fun.id) }

(* Numbers of cells that options fill, by options of each size. *)
let sums most options =
  let can = Array.make (most + 1) false in
  can.(0) <- true;
  for n = 1 to most do
    List.iter (fun size -> if size > 0 && size <= n && can.(n - size) then can.(n) <- true) options
  done;
  fun n -> n > most || can.(n)

(* Options go by the first item that is covered exactly once, so that each layer covers one item. *)
let first (bounds : (string * int * int) array) o =
  List.fold_left (fun x i -> match bounds.(i) with _, 1, 1 -> min x i | _ -> x) Stdlib.max_int o

let layers bounds options = runs (List.map (fun o -> (first bounds o, ())) options)

(* The layers with pockets, for options that are sorted. *)
let headings all bounds own options =
  let items = Array.length bounds in
  let is_must i = i < items && (match bounds.(i) with _, 1, 1 -> true | _ -> false) in
  let near = match hints all "near" with [n] :: _ -> n | _ -> 0 in
  let links = Array.make items [] in
  List.iter (function [a; b] -> links.(a) <- b :: links.(a); links.(b) <- a :: links.(b) | _ -> ()) (hints all "link");
  let size o = List.length (List.filter (fun i -> i < near) o) in
  let all_sizes = List.sort_uniq compare (List.map size options) in
  (* A far item that all options of some size cover, and no others. *)
  let special =
    List.find_opt
      (fun q ->
        let with_q, without = List.partition (List.mem q) options in
        with_q <> [] && List.for_all (fun o -> not (List.mem (size o) (List.map size with_q))) without)
      (if List.length all_sizes < 2 then [] else List.filter is_must (List.init (items - near) (fun i -> near + i)))
  in
  let sizes, sizes_before =
    match special with
    | None -> let f = sums items all_sizes in (f, f)
    | Some q ->
        let of_q, others = List.partition (fun n -> List.exists (fun o -> size o = n && List.mem q o) options) all_sizes in
        let f = sums items others in
        (f, fun n -> f n || List.exists (fun a -> n >= a && f (n - a)) of_q)
  in
  let place i = List.hd own.(i) in
  let marks = List.map place (Option.to_list special) in
  let reach = ref 0 in
  List.map
    (fun (x, n) ->
      if x = Stdlib.max_int then (None, nat n)
      else begin
        List.iter (fun o -> if first bounds o = x then List.iter (fun i -> if i < near then reach := max !reach i) o) options;
        (Some (place x, if x >= near then None else pocket near links sizes sizes_before marks !reach x), nat n)
      end)
    (layers bounds options)

let cycles image =
  let seen = Array.make (Array.length image) false in
  let rec from start i = if seen.(i) then [] else begin seen.(i) <- true; i :: from start image.(i) end in
  List.filter (fun cycle -> cycle <> []) (List.init (Array.length image) (fun i -> from i i))

(* The items to which a permutation of options carries items. *)
let carried bounds options image =
  let covers = Array.make (Array.length bounds) [] in
  List.iteri (fun i o -> List.iter (fun x -> covers.(x) <- i :: covers.(x)) o) options;
  let sign x list = match bounds.(x) with _, m, n -> (m, n, List.sort compare list) in
  let known = Hashtbl.create 997 in
  Array.iteri (fun x list -> Hashtbl.replace known (sign x list) x) covers;
  List.mapi
    (fun x list ->
      match Hashtbl.find_opt known (sign x (List.map (Array.get image) list)) with
      | Some y -> y
      | None -> failwith "a symmetry does not carry items to items")
    (Array.to_list covers)

(* How to count the solutions that a permutation leaves unchanged and that have no option that is left out, with items
   in another order. *)
let element with_pockets all bounds options order left_out image =
  let options_of = Array.of_list options in
  let size = Array.length options_of and items = Array.length bounds in
  if Array.length image <> size || Array.exists (fun i -> i < 0 || i >= size) image then
    failwith "a symmetry does not permute the options";
  let position = Array.make items items in
  List.iteri (fun k x -> if x >= 0 && x < items then position.(x) <- min position.(x) k) order;
  let by_position = List.sort (fun x y -> compare (position.(x), x) (position.(y), y)) (List.init items Fun.id) in
  List.iteri (fun k x -> position.(x) <- k) by_position;
  let bounds_of = Array.of_list (List.map (Array.get bounds) by_position) in
  let own = places bounds_of in
  let covered cycle = List.map (Array.get position) (List.concat_map (Array.get options_of) cycle) in
  let is_dead cycle =
    let o = covered cycle in
    List.exists (fun x -> List.length (List.filter (( = ) x) o) > (match bounds_of.(x) with _, _, n -> n)) o
  in
  let is_dropped cycle = List.for_all left_out cycle || is_dead cycle in
  let dropped, kept = List.partition is_dropped (cycles image) in
  let kept =
    List.map snd
      (List.stable_sort (fun (a, _) (b, _) -> compare a b) (List.map (fun cycle -> (first bounds_of (covered cycle), cycle)) kept))
  in
  let where = Array.make size 0 in
  List.iteri (fun k i -> where.(i) <- k) (List.concat (kept @ dropped));
  let options_kept = List.map covered kept in
  let nats = List.map nat in
  { image = nats (Array.to_list image); names = carried bounds options image; cycles = List.map nats kept;
    dropped = List.map nats dropped; where_they_are = nats (Array.to_list where);
    its_places = List.init items (fun x -> own.(position.(x)));
    its_headings =
      (if with_pockets then headings all bounds own options_kept
       else
         List.map
           (fun (x, n) -> ((if x = Stdlib.max_int then None else Some (List.hd own.(x), None)), nat n))
           (layers bounds_of options_kept)) }

(* The item by whose options all solutions are counted, and its options, one for those that a symmetry carries to each
   other: a piece, whose options are on a board, with fewest of these; none if that saves less than half of the work. *)
let branches all bounds options =
  let near = match hints all "near" with [n] :: _ -> n | _ -> Array.length bounds in
  let images = List.map Array.of_list (symmetries all) in
  let is_least i = List.for_all (fun image -> i <= image.(i)) images in
  let candidates =
    List.filter_map
      (fun x ->
        let covering = List.filter_map Fun.id (List.mapi (fun i o -> if List.mem x o then Some i else None) options) in
        let least = List.filter is_least covering in
        match bounds.(x) with
        | _, 1, 1 when x >= near && 2 * List.length least <= List.length covering -> Some (x, least)
        | _ -> None)
      (List.init (Array.length bounds) Fun.id)
  in
  match List.sort (fun (_, a) (_, b) -> List.compare_lengths a b) candidates with [] -> None | best :: _ -> Some best

let count all text =
  let bounds, options = read all in
  let size = List.length options in
  let orders = hints all "order" in
  let identity = Array.init size Fun.id in
  let covers_of = Array.of_list options in
  let none _ = false in
  let elements with_pockets =
    element with_pockets all bounds options [] none identity
    :: List.mapi
         (fun k image ->
           element false all bounds options (Option.value (List.nth_opt orders k) ~default:[]) none (Array.of_list image))
         (symmetries all)
  in
  let parts with_pockets =
    Option.map
      (fun (x, least) ->
        let besides j i = i <> j && List.mem x covers_of.(i) in
        (x, List.map (fun j -> (nat j, element with_pockets all bounds options [] (besides j) identity)) least))
      (branches all bounds options)
  in
  let called = List.map (fun (name, _, _) -> letters name) (Array.to_list bounds) in
  let stated = problem bounds options in
  let most = Array.fold_left (fun total (_, _, n) -> total + n) 0 bounds in
  let count = (if most <= 126 then Two.count_text else Long.count_text) text called stated in
  let es = elements true in
  match count (parts true) es with
  | Some answer -> answer
  | None ->
      match count None (elements false) with
      | Some answer -> answer
      | None ->
          if reads text called stated (List.map (fun e -> e.image) es) then
            failwith "it has too many places, or what is said of its symmetries is wrong"
          else failwith "an item is named twice, or a number is not written plainly"

let read_all () =
  let chunk = Bytes.create 65536 and read = Buffer.create 65536 in
  let rec more () =
    let size = input stdin chunk 0 65536 in
    if size > 0 then begin Buffer.add_subbytes read chunk 0 size; more () end
  in
  more (); Buffer.contents read

(* What has to be believed: the text is what is read, and what is written is the answer. *)
let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 24; space_overhead = 200 };
  let text = read_all () in
  match count (String.split_on_char '\n' text) (letters text) with
  | answer -> List.iter print_char answer
  | exception Failure reason -> prerr_endline reason; exit 2
  | exception Out_of_memory -> prerr_endline "Out of memory"; exit 3
