// Solids that can be turned and opened, on pages and in notebooks; comes before gallery.js.

const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
const escaped = words => words.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
const short = value => String(Math.round(value * 1000) / 1000);
const mean = values => values.reduce((a, b) => a + b, 0) / values.length;
const pathOf = polygons => polygons.map(ring => `M${ring.map(([x, y]) => `${short(x)} ${short(y)}`).join(" ")}Z`).join("");

const CORNER_VIEW = [Math.PI / 4, Math.atan(Math.SQRT1_2)]; // from where three sides look alike
const SIDES = [[0, 0, 1], [0, 1, 0], [1, 0, 0]].flatMap(([l, r, c]) => [1, -1].map(sign => [l * sign, r * sign, c * sign]));
const WAYS = [["down", "up"], ["to the back", "to the front"], ["to the left", "to the right"]]; // by axis and sign
const FLAT_WAYS = [WAYS[0], ["up", "down"], WAYS[2]]; // the same on a flat board
const [ARROW_HEAD, ARROW_WIDTH] = [.4, .08];
const SHADES = [0, .12, .22]; // of what is seen from above, from the front and from the side

// What `motion` in solid.py tells; paint(path, colour) makes the markup of an area. Pieces are {name, cells: [[layer,
// row, column], ...], paint}, where paint(path) makes the markup of an area in the piece's colour. Moves are {way: [layer,
// row, column], far, leaves, group}: the pieces of the group go as many cells as it is far.
function solidOf({pieces, moves, end, flat}, paint) {
  return {
    end,
    flat,
    pieces: pieces.map(([name, colour, ...numbers]) => {
      const cells = Array.from({length: numbers.length / 3}, (_, n) => numbers.slice(3 * n, 3 * n + 3));
      return {name, cells, paint: path => paint(path, colour)};
    }),
    moves: moves.map(([axis, far, leaves, ...group]) => ({way: [0, 1, 2].map(one => one === axis ? Math.sign(far) : 0), far: Math.abs(far), leaves, group})),
  };
}

// The pieces after so many steps; they move by whole cells, so that nearer cells can be drawn behind farther ones.
function solidAt({pieces, moves}, step) {
  const by = pieces.map(() => [0, 0, 0]);
  for (const {way, far, group} of moves) {
    const gone = Math.min(far, Math.max(0, step));
    step -= far;
    for (const n of group) by[n] = by[n].map((x, axis) => x + gone * way[axis]);
  }
  return pieces.map((piece, n) => ({...piece, cells: piece.cells.map(cell => cell.map((x, axis) => x + by[n][axis]))}));
}

// The move that goes on after so many steps, as [number, ends of its arrow]; undefined before the first one.
function solidMove({pieces, moves}, step) {
  const begun = moves.map(({far}) => (step -= far) + far > 0).lastIndexOf(true);
  if (begun < 0) return undefined;
  const {way, far, group} = moves[begun], before = moves.slice(0, begun).reduce((sum, {far}) => sum + far, 0);
  const cells = solidAt({pieces, moves}, before).filter((_, n) => group.includes(n)).flatMap(({cells}) => cells);
  const start = [0, 1, 2].map(axis => mean(cells.map(cell => cell[axis])) + .5);
  return [begun, [start, start.map((x, axis) => x + far * way[axis])]];
}

// The markup of an arrow in the picture.
function arrowPicture([a, b], [c, d]) {
  const far = Math.hypot(c - a, d - b);
  if (far < .05) return ""; // it points to the viewer
  const [right, down] = [(c - a) / far, (d - b) / far], neck = far - Math.min(ARROW_HEAD, .7 * far);
  const half = [[0, -ARROW_WIDTH], [neck, -ARROW_WIDTH], [neck, -3 * ARROW_WIDTH]];
  const ring = [...half, [far, 0], ...half.map(([u, v]) => [u, -v]).reverse()];
  const path = pathOf([ring.map(([u, v]) => [a + u * right - v * down, b + u * down + v * right])]);
  return `<path class="arrow" d="${path}" fill="#111" stroke="#fff" stroke-width=".05" stroke-linejoin="round"/>`;
}

