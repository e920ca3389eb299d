// The widgets of a notebook: a gallery, and a puzzle to explore. What stands before this is gallery.js.
// Words become text, never markup; only pictures are, which the kernel draws and in which it escapes all words.

function h(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function render({model, el}) {
  const root = h("div", {className: "kazoeru widget", "data-lm-suppress-shortcuts": "true"}); // the notebook's own
  root.addEventListener("keydown", event => event.stopPropagation());
  const unfollow = followTheme(root);
  const listeners = [];
  const on = (name, listener) => { model.on(name, listener); listeners.push([name, listener]); };
  el.append(root);
  if (model.get("_form")) explorer(model, root, on);
  else {
    const stale = h("p", {className: "note stale", role: "status", hidden: true}), panel = h("div", {}, stale);
    root.append(panel);
    const mark = () => {
      stale.textContent = model.get("_state").replaced ?? "";
      stale.hidden = !stale.textContent;
      panel.classList.toggle("old", !stale.hidden);
    };
    on("change:_state", mark);
    showPictures(model, panel, on, []);
    mark();
  }
  return () => {
    unfollow();
    for (const [name, listener] of listeners) model.off(name, listener);
  };
}

// The pictures, which are asked for as the kernel has them. A new generation replaces those before.
function showPictures(model, root, on, actions) {
  const box = h("div"), scroller = h("div", {className: "scroller"}, box);
  root.append(scroller);
  const pictures = gallery(box, {scroller, actions});
  const lists = ["parts", "captions", "layouts", "features", "legend", "solutions"];
  let data = null, generation = -1, isAsked = false, isShown = false, isWhole = false;
  const held = () => Object.fromEntries(lists.map(name => [name, data[name].length]));
  function follow() {
    const state = model.get("_state");
    if (generation !== state.generation) {
      data = {...Object.fromEntries(lists.map(name => [name, []])), ...state.looks};
      [generation, isAsked, isWhole] = [state.generation, false, false];
    }
    data.turns = state.turns.map(turn => [...turn]);
    scroller.hidden = !state.available && !data.solutions.length;
    if (data.solutions.length < state.available) {
      if (!isAsked) model.send({kind: "pictures", generation, held: held()});
      isAsked = true;
    } else if (state.whole && !isWhole) {
      pictures.show(data, state.order, true);
      isWhole = isShown = true;
    }
  }
  on("change:_state", follow);
  on("msg:custom", message => {
    if (message.kind !== "pictures" || message.generation !== generation) return;
    const mine = held();
    if (lists.some(name => message.held[name] !== mine[name])) return; // another view asked for it
    for (const name of lists) for (const one of message.new[name]) data[name].push(one);
    isAsked = false;
    const state = model.get("_state");
    if (!state.whole || !isShown) {
      scroller.hidden = false;
      pictures.show(data, state.order, false);
      isShown = true;
    }
    follow();
  });
  follow();
  return {generation: () => generation};
}

function explorer(model, root, on) {
  const form = model.get("_form");
  const name = `kazoeru-tab-${++galleries}`;
  const panels = {Explore: h("section"), Compare: h("section", {hidden: true})};
  const tabs = Object.keys(panels).map((words, n) => {
    Object.assign(panels[words], {id: `${name}-${n}-panel`, role: "tabpanel"});
    panels[words].setAttribute("aria-labelledby", `${name}-${n}`);
    return h("button", {id: `${name}-${n}`, role: "tab", textContent: words, "aria-controls": `${name}-${n}-panel`});
  });
  const choose = tab => tabs.forEach(other => {
    other.setAttribute("aria-selected", other === tab);
    other.tabIndex = other === tab ? 0 : -1;
    panels[other.textContent].hidden = other !== tab;
  });
  tabs.forEach((tab, n) => {
    tab.onclick = () => choose(tab);
    tab.onkeydown = event => {
      if (!(event.key in ARROWS)) return;
      event.preventDefault();
      choose(tabs[1 - n]);
      tabs[1 - n].focus();
    };
  });
  choose(tabs[0]);
  root.append(
    h("div", {className: "head"}, h("h2", {textContent: form.title}), h("p", {className: "quiet", textContent: form.summary})),
    controls(model, on, form),
    h("div", {role: "tablist", className: "tabs"}, ...tabs), ...Object.values(panels));
  searchPanel(model, panels.Explore, on);
  comparePanel(model, panels.Compare, on, form);
}

// The controls: parameters, and options behind a summary.
function controls(model, on, form) {
  const chosen = kind => model.get("_chosen")[kind];
  const set = (kind, name, value, more = {}) => {
    model.set("_chosen", {...model.get("_chosen"), [kind]: {...chosen(kind), [name]: value}});
    for (const [trait, whole] of Object.entries(more)) model.set(trait, whole);
    model.save_changes();
  };
  const updates = [];
  function control(kind, field) {
    const id = `kazoeru-field-${++galleries}`;
    const words = field.name.replaceAll("_", " ");
    const about = h("small", {id: `${id}-about`, textContent: field.meaning});
    const input = field.kind === "choice"
      ? h("select", {}, ...field.choices.map((choice, n) => h("option", {value: n, textContent: choice})))
      : field.kind === "region" || field.kind === "several" || String(chosen(kind)[field.name]).includes("\n") ? h("textarea", {rows: 1, spellcheck: false})
        : h("input", {type: {switch: "checkbox", number: "number"}[field.kind] ?? "text"});
    if (field.kind === "number") input.step = "any";
    input.id = id;
    input.setAttribute("aria-describedby", about.id);
    const read = () => field.kind === "choice" ? field.choices[input.value] : field.kind === "switch" ? input.checked
      : field.kind === "number" ? (input.value === "" ? null : Number(input.value)) : input.value;
    input.onchange = () => set(kind, field.name, read());
    updates.push(() => {
      const value = chosen(kind)[field.name];
      if (field.kind === "choice") {
        if (!field.choices.includes(value)) {
          field.choices.push(value);
          input.append(h("option", {value: field.choices.length - 1, textContent: value}));
        }
        input.value = field.choices.indexOf(value);
      } else if (field.kind === "switch") input.checked = value;
      else if (document.activeElement !== input || read() === value) input.value = value ?? "";
      if (input.rows) input.rows = Math.min(8, Math.max(1, input.value.split("\n").length));
    });
    const made = h("div", {className: `field ${field.kind}`}, h("label", {htmlFor: id, textContent: words}), input, about);
    if (field.kind === "region") made.append(board(field.name));
    return made;
  }
  // A region, to be clicked on; around it cells by which it can grow.
  function board(name) {
    const box = h("div", {className: "region", role: "group", "aria-label": `cells of ${name}`});
    let shown = null, focus = null, cells = null;
    const draw = () => {
      cells = model.get("_regions")[name] ?? null;
      if (JSON.stringify(cells) === shown) return;
      shown = JSON.stringify(cells);
      box.hidden = !cells;
      box.replaceChildren();
      if (!cells) return;
      if (cells[0].length === 3) {
        const whole = {name: "", cells, paint: path => `<path d="${path}" fill="#E4E0D6"/>`};
        solidViewer(box, {pieces: [whole], moves: [], end: ""});
        box.append(h("small", {textContent: `${cells.length} cells`}));
        return;
      }
      const own = cells.filter(([, , , isOwn]) => isOwn), points = cells.flatMap(([, , path]) => rings(path).flat());
      const [top, left] = [0, 1].map(axis => Math.min(...own.map(cell => cell[axis])));
      const [[x, right], [y, bottom]] = [0, 1].map(axis => points.map(p => p[axis])).map(all => [Math.min(...all), Math.max(...all)]);
      focus ??= `${own[0][0]} ${own[0][1]}`;
      const paths = cells.map(([row, column, path, isOwn]) => `<path class="cell" d="${path}" role="button" aria-pressed="${isOwn}" `
        + `aria-label="row ${row - top + 1}, column ${column - left + 1}" data-place="${row} ${column}" tabindex="${focus === `${row} ${column}` ? 0 : -1}"/>`);
      const [wide, high] = [right - x, bottom - y];
      box.innerHTML = `<svg viewBox="${x - .1} ${y - .1} ${wide + .2} ${high + .2}" style="width:${Math.round(26 * wide)}px;min-width:${Math.round(12 * wide)}px">${paths.join("")}</svg>`;
      box.append(h("small", {textContent: `${own.length} cells`}));
      if (isToggled) box.querySelector(`[data-place="${focus}"]`)?.focus();
      [focus, isToggled] = [null, false];
    };
    let isToggled = false;
    const toggle = target => {
      const [row, column] = target.dataset.place.split(" ").map(Number);
      const own = cells.filter(([r, c, , isOwn]) => isOwn !== (r === row && c === column));
      if (!own.length) return; // a board has some cell
      const [top, bottom] = [Math.min(...own.map(([r]) => r)), Math.max(...own.map(([r]) => r))];
      const [first, last] = [Math.min(...own.map(([, c]) => c)), Math.max(...own.map(([, c]) => c))];
      const left = first - Math.abs(top + first) % 2; // triangles point up and down as they did
      const rows = Array.from({length: bottom - top + 1}, () => Array(last - left + 1).fill("."));
      for (const [r, c] of own) rows[r - top][c - left] = "#";
      [focus, isToggled] = [`${row - top} ${column - left}`, true];
      set("parameters", name, `${rows.map(one => one.join("")).join("\n")}\n`);
    };
    box.addEventListener("click", event => { if (event.target.dataset.place) toggle(event.target); });
    box.addEventListener("keydown", event => {
      if (!event.target.dataset.place) return;
      if (event.key === "Enter" || event.key === " ") toggle(event.target);
      else if (event.key in ARROWS) moveOnBoard(box, event.target, ARROWS[event.key]);
      else return;
      event.preventDefault();
    });
    on("change:_regions", draw);
    draw();
    return box;
  }
  const made = h("form", {className: "controls", onsubmit: event => { event.preventDefault(); model.send({kind: "run"}); }},
    ...form.parameters.map(field => control("parameters", field)),
    h("details", {className: "options"}, h("summary", {textContent: "Options"}),
      h("div", {className: "fields"}, ...form.options.map(field => control("options", field)))));
  const update = () => updates.forEach(one => one());
  on("change:_chosen", update);
  update();
  return made;
}

// Search, stop, what is given, how far it is, and what was found.
function searchPanel(model, panel, on) {
  const runButton = h("button", {className: "main", textContent: "Run", onclick: () => model.send({kind: "run"})});
  const stopButton = h("button", {textContent: "Stop", onclick: () => model.send({kind: "stop"})});
  const tags = h("div", {className: "tags", role: "group", "aria-label": "What is given"});
  const error = h("p", {className: "note", role: "alert", hidden: true});
  const words = h("span", {className: "words"}), share = h("progress", {"aria-label": "share of the space that was searched"});
  const note = h("p", {className: "note", hidden: true});
  const stale = h("p", {className: "note stale", role: "status", hidden: true});
  const ofOthers = "What stands below is of other settings than those above. Run again to see what these have.";
  const live = h("span", {className: "unseen", role: "status"});
  const facts = h("table", {className: "facts"});
  const theRun = h("details", {hidden: true}, h("summary", {textContent: "The run"}), facts);
  const heat = h("div", {className: "heat"}), samples = h("div", {className: "samples"});
  const theHeat = h("details", {hidden: true}, h("summary", {textContent: "Where each piece lies, in percent of all solutions"}), heat);
  const theSamples = h("details", {hidden: true}, h("summary", {textContent: "Solutions drawn at random"}), samples);
  panel.append(h("div", {className: "buttons"}, runButton, stopButton, share, words), live, error, stale, note, tags, theRun, theHeat, theSamples);
  const point = kept => part => model.send({kind: "point", generation: pictures.generation(), kept, ...part});
  const pictures = showPictures(model, panel, on, [["Keep this", point(true)], ["Not here", point(false)]]);
  let before = {};
  function follow() {
    const state = model.get("_state"), isRunning = state.phase === "running";
    runButton.disabled = isRunning;
    stopButton.disabled = !isRunning;
    words.textContent = isRunning && !state.words ? "begins" : state.words ?? "";
    share.hidden = !isRunning;
    if (state.share) share.value = state.share;
    else share.removeAttribute("value");
    for (const [place, text] of [[error, state.error], [note, state.note]]) {
      place.hidden = !text || (place === note && isRunning);
      if (place.textContent !== (text ?? "")) place.textContent = text ?? "";
    }
    if (state.phase !== before.phase) live.textContent = isRunning ? "searching" : state.phase === "done" ? `ended: ${state.words}` : "";
    const outdated = state.replaced || (state.stale ? ofOthers : "");
    if (stale.textContent !== outdated) stale.textContent = outdated;
    stale.hidden = !outdated || isRunning;
    panel.classList.toggle("old", !stale.hidden);
    theRun.hidden = !(state.facts?.length) || isRunning;
    if (state.facts !== before.facts) facts.replaceChildren(...(state.facts ?? []).map(([name, fact]) => h("tr", {}, h("th", {textContent: name}), h("td", {textContent: fact}))));
    theHeat.hidden = !state.heat || isRunning;
    if (state.heat !== before.heat) heat.innerHTML = state.heat ?? "";
    theSamples.hidden = !(state.samples?.length) || isRunning;
    if (JSON.stringify(state.samples) !== JSON.stringify(before.samples)) samples.innerHTML = (state.samples ?? []).join("");
    before = state;
  }
  function followTags() {
    tags.replaceChildren(...model.get("_tags").map((tag, n) => h("button", {
      className: "chip", textContent: `${tag.kept ? "with" : "without"} ${tag.words} ×`, title: tag.given.join("\n"),
      "aria-label": `take away: ${tag.kept ? "with" : "without"} ${tag.words}`, onclick: () => model.send({kind: "forget", tag: n}),
    })));
  }
  on("change:_state", follow);
  on("change:_tags", followTags);
  follow();
  followTags();
}

// Backends one after another: solutions over time, and a table.
const DASHES = ["", "6 3", "2 2", "9 3 2 3", "1 3"];
function comparePanel(model, panel, on, form) {
  const boxes = form.backends.map(backend => {
    const input = h("input", {type: "checkbox", checked: true, value: backend});
    return [input, h("label", {}, input, backend)];
  });
  const begin = h("button", {className: "main", textContent: "Compare", onclick: () =>
    model.send({kind: "compare", backends: boxes.filter(([box]) => box.checked).map(([box]) => box.value)})});
  const end = h("button", {textContent: "Stop", onclick: () => model.send({kind: "stop"})});
  const words = h("span", {className: "words", role: "status"});
  const chart = h("div", {className: "chart"}), wrong = h("div"), table = h("table", {className: "rows"});
  panel.append(h("div", {className: "buttons", role: "group", "aria-label": "backends"}, ...boxes.map(([, label]) => label)),
    h("div", {className: "buttons"}, begin, end, words), wrong, h("div", {className: "beside"}, chart, h("div", {className: "wide"}, table)));
  const columns = [["backend", "backend"], ["complete", "complete"], ["solutions", "solutions"], ["total", "in all"],
    ["first", "first s"], ["seconds", "all s"], ["search", "search"], ["model", "model"],
    ["besides the rules", "besides the rules"]];
  const number = value => value === null || value === undefined ? "" : Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(2);
  function follow() {
    const {running, lines, rows, wrong: sentences, agree} = model.get("_compared");
    const look = backend => {
      const number = Math.max(0, form.backends.indexOf(backend));
      return [form.lines[number % form.lines.length], DASHES[number % DASHES.length]];
    };
    begin.disabled = Boolean(running);
    end.disabled = !running;
    words.textContent = running ? `${running} runs` : rows.length ? agree || "ended" : "";
    wrong.replaceChildren(...sentences.map(sentence => h("p", {className: "note", role: "alert", textContent: sentence})));
    chart.innerHTML = Object.keys(lines).length ? plot(lines, look) : "";
    chart.hidden = table.hidden = !Object.keys(lines).length;
    table.replaceChildren(h("tr", {}, ...columns.map(([, title]) => h("th", {textContent: title, scope: "col"}))),
      ...rows.map(row => h("tr", {}, ...columns.map(([key]) => {
        const text = typeof row[key] === "string" ? row[key] : number(row[key]);
        const cell = h("td", {textContent: (key === "solutions" || key === "total") && !row.is_complete ? `≥ ${text}` : text});
        if (key === "backend") cell.prepend(h("i", {style: `background:${look(row.backend)[0]}`}));
        return cell;
      }))));
  }
  on("change:_compared", follow);
  follow();
}

function plot(lines, look) {
  const [wide, high, left, below, above] = [560, 310, 62, 40, 48];
  const points = Object.values(lines).flat();
  const last = Math.max(.1, ...points.map(([x]) => x)), most = Math.max(1, ...points.map(([, y]) => y));
  const x = value => left + value / last * (wide - left - 16), y = value => high - below - value / most * (high - below - above);
  const step = span => {
    const size = 10 ** Math.floor(Math.log10(span / 4));
    return [1, 2, 5, 10].map(n => n * size).find(one => span / one <= 5);
  };
  const ticks = (span, whole) => {
    const each = whole ? Math.max(1, step(span)) : step(span);
    return Array.from({length: Math.floor(span / each + 1e-9) + 1}, (_, n) => n * each);
  };
  const text = (at, words, anchor) => `<text x="${at[0]}" y="${at[1]}" text-anchor="${anchor}">${escaped(words)}</text>`;
  const axes = `<path d="M${left} ${above}V${high - below}H${wide - 16}" class="axis"/>`
    + ticks(last).map(v => `<path d="M${x(v)} ${high - below}v5" class="axis"/>` + text([x(v), high - below + 18], String(+v.toPrecision(3)), "middle")).join("")
    + ticks(most, true).map(v => `<path d="M${left} ${y(v)}h-5" class="axis"/>` + text([left - 9, y(v) + 4], v.toLocaleString("en"), "end")).join("")
    + text([(left + wide) / 2, high - 4], "seconds, start-up included", "middle")
    + text([4, 36], "solutions up to symmetry", "start");
  const drawn = Object.entries(lines).map(([backend, line], n) => {
    const [colour, dashes] = look(backend), beside = left + n * 110;
    const stroke = `fill="none" stroke="${colour}" stroke-width="2.5" stroke-dasharray="${dashes}"`;
    const path = line.map(([t, n], i) => i ? `H${x(t).toFixed(1)}V${y(n).toFixed(1)}` : `M${x(t).toFixed(1)} ${y(n).toFixed(1)}`).join("");
    return `<path d="${path}" ${stroke}/><path d="M${beside} 10h28" ${stroke}/>` + text([beside + 34, 14], backend, "start");
  }).join("");
  const words = Object.entries(lines).map(([backend, line]) => `${backend}: ${line.at(-1)[1]} solutions after ${line.at(-1)[0].toFixed(1)} s`).join("; ");
  return `<svg viewBox="0 0 ${wide} ${high}" role="img" aria-label="${escaped(words)}">${axes}${drawn}</svg>`;
}

export default {render};
