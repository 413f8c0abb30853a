/* The samples: selection, map, table. */
const rows = data.table;
const nRows = rows.sample.length;
const perPage = 25;
const wished = { clusters: new Set(), from: 0, to: 1000, doubtful: false, text: "", sort: "margin", down: false, page: 0 };
let shown = [];

const nameOf = (part, at) => (part.name ? part.name[at] : `sample ${part.sample[at]}`);
const classOf = (at) => (rows.known_classes ? rows.known_classes[rows.known_class[at]] : "");

const columns = [
  { key: "sample", title: rows.name ? "name" : "sample", text: (at) => (rows.name ? rows.name[at] : String(rows.sample[at])) },
  { key: "cluster", title: "cluster", text: (at) => String(rows.cluster[at]) },
  { key: "confidence", title: "confidence", text: (at) => milli(rows.confidence[at], 3) },
  { key: "second", title: "second", text: (at) => (rows.second[at] < 0 ? "–" : String(rows.second[at])) },
  { key: "margin", title: "margin", text: (at) => milli(rows.margin[at], 3) },
  { key: "item_consensus", title: "item-consensus", text: (at) => milli(rows.item_consensus[at], 3) },
  { key: "difficulty", title: "difficulty", text: (at) => milli(rows.difficulty[at], 3) },
];
if (rows.self_paced_difficulty) columns.push({ key: "self_paced_difficulty", title: "self-paced difficulty", text: (at) => milli(rows.self_paced_difficulty[at], 3) });
if (rows.known_classes) columns.push({ key: "known_class", title: "known class", text: classOf });

function fits(part, at) {
  return (!wished.clusters.size || wished.clusters.has(part.cluster[at]))
    && part.confidence[at] >= wished.from && part.confidence[at] <= wished.to
    && (!wished.doubtful || part.margin[at] < 1000 * data.doubtful);
}

function choose() {
  const text = wished.text.trim().toLowerCase();
  shown = [];
  for (let at = 0; at < nRows; at++) {
    if (!fits(rows, at)) continue;
    if (text && !(rows.name && rows.name[at].toLowerCase().includes(text)) && String(rows.sample[at]) !== text
      && !classOf(at).toLowerCase().includes(text)) continue;
    shown.push(at);
  }
  const column = wished.sort === "sample" && rows.name ? rows.name : rows[wished.sort];
  const sign = wished.down ? -1 : 1;
  const order = typeof column[0] === "string" ? (a, b) => column[a].localeCompare(column[b], "en", { numeric: true }) : (a, b) => column[a] - column[b];
  shown.sort((a, b) => sign * order(a, b) || rows.sample[a] - rows.sample[b]);
  wished.page = 0;
}

function drawTable() {
  const table = byId("table");
  const head = make("tr");
  for (const column of columns) {
    const direction = wished.sort === column.key ? (wished.down ? "descending" : "ascending") : "none";
    const button = make("button", { type: "button" }, column.title);
    button.addEventListener("click", () => {
      wished.down = wished.sort === column.key ? !wished.down : false;
      wished.sort = column.key;
      choose();
      drawTable();
      byId("table").querySelector(`[data-key="${column.key}"] button`).focus();
    });
    head.append(make("th", { scope: "col", "aria-sort": direction, "data-key": column.key }, button));
  }
  table.tHead.replaceChildren(head);
  const first = wished.page * perPage;
  const body = shown.slice(first, first + perPage).map((at) => {
    const row = make("tr");
    for (const column of columns) {
      const cell = make("td", {}, column.text(at));
      const cluster = column.key === "cluster" ? rows.cluster[at] : column.key === "second" ? rows.second[at] : -1;
      if (cluster >= 0) {
        const swatch = make("span", { class: "swatch" });
        swatch.style.setProperty("--own", data.colors[cluster]);
        cell.prepend(swatch);
      }
      if (column.key === "sample") cell.title = column.text(at);
      row.append(cell);
    }
    return row;
  });
  table.tBodies[0].replaceChildren(...body);
  const last = Math.min(first + perPage, shown.length);
  byId("place").textContent = shown.length ? `${format.format(first + 1)}–${format.format(last)} of ${format.format(shown.length)}` : "none";
  byId("previous").disabled = first === 0;
  byId("following").disabled = last >= shown.length;
  const cut = nRows < data.n ? ` The table holds the ${format.format(nRows)} least certain of all ${format.format(data.n)}.` : "";
  byId("filtered").textContent = shown.length === nRows
    ? `All ${format.format(nRows)} samples are listed, the least certain first.${cut}`
    : `${format.format(shown.length)} of ${format.format(nRows)} samples match.${cut}`;
}

function csv() {
  // a spreadsheet would run text that begins like a formula
  const harmless = (text) => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
  const escaped = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const quoted = (text) => escaped(harmless(text));
  const plain = (column, at) => (column.key === "second" ? String(rows.second[at]) : column.text(at).replace("–", ""));
  const lines = [columns.map((column) => column.key).join(",")];
  if (rows.name) lines[0] = `number,${lines[0].replace(/^sample/, "name")}`;
  for (const at of shown) {
    const cells = columns.map((column) => quoted(plain(column, at)));
    if (rows.name) cells.unshift(String(rows.sample[at]));
    lines.push(cells.join(","));
  }
  return lines.join("\n") + "\n";
}