// The words for a move, such as "B 2 up".
function solidWords({pieces, flat}, {way, far, leaves, group}) {
  const axis = way.findIndex(x => Math.abs(x) > .5), words = (flat ? FLAT_WAYS : WAYS)[axis][way[axis] > 0 ? 1 : 0];
  const names = group.map(n => pieces[n].name).join(", ");
  return leaves ? `${names} ${words} and out` : `${names} ${far} ${words}`;
}

// The markup of an svg; view: the angles about the upright axis and above the ground. arrow: its ends, if there is one.
function solidPicture(pieces, [around, above], attributes, arrow = []) {
  const [sin, cos, up, flat] = [Math.sin(around), Math.cos(around), Math.sin(above), Math.cos(above)];
  const toViewer = [up, cos * flat, sin * flat]; // by layer, row, column
  const nearness = cell => cell.reduce((sum, x, axis) => sum + x * toViewer[axis], 0);
  const project = ([l, r, c]) => [c * cos - r * sin, (c * sin + r * cos) * up - l * flat];
  const cells = pieces.flatMap((piece, n) => piece.cells.map(cell => ({cell, n})));
  const low = [0, 1, 2].map(axis => Math.min(...cells.map(({cell}) => cell[axis]), ...arrow.map(end => end[axis])));
  const high = [0, 1, 2].map(axis => Math.max(...cells.map(({cell}) => cell[axis] + 1), ...arrow.map(end => end[axis])));
  const [tall, ...ground] = high.map((x, axis) => x - low[axis]), beside = Math.hypot(...ground) / 2; // same while it turns
  const wide = beside + .1, tallHalf = beside * Math.abs(up) + tall / 2 * flat + .1;
  const [x, y] = project(high.map((x, axis) => (x + low[axis]) / 2));
  const own = pieces.map(piece => new Set(piece.cells.map(String)));
  const seen = SIDES.filter(side => nearness(side) > 1e-6);
  const taken = new Set(cells.map(({cell}) => String(cell)));
  const middles = cells.map(({cell}) => [nearness(cell), ...project(cell.map(x => x + .5))]);
  const isHidden = (cell, side) => {
    const near = nearness(cell) + 1e-6, [a, b] = project(cell.map((x, i) => x + .5 + side[i] / 2));
    return taken.has(String(cell.map((x, i) => x + side[i]))) || middles.some(([n, c, d]) => n > near && Math.hypot(a - c, b - d) < .9);
  };
  const named = pieces.map(piece => { // a near face that nothing hides
    const faces = piece.cells.flatMap(cell => seen.map(side => ({cell, side, near: nearness(cell) + 9 * nearness(side)})));
    return faces.sort((a, b) => b.near - a.near).find(({cell, side}) => !isHidden(cell, side)) ?? {};
  });
  const body = cells.sort((a, b) => nearness(a.cell) - nearness(b.cell)).map(({cell, n}) => seen.map(side => {
    if (own[n].has(String(cell.map((x, i) => x + side[i])))) return "";
    const axis = side.findIndex(x => x), [one, other] = [0, 1, 2].filter(i => i !== axis);
    const corner = cell.map((x, i) => x + (i === axis && side[axis] > 0 ? 1 : 0));
    const ring = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([a, b]) => project(corner.map((x, i) => x + (i === one ? a : i === other ? b : 0))));
    const path = pathOf([ring]);
    const edges = ring.map((point, i) => { // where the piece ends, or goes on at another height
      const next = cell.map((x, j) => x + (j === [other, one][i % 2] ? (i === 1 || i === 2 ? 1 : -1) : 0));
      const ends = !own[n].has(String(next)) || own[n].has(String(next.map((x, j) => x + side[j])));
      return ends ? `M${[point, ring[(i + 1) % 4]].map(p => p.map(short).join(" ")).join(" ")}` : "";
    }).join("");
    return pieces[n].paint(path) + `<path d="${path}" fill="#000" fill-opacity="${SHADES[axis]}" stroke="#111" stroke-opacity=".45" stroke-width=".02"/>`
      + (edges && `<path d="${edges}" fill="none" stroke="#111" stroke-width=".06" stroke-linecap="round"/>`);
  }).join("")).join("");
  const labels = named.map(({cell, side}, n) => cell ? solidLabel(pieces[n], own[n], cell, side, project, isHidden) : "").join("");
  const box = [x - wide, y - tallHalf, 2 * wide, 2 * tallHalf].map(short).join(" ");
  return `<svg class="solid picture" viewBox="${box}" font-family="system-ui, sans-serif" text-anchor="middle" ${attributes}>${body}${labels}${arrow.length ? arrowPicture(...arrow.map(project)) : ""}</svg>`;
}

