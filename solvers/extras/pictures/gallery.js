// Pictures of solutions and their filter, on the page that gallery.py writes and in the widget of a notebook.
// What it shows comes from `Pictures` in gallery.py. All words that come with it are escaped before they become markup.

const [PATH, COLOUR, OUTLINE, LABEL, X, Y, SIZE, NAME] = [0, 1, 2, 3, 4, 5, 6, 7]; // of a part
const [LAYOUT, FEATURE, ORBIT, FRAMES, SOLID] = [0, 1, 2, 3, 4]; // of a solution, whose frames are a caption and parts
const CELLS = 4; // of a layout
const NARROW = 640; // pixels
const MOST_PLACES = 2000;
const LEAST_CELL = 14, MOST_CELL = 60, GAP = 12; // pixels
const FEW = 16; // pictures; fewer are drawn larger
let galleries = 0;

const rings = path => path.slice(1, -1).split("ZM").map(ring => {
  const numbers = ring.split(" ").map(Number);
  return numbers.flatMap((x, i) => i % 2 ? [] : [[x, numbers[i + 1]]]);
});

// Dark where the page is: a notebook says so on its body, else the system does.
function followTheme(root) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    const {jpThemeLight, vscodeThemeKind} = document.body.dataset;
    const isDark = jpThemeLight ? jpThemeLight === "false"
      : vscodeThemeKind ? /dark|high-contrast$/.test(vscodeThemeKind) : dark.matches;
    root.dataset.theme = isDark ? "dark" : "light";
  };
  const observer = new MutationObserver(follow);
  observer.observe(document.body, {attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"]});
  dark.addEventListener("change", follow);
  follow();
  return () => { observer.disconnect(); dark.removeEventListener("change", follow); };
}

// Colours by their codes, #rrggbb, as models/boards/colours.py names them; on dark ones letters are light.
const isCode = colour => typeof colour === "string" && colour.startsWith("#");
const isDark = (colour, limit) => {
  if (!isCode(colour)) return false;
  const [red, green, blue] = [1, 3, 5].map(place => parseInt(colour.slice(place, place + 2), 16));
  return .299 * red + .587 * green + .114 * blue < limit;
};

// Shows the solutions at once or, if they are folded, when they are unfolded; an address that names one unfolds them.
function showUnfolded(fold, show) {
  if (!fold || location.hash.length > 1) {
    if (fold) fold.open = true;
    show();
  } else fold.addEventListener("toggle", show, {once: true});
}

// Fills a box that is within an element of the class kazoeru.
//   scroller: what scrolls the pictures, if it is not the window
//   links: whether the address names the solution that is enlarged
//   actions: [words, function] for a part of a picture, besides showing all solutions that have it
// Its method show(data, order, isWhole) shows solutions; while they are not whole, more may come, and nothing filters.
function gallery(box, {scroller = null, links = false, actions = []} = {}) {
  const patterns = `kazoeru-${++galleries}-`;
  box.classList.add("gallery");
  box.innerHTML = '<div class="solutions"><aside aria-label="Filter"><details class="filter" open></details></aside>'
    + '<section aria-label="Solutions"><div class="bar"><span class="shown" role="status"></span><div class="chips"></div><span class="legend quiet"></span></div>'
    + '<div class="grid"></div></section></div>'
    + `<dialog aria-labelledby="${patterns}number"><div class="frame"><div class="title"><h2 class="number" id="${patterns}number"></h2>`
    + '<button class="before" aria-label="previous">‹</button><button class="after" aria-label="next">›</button>'
    + '<button class="close" aria-label="close">×</button></div><div class="enlarged"></div>'
    + '<div class="actions" role="group" aria-label="What to do with this part"></div><p class="about quiet"></p></div></dialog>';
  const element = name => box.querySelector(`.${name}`);
  const isNarrow = () => box.clientWidth <= NARROW;
  let data = {solutions: [], layouts: [], turns: [[1, 0, 0, 1, false]], features: [], legend: []}, order = 1, isWhole = false;

  // Views. A turn (xx, xy, yx, yy, reversed) carries each frame's box to itself, or to that of the frame as far from the
  // end as it is from the beginning; the first is the identity.
  let boxes = [];
  function findBoxes() {
    boxes = data.solutions.length ? data.solutions[0][FRAMES].map(([, ...parts]) => {
      const points = parts.flatMap(part => rings(data.parts[part][PATH]).flat());
      const [xs, ys] = [points.map(p => p[0]), points.map(p => p[1])];
      return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    }) : [];
  }
  const turned = (turn, frame, x, y) => {
    if (!turn) return [x, y];
    const [xx, xy, yx, yy] = data.turns[turn];
    const [left, top, right, bottom] = boxes[frame];
    const [a, b, c, d] = [x - (left + right) / 2, y - (top + bottom) / 2, (left + right) / 2, (top + bottom) / 2];
    return [xx * a + xy * b + c, yx * a + yy * b + d];
  };
  const sourceFrame = (turn, frame, frames) => data.turns[turn][4] ? frames - 1 - frame : frame;

  // Pictures, drawn as solvers/show/svg.py does.
  function picture(number, turn, withHits) {
    const solution = data.solutions[number];
    const [width, height, places, corners] = data.layouts[solution[LAYOUT]];
    const frames = solution[FRAMES];
    const body = frames.map(([caption], f) => {
      const source = sourceFrame(turn, f, frames.length);
      const numbers = frames[source].slice(1);
      const parts = alike(numbers.map(n => turn ? turnedPart(n, turn, source) : data.parts[n]));
      const outlined = parts.filter(p => p[OUTLINE]).map(p => p[PATH]).join("");
      const blank = parts.filter(p => p[OUTLINE] && p[COLOUR] === null).map(p => p[PATH]).join("");
      const [x, y] = places[f];
      return `<g transform="translate(${x} ${y})">`
        + (blank && `<path d="${blank}" fill="${data.paper}"/>`)
        + parts.map(painted).join("")
        + (outlined && `<path class="walls" d="${outlined}" fill="none" stroke="${data.ink}" stroke-width="${data.wall}" stroke-linejoin="round"/>`)
        + parts.map(written).join("")
        + (data.captions[caption] && `<text x="${corners[f][0]}" y="${corners[f][1] - .3}" font-size=".42" text-anchor="start" fill="currentColor">${escaped(data.captions[caption])}</text>`)
        + (withHits ? parts.map((p, i) => p[NAME] && `<path class="hit" d="${p[PATH]}" data-part="${numbers[i]}" data-frame="${source}" data-shown="${f}" role="button" tabindex="0" aria-label="${escaped(p[NAME])}"/>`).join("") : "")
        + "</g>";
    }).join("");
    const role = withHits ? 'role="group" aria-label="Parts of the picture"' : 'aria-hidden="true"';
    return `<svg class="picture" viewBox="0 0 ${width} ${height}" style="--across:${width};--down:${height}" font-family="system-ui, sans-serif" text-anchor="middle" ${role}>${body}</svg>`;
  }
  function alike(parts) { // as _alike in svg.py does
    const isWord = part => [...part[LABEL]].length > 1 || /^[0-9]$/.test(part[LABEL]);
    const least = Math.min(...parts.filter(isWord).map(part => part[SIZE]));
    return parts.map(part => {
      if (!isWord(part)) return part;
      const own = [...part];
      [own[SIZE], own[Y]] = [least, part[Y] + .35 * (least - part[SIZE])];
      return own;
    });
  }
  function turnedPart(number, turn, frame) {
    const part = [...data.parts[number]];
    part[PATH] = pathOf(rings(part[PATH]).map(ring => ring.map(([x, y]) => turned(turn, frame, x, y))));
    const [x, y] = turned(turn, frame, part[X], part[Y] - .35 * part[SIZE]);
    [part[X], part[Y]] = [short(x), short(y + .35 * part[SIZE])];
    return part;
  }
  function painted(part) {
    const colour = part[COLOUR];
    const filled = code => `fill="${code}"` + (part[OUTLINE] ? "" : ` stroke="${code}" stroke-width="${data.seam}"`);
    if (typeof colour === "number") {
      const level = Math.floor(colour / data.colours.length) % data.patterns.length;
      return `<path d="${part[PATH]}" ${filled(data.colours[colour % data.colours.length])}/>`
        + (level ? `<path d="${part[PATH]}" fill="url(#${patterns}${level})"/>` : "");
    }
    if (colour === null) return part[OUTLINE] ? "" : `<path d="${part[PATH]}" ${data.faint}/>`;
    return `<path d="${part[PATH]}" ${isCode(colour) ? filled(colour) : data.named[colour]}/>`;
  }
  function written(part) {
    if (!part[LABEL]) return "";
    const isPatterned = typeof part[COLOUR] === "number" && Math.floor(part[COLOUR] / data.colours.length) % data.patterns.length > 0;
    const ground = isPatterned ? `<circle cx="${part[X]}" cy="${short(part[Y] - .35 * part[SIZE])}" r="${short(.6 * part[SIZE])}" fill="${data.colours[part[COLOUR] % data.colours.length]}"/>` : "";
    return `${ground}<text x="${part[X]}" y="${part[Y]}" font-size="${part[SIZE]}" fill="${isDark(part[COLOUR], data.dark) ? data.paper : data.ink}">${escaped(part[LABEL])}</text>`;
  }

  // The pieces of a solid as solid.js has them, seen like the layers beside them.
  function solid(number, turn) {
    const [xx, xy, yx, yy, isReversed] = data.turns[turn], layers = data.solutions[number][FRAMES].length;
    const own = solidOf(data.solutions[number][SOLID], (path, colour) => painted({[PATH]: path, [COLOUR]: colour, [OUTLINE]: true}));
    const pieces = own.pieces.map(piece => {
      const cells = piece.cells.map(([layer, row, column]) => {
        const [x, y] = turned(turn, 0, column + .5, row + .5);
        return [isReversed ? layers - 1 - layer : layer, y - .5, x - .5];
      });
      return {...piece, cells};
    });
    const moves = own.moves.map(move => {
      const [l, r, c] = move.way;
      return {...move, way: [isReversed ? -l : l, yx * c + yy * r, xx * c + xy * r]};
    });
    return {...own, pieces, moves};
  }

  // Places: the cells of a frame. Where a frame tells none, the spots in which its named parts lie if these are apart,
  // else unit squares.
  let places = []; // {frame, name, path, x, y}
  let covers = new Map(); // frame -> part -> numbers of places
  let areTooMany = false;
  function findPlaces() {
    places = [];
    areTooMany = false;
    covers = new Map();
    const told = data.solutions.length ? data.layouts[data.solutions[0][LAYOUT]][CELLS] : [];
    for (let frame = 0; frame < boxes.length; frame++) {
      const used = new Set();
      for (const solution of data.solutions) solution[FRAMES][frame].slice(1).filter(n => data.parts[n][NAME]).forEach(n => used.add(n));
      const paths = [...new Set([...used].map(n => data.parts[n][PATH]))];
      const isTold = told[frame].length > 0, areSpots = !isTold && paths.length <= 500 && (areApart(paths) || areTriangles(paths));
      const cells = isTold ? told[frame] : areSpots ? paths.map((path, n) => [`place ${n + 1}`, path]) : squares(paths);
      if (places.length + cells.length > MOST_PLACES) { places = []; areTooMany = true; return; }
      covers.set(frame, new Map([...used].map(n => [n, []])));
      const shapes = new Map([...used].map(n => [n, rings(data.parts[n][PATH])]));
      for (const [name, path] of cells) {
        const corners = rings(path).flat(), x = mean(corners.map(p => p[0])), y = mean(corners.map(p => p[1]));
        for (const n of used) {
          if (areSpots ? data.parts[n][PATH] === path : isInside(x, y, shapes.get(n))) covers.get(frame).get(n).push(places.length);
        }
        places.push({frame, name, path, x, y});
      }
    }
  }
  function squares(paths) {
    const found = new Map();
    for (const path of paths) {
      const shape = rings(path), [xs, ys] = [0, 1].map(axis => shape.flat().map(p => p[axis]));
      for (let y = Math.floor(Math.min(...ys)); y < Math.max(...ys); y++) {
        for (let x = Math.floor(Math.min(...xs)); x < Math.max(...xs); x++) {
          if (isInside(x + .5, y + .5, shape)) found.set(`row ${y + 1}, column ${x + 1}`, pathOf([[[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]]]));
        }
      }
    }
    return [...found];
  }
  function areApart(paths) {
    const all = paths.map(path => {
      const points = rings(path).flat();
      const [xs, ys] = [points.map(p => p[0]), points.map(p => p[1])];
      return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    });
    const shared = (a, b, axis) => Math.min(a[axis + 2], b[axis + 2]) - Math.max(a[axis], b[axis]);
    const area = ([left, top, right, bottom]) => (right - left) * (bottom - top);
    return all.every((a, i) => all.every((b, j) => j <= i || shared(a, b, 0) <= 0 || shared(a, b, 1) <= 0
      || shared(a, b, 0) * shared(a, b, 1) < .26 * Math.min(area(a), area(b)))); // segments meet at their ends, and cross in a plus
  }
  // Triangles that share sides only, such as the edges of tiles: no point near a corner of one lies in another.
  function areTriangles(paths) {
    const shapes = paths.map(rings);
    if (shapes.some(shape => shape.length !== 1 || shape[0].length !== 3)) return false;
    const points = shapes.map(([ring]) => {
      const [x, y] = [0, 1].map(axis => mean(ring.map(p => p[axis])));
      return [[x, y], ...ring.map(([u, v]) => [(x + 2 * u) / 3, (y + 2 * v) / 3])];
    });
    return points.every((some, i) => shapes.every((shape, j) => i === j || !some.some(([x, y]) => isInside(x, y, shape))));
  }
  function isInside(x, y, shape) {
    let inside = false;
    for (const ring of shape) {
      ring.forEach(([x0, y0], i) => {
        const [x1, y1] = ring[(i + 1) % ring.length];
        if (y0 > y !== y1 > y && x < x0 + (y - y0) * (x1 - x0) / (y1 - y0)) inside = !inside;
      });
    }
    return inside;
  }

  // What each solution shows at each place, as the number of a name; 0 is nothing.
  let names = [""], shows, sources;
  function findStates() {
    findPlaces();
    if (data.solutions.length < 2) places.length = 0;
    names = [""];
    const numbers = new Map([["", 0]]);
    const name = data.parts.map(part => {
      if (!numbers.has(part[NAME])) { numbers.set(part[NAME], names.length); names.push(part[NAME]); }
      return numbers.get(part[NAME]);
    });
    shows = new Uint16Array(data.solutions.length * places.length);
    if (places.length) data.solutions.forEach((solution, s) => solution[FRAMES].forEach(([, ...parts], frame) => {
      for (const n of parts) {
        for (const place of covers.get(frame)?.get(n) ?? []) shows[s * places.length + place] = name[n];
      }
    }));
    const spot = (frame, x, y) => `${frame} ${Math.round(x * 100)} ${Math.round(y * 100)}`;
    const at = new Map(places.map(({frame, x, y}, p) => [spot(frame, x, y), p]));
    sources = data.turns.map((_, turn) => places.map(({frame, x, y}, p) => {
      if (!turn) return p;
      const [a, b] = turned(turn, frame, x, y);
      return at.get(spot(sourceFrame(turn, frame, boxes.length), a, b));
    })).map(images => {
      const source = new Array(places.length);
      images.forEach((image, p) => { source[image] = p; });
      return source;
    });
    // Places are cut as the pictures that are here cut them, which is not always as their images would.
    if (sources.some(source => source.some(p => p === undefined))) data.turns.length = sources.length = 1;
    fixed = places.map((_, p) => data.solutions.every((_, s) => data.turns.every((_, turn) => shown(s, turn, p) === shows[p])));
    first = fixed.indexOf(false);
  }
  const shown = (s, turn, place) => shows[s * places.length + sources[turn][place]];

  // The filter.
  const wanted = new Map(); // place -> number of a name
  const filter = {symmetric: false, turned: true, feature: null};
  let matches = []; // [solution, turn]
  const turns = () => filter.turned ? data.turns.map((_, turn) => turn) : [0];
  const fits = (s, turn, but) => {
    for (const [place, name] of wanted) if (place !== but && shown(s, turn, place) !== name) return false;
    return true;
  };
  const passes = s => (!filter.symmetric || data.solutions[s][ORBIT] < order)
    && (filter.feature === null || data.solutions[s][FEATURE] === filter.feature);
  function refilter() {
    matches = [];
    data.solutions.forEach((_, s) => {
      if (!passes(s)) return;
      const turn = turns().find(turn => fits(s, turn));
      if (turn !== undefined) matches.push([s, turn]);
    });
    sayHowMany();
    element("chips").replaceChildren(...(wanted.size || filter.symmetric || filter.feature !== null ? [clearButton()] : []));
    showBoard();
    forgetCards();
    showCards();
  }
  function sayHowMany() {
    const all = data.solutions.length;
    element("shown").textContent = matches.length === all ? `${all} ${all === 1 ? "picture" : "pictures"}` : `${matches.length} of ${all} pictures`;
  }
  function forgetFilter() {
    wanted.clear();
    open = null;
    Object.assign(filter, {symmetric: false, feature: null});
  }
  function clearButton() {
    const button = document.createElement("button");
    button.className = "chip clear";
    button.textContent = "Show all";
    button.onclick = () => {
      forgetFilter();
      showFilter();
      refilter();
    };
    return button;
  }

  // The little board.
  let open = null; // the place whose choices are shown
  function showBoard() {
    const board = element("board");
    if (!board) return;
    const focused = board.contains(document.activeElement) ? document.activeElement.dataset.place : undefined;
    const [width, height, offsets, corners] = data.layouts[data.solutions[0][LAYOUT]];
    const captions = boxes.map((_, frame) => escaped(commonCaption(frame)));
    const body = boxes.map((_, frame) => `<g transform="translate(${offsets[frame]})">`
      + (captions[frame] && `<text x="${corners[frame][0]}" y="${corners[frame][1] - .3}" font-size=".42" text-anchor="start" class="said">${captions[frame]}</text>`)
      + data.solutions[0][FRAMES][frame].slice(1).filter(n => data.parts[n][COLOUR] === "hole").map(n => painted(data.parts[n])).join("")
      + places.map(({frame: f, name: cell, path, x, y}, p) => {
        if (f !== frame) return "";
        const size = (path.split(" ").length > 6 ? 1 : .7) * Math.min(.5, 1.4 / names[wanted.has(p) ? wanted.get(p) : fixed[p] ? shows[p] : 0].length);
        const name = names[wanted.has(p) ? wanted.get(p) : fixed[p] ? shows[p] : 0];
        const counter = counterOf(name), swatch = size < .25 && swatchOf(name);
        const words = name in data.named || counter || swatch ? "" : name;
        const filling = counter ? data.paper : swatch;
        const look = name in data.named ? data.named[name] : filling ? `fill="${filling}" stroke="${data.ink}" stroke-width=".03"` : "";
        const kind = wanted.has(p) ? "set" : fixed[p] ? "fixed" : "";
        const role = fixed[p] ? "" : ` role="button" tabindex="${p === first ? 0 : -1}" data-place="${p}" aria-label="${escaped(cell)}${captions[frame] && `, ${captions[frame]}`}${name && `: ${escaped(name)}`}"`;
        return `<path class="place ${kind} ${p === open ? "open" : ""}" d="${path}"${role}/>`
          + (look && `<path d="${path}" ${look} pointer-events="none"><title>${escaped(name)}</title></path>`)
          + (counter && `<circle cx="${x}" cy="${y}" r=".3" ${counter} pointer-events="none"/>`)
          + (words && `<text x="${x}" y="${y + .35 * size}" font-size="${size}" class="said ${fixed[p] ? "dim" : ""}">${escaped(words)}</text>`);
      }).join("") + "</g>").join("");
    board.innerHTML = `<svg viewBox="0 0 ${width} ${height}" style="min-width:${Math.min(1200, 14 * width)}px;max-width:${56 * width}px" font-family="system-ui, sans-serif" text-anchor="middle">${body}</svg>`;
    if (focused !== undefined) board.querySelector(`[data-place="${focused}"]`)?.focus();
    showChoices();
  }
  // How a thing looks beside its name: a colour; or, of what is written as a mark, such as a counter, a named colour.
  const colourOf = (name, fits = () => true) => data.parts.find(part => part[NAME] === name && fits(part[COLOUR]))?.[COLOUR];
  const swatchOf = name => isCode(colourOf(name)) ? colourOf(name) : data.colours[colourOf(name, Number.isInteger) % data.colours.length] ?? "";
  const counterOf = name => name && ["white", "black"].includes(colourOf(name)) ? data.named[colourOf(name)] : "";
  function commonCaption(frame) {
    const [head, ...others] = [...new Set(data.solutions.map(solution => data.captions[solution[FRAMES][frame][0]]))];
    let words = head.split(" ");
    for (const other of others) words = words.filter((word, i) => words.slice(0, i + 1).join(" ") === other.split(" ").slice(0, i + 1).join(" "));
    const common = words.join(" ");
    return !others.length ? head : /[:,→]/.test(common) ? common.split(/[:,→]/)[0].trim() : "";
  }
  function showChoices() {
    const choices = element("choices");
    choices.replaceChildren();
    if (open === null) {
      choices.innerHTML = '<span class="quiet">Choose a place on the board, then what lies there.</span>';
      return;
    }
    const counts = new Map();
    data.solutions.forEach((_, s) => {
      if (!passes(s)) return;
      const here = new Set(turns().filter(turn => fits(s, turn, open)).map(turn => shown(s, turn, open)));
      here.forEach(name => counts.set(name, (counts.get(name) ?? 0) + 1));
    });
    const alphabetical = new Intl.Collator(undefined, {numeric: true}).compare;
    [...counts.keys()].sort((a, b) => alphabetical(names[a], names[b])).forEach(name => {
      const button = document.createElement("button");
      const colour = swatchOf(names[name]), counter = counterOf(names[name]);
      const swatch = colour ? `<i style="background:${colour}"></i>` : "";
      const words = counter ? colourOf(names[name]) : names[name] || "empty";
      button.innerHTML = `${swatch}${counter && `<svg class="counter" viewBox="-1 -1 2 2" aria-hidden="true"><rect x="-1" y="-1" width="2" height="2" fill="${data.paper}"/><circle r=".8" ${counter}/></svg>`}<bdi>${escaped(words)}</bdi><small>${counts.get(name)}</small>`;
      button.dataset.name = names[name];
      button.setAttribute("aria-pressed", wanted.get(open) === name);
      button.onclick = () => {
        if (wanted.get(open) === name) wanted.delete(open);
        else wanted.set(open, name);
        refilter();
        [...choices.children].find(other => other.dataset.name === names[name])?.focus();
      };
      choices.append(button);
    });
  }
  let fixed = [], first = 0;
  function showFilter() {
    const symmetric = data.solutions.filter(solution => solution[ORBIT] < order).length;
    const rows = [];
    if (places.some((_, p) => !fixed[p])) rows.push('<div class="box"><h2>What lies where</h2><div class="board"></div></div><div class="choices" role="group" aria-label="What lies there"></div>');
    if (areTooMany) rows.push(`<p class="quiet">The board has more than ${MOST_PLACES} places, too many to choose what lies where.</p>`);
    else if (data.turns.length > 1 && rows.length) rows.push(`<label><input type="checkbox" class="turned" ${filter.turned ? "checked" : ""}>also when turned or mirrored</label>`);
    if (data.features.length > 1) rows.push(`<label>With <select class="feature"><option value="">any property</option>${data.features.map((f, n) => {
      const count = data.solutions.filter(solution => solution[FEATURE] === n).length;
      return `<option value="${n}" ${filter.feature === n ? "selected" : ""}>${escaped(f)} (${count})</option>`;
    }).join("")}</select></label>`);
    if (symmetric && symmetric < data.solutions.length) rows.push(`<label><input type="checkbox" class="symmetric" ${filter.symmetric ? "checked" : ""}>only symmetric ones (${symmetric})</label>`);
    const filters = element("filter");
    filters.hidden = !isWhole || !rows.length || data.solutions.length < 2;
    element("solutions").classList.toggle("unfiltered", filters.hidden);
    filters.innerHTML = `<summary>Filter</summary>${rows.map(row => `<div>${row}</div>`).join("")}`;
    element("symmetric")?.addEventListener("change", event => { filter.symmetric = event.target.checked; refilter(); });
    element("turned")?.addEventListener("change", event => { filter.turned = event.target.checked; refilter(); });
    element("feature")?.addEventListener("change", event => {
      filter.feature = event.target.value === "" ? null : Number(event.target.value);
      refilter();
    });
    const board = element("board");
    const choose = target => {
      if (target.dataset?.place === undefined) return;
      open = Number(target.dataset.place);
      showBoard();
      board.querySelector(`[data-place="${open}"]`).focus();
    };
    board?.addEventListener("click", event => choose(event.target));
    board?.addEventListener("keydown", event => {
      const place = event.target.dataset?.place;
      if (place === undefined) return;
      if (event.key === "Enter" || event.key === " ") choose(event.target);
      else if (event.key in ARROWS) moveOnBoard(board, event.target, ARROWS[event.key]);
      else return;
      event.preventDefault();
    });
  }

  // The grid holds the cards that are on the screen, and all of them while it is printed.
  const grid = element("grid"), cards = new Map();
  let printing = false;
  const view = () => scroller ? scroller.getBoundingClientRect() : {top: 0, bottom: innerHeight};
  function measure() {
    const units = Math.max(1, ...data.layouts.map(([width]) => width));
    const isSolid = data.solutions[0]?.[SOLID]?.flat === 0;
    const plain = data.layouts.length ? Math.max(...data.layouts.map(([width, height]) => height / width)) : 1;
    const ratio = isSolid ? Math.max(.5, plain / 2) : plain;
    const width = grid.clientWidth, room = Math.min(4, Math.max(1, FEW / (data.solutions.length || 1)));
    const area = (isNarrow() ? 17000 : 27000) * (isSolid ? 1.5 : 1), usual = Math.sqrt(area / ratio);
    const target = Math.min(width, Math.max(usual, Math.min(usual * Math.sqrt(room), MOST_CELL * units), LEAST_CELL * units));
    const columns = Math.max(1, Math.floor((width + GAP) / (target + GAP)));
    const wide = (width - GAP * (columns - 1)) / columns;
    return {columns, wide, high: (wide - 18) * ratio + 36};
  }
  function forgetCards() {
    cards.forEach(card => card.remove());
    cards.clear();
  }
  function showCards() {
    if (!grid.clientWidth) return; // it is on no page, or hidden
    const {columns, wide, high} = measure();
    grid.style.setProperty("--wide", `${Math.round(wide)}px`);
    grid.querySelector(".none")?.remove();
    if (!matches.length && isWhole) grid.innerHTML = `<p class="none">${data.solutions.length ? "No solution fits. Take something away from the filter." : "There is no picture."}</p>`;
    const rows = Math.ceil(matches.length / columns), step = high + GAP, {top, bottom} = view();
    const above = grid.getBoundingClientRect().top - top;
    grid.style.height = matches.length ? `${rows * step}px` : "";
    const from = printing ? 0 : Math.max(0, Math.floor(-above / step) - 2) * columns;
    const to = printing ? matches.length : Math.min(matches.length, Math.ceil((bottom - top - above) / step + 2) * columns);
    for (const [n, card] of cards) {
      if ((n < from || n >= to) && card !== document.activeElement) { card.remove(); cards.delete(n); }
    }
    let next = grid.firstChild;
    for (let n = from; n < to; n++) {
      let card = cards.get(n);
      if (!card) {
        card = document.createElement("button");
        const [s, turn] = matches[n], orbit = data.solutions[s][ORBIT];
        card.className = "card";
        card.dataset.match = n;
        const beside = data.solutions[s][SOLID]?.flat === 0 ? solidPicture(solid(s, turn).pieces, CORNER_VIEW, 'aria-hidden="true"') : "";
        card.innerHTML = `<div class="pair">${beside}${picture(s, turn, false)}</div><span>${s + 1}${orbit < order ? " · symmetric" : ""}</span>`;
        card.setAttribute("aria-label", `Solution ${s + 1}`);
        cards.set(n, card);
      }
      Object.assign(card.style, {left: `${n % columns * (wide + GAP)}px`, top: `${Math.floor(n / columns) * step}px`, width: `${wide}px`, height: `${high}px`});
      while (next && Number(next.dataset.match) < n) next = next.nextSibling;
      if (card === next) next = next.nextSibling;
      else grid.insertBefore(card, next);
    }
  }
  function focusCard(n) {
    if (n < 0 || n >= matches.length) return;
    const {columns, high} = measure(), step = high + GAP, {top, bottom} = view();
    const y = grid.getBoundingClientRect().top - top + Math.floor(n / columns) * step;
    if (y < 60 || y + step > bottom - top) (scroller ?? window).scrollBy(0, y - (y < 60 ? 60 : bottom - top - step));
    showCards();
    cards.get(n)?.focus({preventScroll: true});
  }
  grid.addEventListener("click", event => {
    const card = event.target.closest(".card");
    if (card) enlarge(Number(card.dataset.match));
  });
  grid.addEventListener("keydown", event => {
    const card = event.target.closest(".card");
    if (!card || !(event.key in ARROWS) || event.ctrlKey || event.altKey || event.metaKey) return;
    const [dx, dy] = ARROWS[event.key];
    focusCard(Number(card.dataset.match) + dx + dy * measure().columns);
    event.preventDefault();
  });
  let frameAsked = false;
  const soon = () => {
    if (!frameAsked) requestAnimationFrame(() => { frameAsked = false; showCards(); });
    frameAsked = true;
  };
  const print = on => { printing = on; showCards(); };
  (scroller ?? window).addEventListener("scroll", soon, {passive: true});
  new ResizeObserver(soon).observe(grid);
  if (!scroller) {
    addEventListener("beforeprint", () => print(true));
    addEventListener("afterprint", () => print(false));
  }

  // One picture, large.
  const large = box.querySelector("dialog");
  let current = 0;
  function enlarge(n) {
    current = n;
    const [s, turn] = matches[n], solution = data.solutions[s], orbit = solution[ORBIT], canChoose = places.length > 0 || actions.length > 0;
    element("number").textContent = `Solution ${s + 1}`;
    element("before").disabled = n === 0;
    element("after").disabled = n === matches.length - 1;
    element("enlarged").innerHTML = `${solution[SOLID] ? '<div class="viewer"></div>' : ""}${picture(s, turn, canChoose)}`;
    if (solution[SOLID]) solidViewer(element("viewer"), solid(s, turn));
    element("actions").replaceChildren();
    const facts = [];
    if (solution[FEATURE] !== null) facts.push(`${data.features[solution[FEATURE]]}.`);
    if (order > 1) {
      const counted = `${orbit} ${orbit === 1 ? "solution" : "solutions"}`;
      facts.push(orbit < order ? `It is symmetric: with its images it counts as ${counted}, not as ${order}.` : `With its images it counts as ${counted}.`);
    }
    if (canChoose) facts.push(actions.length ? "Choose a part of the picture, then what to do with it." : "Choose a part of the picture to see all solutions that have it there.");
    element("about").textContent = facts.join(" ");
    if (!large.open) large.showModal();
    if (links) history.replaceState(null, "", `#${s + 1}`);
  }
  const go = step => { if (matches[current + step]) enlarge(current + step); };
  element("before").onclick = () => go(-1);
  element("after").onclick = () => go(1);
  element("close").onclick = () => large.close();
  large.addEventListener("click", event => { if (event.target === large) large.close(); });
  large.addEventListener("keydown", event => {
    if (event.key === "ArrowLeft" || event.key === "ArrowUp") go(-1);
    else if (event.key === "ArrowRight" || event.key === "ArrowDown") go(1);
    else return;
    event.preventDefault();
  });
  large.addEventListener("close", () => {
    if (links) history.replaceState(null, "", location.pathname + location.search);
    focusCard(current);
  });
  function choosePart(hit, point) {
    const [s, turn] = matches[current], {part, frame, shown: f} = hit.dataset;
    if (!actions.length) { showThoseWith(hit); return; }
    const [x, y] = point ?? middleOf(hit);
    element("enlarged").querySelectorAll(".hit").forEach(other => other.setAttribute("aria-pressed", other === hit));
    const choices = actions.map(([words, act]) => [words, () => act({solution: s, turn, frame: Number(f), x, y})]);
    if (places.length) choices.push(["Show those that have it", () => showThoseWith(hit)]);
    const name = document.createElement("strong");
    name.textContent = data.parts[part][NAME];
    element("actions").replaceChildren(name, ...choices.map(([words, act]) => {
      const button = document.createElement("button");
      button.className = "chip";
      button.textContent = words;
      button.onclick = () => { large.close(); act(); };
      return button;
    }));
    element("actions").querySelector("button").focus();
  }
  function middleOf(hit) { // of the first cell in reading order that it covers, or of the whole
    const covered = rings(hit.getAttribute("d")), points = covered.flat();
    const [xs, ys] = [points.map(p => p[0]), points.map(p => p[1])];
    for (let y = Math.floor(Math.min(...ys)); y < Math.max(...ys); y++) {
      for (let x = Math.floor(Math.min(...xs)); x < Math.max(...xs); x++) if (isInside(x + .5, y + .5, covered)) return [x + .5, y + .5];
    }
    return [mean(xs), mean(ys)];
  }
  function showThoseWith(hit) {
    const {part, frame} = hit.dataset, [, turn] = matches[current];
    const image = new Map(sources[turn].map((source, place) => [source, place]));
    const lying = names.indexOf(data.parts[part][NAME]);
    for (const place of covers.get(Number(frame)).get(Number(part))) if (!fixed[image.get(place)]) wanted.set(image.get(place), lying);
    current = 0;
    refilter();
    large.close();
    (scroller ?? window).scrollTo(0, 0);
  }
  element("enlarged").addEventListener("click", event => {
    if (event.target.dataset.part === undefined) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(event.target.getScreenCTM().inverse());
    choosePart(event.target, [at.x, at.y]);
  });
  element("enlarged").addEventListener("keydown", event => {
    if (event.target.dataset.part === undefined || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    choosePart(event.target);
  });
  let touched = null;
  large.addEventListener("touchstart", event => { touched = event.touches.length === 1 ? event.touches[0] : null; }, {passive: true});
  large.addEventListener("touchend", event => {
    if (!touched) return;
    const [dx, dy] = [event.changedTouches[0].clientX - touched.clientX, event.changedTouches[0].clientY - touched.clientY];
    if (Math.abs(dx) > 50 && Math.abs(dx) > 2 * Math.abs(dy)) go(dx < 0 ? 1 : -1);
  }, {passive: true});

  function addPatterns() {
    if (box.querySelector(":scope > .patterns") || !data.patterns) return;
    const all = data.patterns.join("").replaceAll('id="kazoeru-', `id="${patterns}`);
    box.insertAdjacentHTML("beforeend", `<svg class="patterns" width="0" height="0" style="position:absolute" aria-hidden="true"><defs>${all}</defs></svg>`);
  }
  function show(newData, newOrder, whole) {
    const isMore = newData === data && !whole;
    [data, order, isWhole] = [newData, newOrder, whole];
    element("legend").textContent = data.legend.join(" · ");
    box.setAttribute("aria-busy", !whole);
    addPatterns();
    findBoxes();
    if (isMore) {
      matches = data.solutions.map((_, s) => [s, 0]);
      sayHowMany();
      showCards();
      return;
    }
    if (large.open) large.close();
    forgetFilter();
    if (whole) findStates();
    else [places, covers, sources] = [[], new Map(), [[]]];
    element("filter").open = !isNarrow();
    showFilter();
    refilter();
    if (!links) return;
    const asked = matches.findIndex(([s]) => `#${s + 1}` === location.hash);
    if (asked >= 0) enlarge(asked);
  }
  return {show};
}

// The keyboard on a board: the nearest place in the direction of the arrow gets the focus.
function moveOnBoard(board, from, [dx, dy]) {
  const here = from.getBoundingClientRect();
  let best = null, least = Infinity;
  for (const there of board.querySelectorAll("[data-place]")) {
    const box = there.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2 - here.x - here.width / 2, box.y + box.height / 2 - here.y - here.height / 2];
    const [along, across] = [x * dx + y * dy, Math.abs(x * dy) + Math.abs(y * dx)];
    if (along > 1 && along + 3 * across < least) [best, least] = [there, along + 3 * across];
  }
  best?.focus();
}