function download() {
  const link = make("a", { download: "samples.csv" });
  link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/* The map: samples that do not match the filter are pale. */
let dots = [];

function drawMap() {
  const map = data.map;
  const n = map.x.length;
  const box = begin("map", "Map of the samples", `${some(n, data.n)}Larger dots are more certain. Hover over a dot for details; click it to find it in the table. ${map.note}`);
  const width = box.clientWidth;
  const height = Math.round(Math.min(560, Math.max(300, 0.55 * width)));
  const { canvas, pen } = painting(box, width, height, "Map of the samples");
  const classes = map.known ? [...new Set(map.known)].sort() : [];
  const by = byId("color").value;
  const largest = (n > 2000 ? 4 : n > 500 ? 5 : 7) * Math.min(1, 0.35 + width / 1000);
  dots = [];
  const order = [...Array(n).keys()].sort((a, b) => fits(map, a) - fits(map, b));
  for (const at of order) {
    const x = 12 + (width - 24) * map.x[at] / 4095;
    const y = height - 12 - (height - 24) * map.y[at] / 4095;
    const radius = largest * Math.sqrt(0.15 + 0.85 * map.confidence[at] / 1000);
    const fit = fits(map, at);
    const color = by === "confidence" ? shade(0.15 + 0.85 * map.confidence[at] / 1000)
      : by === "known" ? clusterColor(classes.indexOf(map.known[at]), data.classColors) : clusterColor(map.cluster[at]);
    pen.globalAlpha = fit ? 0.8 : 0.5;
    pen.fillStyle = fit ? color : theme("line");
    pen.beginPath();
    pen.arc(x, y, fit ? radius : 1.5, 0, 2 * Math.PI);
    pen.fill();
    if (fit) dots.push({ x, y, at });
  }
  canvas.dataset.dots = String(dots.length);
  const near = (event) => {
    const place = canvas.getBoundingClientRect();
    const x = (event.clientX - place.left) * width / place.width;
    const y = (event.clientY - place.top) * height / place.height;
    let best = null, least = 100;
    for (const dot of dots) {
      const away = (dot.x - x) ** 2 + (dot.y - y) ** 2;
      if (away < least) { least = away; best = dot; }
    }
    return best;
  };
  canvas.addEventListener("pointermove", (event) => {
    const dot = near(event);
    canvas.style.cursor = dot ? "pointer" : "default";
    if (!dot) return hush();
    const at = dot.at;
    const second = map.second[at] < 0 ? "" : `\nnext: cluster ${map.second[at]}, margin ${milli(map.margin[at])}`;
    const known = map.known ? `\nknown class: ${map.known[at]}` : "";
    tell(event, `${nameOf(map, at)}\ncluster ${map.cluster[at]}, confidence ${milli(map.confidence[at])}${second}${known}`);
  });
  canvas.addEventListener("pointerleave", hush);
  canvas.addEventListener("click", (event) => {
    const dot = near(event);
    if (!dot) return;
    byId("search").value = wished.text = map.name ? map.name[dot.at] : String(map.sample[dot.at]);
    choose();
    drawTable();
    byId("table").scrollIntoView({ block: "center" });
  });
}

function refresh() {
  choose();
  drawTable();
  drawMap();
  for (const button of document.querySelectorAll(".pick")) button.setAttribute("aria-pressed", String(wished.clusters.has(Number(button.dataset.cluster))));
}

function listen() {
  const slide = (id, key) => byId(id).addEventListener("input", (event) => {
    wished[key] = 10 * Number(event.target.value);
    document.querySelector(`output[for="${id}"]`).textContent = milli(wished[key]);
    refresh();
  });
  slide("from", "from");
  slide("to", "to");
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("doubtful").addEventListener("change", (event) => { wished.doubtful = event.target.checked; refresh(); });
  byId("search").addEventListener("input", (event) => { wished.text = event.target.value; choose(); drawTable(); });
  byId("all").addEventListener("click", () => {
    Object.assign(wished, { from: 0, to: 1000, doubtful: false, text: "", page: 0 });
    wished.clusters.clear();
    byId("filters").reset();
    for (const output of document.querySelectorAll(".filters output")) output.textContent = milli(output.htmlFor.value === "to" ? 1000 : 0);
    refresh();
  });
  byId("color").addEventListener("change", drawMap);
  byId("previous").addEventListener("click", () => { wished.page -= 1; drawTable(); });
  byId("following").addEventListener("click", () => { wished.page += 1; drawTable(); });
  byId("download").addEventListener("click", download);
  for (const button of document.querySelectorAll(".pick")) {
    button.addEventListener("click", () => {
      const cluster = Number(button.dataset.cluster);
      if (!wished.clusters.delete(cluster)) wished.clusters.add(cluster);
      refresh();
    });
  }
  if (data.map.known) byId("color").append(make("option", { value: "known" }, "known class"));
}