// The name of a piece on a side of it. A letter or two stand upright in the middle of a cell; a longer name lies along
// the longest row of cells there that nothing hides.
function solidLabel(piece, own, cell, side, project, isHidden) {
  const middle = at => project(at.map((x, i) => x + .5 + side[i] / 2));
  const text = (place, size) => `<text ${place} font-size="${short(size)}" fill="#111">${escaped(piece.name)}</text>`;
  const needed = .6 * [...piece.name].length;
  if (needed <= 1.2) {
    const [x, y] = middle(cell), size = Math.min(.45, .75 / needed);
    return text(`x="${short(x)}" y="${short(y + .35 * size)}"`, size);
  }
  const isSeen = at => own.has(String(at)) && !isHidden(at, side);
  const rows = [0, 1, 2].filter(axis => !side[axis]).map(axis => {
    const moved = by => cell.map((x, i) => x + (i === axis ? by : 0));
    let [from, to] = [0, 0];
    while (isSeen(moved(from - 1))) from--;
    while (isSeen(moved(to + 1))) to++;
    return {axis, long: to - from + 1, at: moved((from + to) / 2)};
  });
  const {axis, long, at} = rows.sort((a, b) => b.long - a.long)[0];
  const along = one => project([0, 1, 2].map(i => Number(i === one)));
  let [a, b] = along(axis), [c, d] = along([0, 1, 2].find(i => i !== axis && !side[i]));
  if (a < 0) [a, b] = [-a, -b];
  if (a * d - b * c < 0) [c, d] = [-c, -d];
  const [x, y] = middle(at), size = Math.min(.45, .9 * long / needed);
  return text(`transform="matrix(${[a, b, c, d, x, y].map(short).join(" ")})" y="${short(.35 * size)}"`, size);
}

// Fills a box with a solid that is turned by dragging or by arrow keys, and taken apart with a slider.
function solidViewer(box, solid) {
  const steps = solid.moves.reduce((sum, {far}) => sum + far, 0);
  let view = solid.flat ? [0, Math.PI / 2] : CORNER_VIEW, held = null;
  box.innerHTML = '<div class="turning" style="cursor:grab;touch-action:none;user-select:none" tabindex="0" role="img" aria-label="The solid. Drag it, or use arrow keys, to turn it."></div>'
    + (steps ? `<label>closed <input type="range" min="0" max="${steps}" value="0" aria-label="open"> apart</label>` : "")
    + '<p class="quiet" role="status"></p>';
  const turning = box.querySelector(".turning"), slider = box.querySelector("input");
  const draw = () => {
    const step = slider ? Number(slider.value) : 0;
    const [move, arrow] = solidMove(solid, step) ?? [];
    turning.innerHTML = solidPicture(solidAt(solid, step), view, 'aria-hidden="true" style="display:block;width:100%;aspect-ratio:1"', arrow);
    const words = arrow ? `${move + 1} of ${solid.moves.length}: ${solidWords(solid, solid.moves[move])}.` : "";
    box.querySelector("p").textContent = words || solid.end || "Drag it to turn it.";
  };
  const turn = (right, down) => {
    view = [view[0] - right, Math.min(Math.PI / 2, Math.max(-Math.PI / 2, view[1] + down))];
    draw();
  };
  slider?.addEventListener("input", draw);
  slider?.addEventListener("keydown", event => event.stopPropagation());
  turning.addEventListener("pointerdown", event => { held = event; turning.setPointerCapture(event.pointerId); });
  turning.addEventListener("pointermove", event => {
    if (!held) return;
    turn((event.clientX - held.clientX) / 120, (event.clientY - held.clientY) / 120);
    held = event;
  });
  for (const name of ["pointerup", "pointercancel"]) turning.addEventListener(name, () => { held = null; });
  for (const name of ["touchstart", "touchend"]) box.addEventListener(name, event => event.stopPropagation(), {passive: true});
  turning.addEventListener("keydown", event => {
    const way = ARROWS[event.key];
    if (!way) return;
    turn(way[0] / 6, way[1] / 6);
    event.preventDefault();
    event.stopPropagation();
  });
  draw();
}
