/* Consensus and members. */
function drawHistograms() {
  const most = Math.max(1, ...data.histograms.flat());
  for (const box of document.querySelectorAll(".histogram")) {
    const counts = data.histograms[Number(box.dataset.cluster)];
    const svg = shape("svg", { viewBox: `0 0 ${10 * counts.length} 40`, preserveAspectRatio: "none", role: "img", "aria-label": "confidence of its samples" });
    counts.forEach((count, at) => {
      const height = count ? Math.max(2, 38 * Math.sqrt(count / most)) : 0;
      const bar = shape("rect", { x: 10 * at + 0.5, width: 9, y: 40 - height, height, fill: clusterColor(Number(box.dataset.cluster)) });
      explains(bar, `${format.format(count)} samples with confidence ${(at / counts.length).toFixed(2)} to ${((at + 1) / counts.length).toFixed(2)}`);
      svg.append(bar);
    });
    svg.append(shape("line", { class: "axis", x1: 0, x2: 10 * counts.length, y1: 40, y2: 40 }));
    box.replaceChildren(svg);
  }
}

/* A square heat map of shares, with names on hover. */
function heatmap(box, part, side, label, text, bands) {
  const top = bands ? 14 : 0;
  const { canvas, pen } = painting(box, side, side + top, label);
  const n = part.size, values = decoded(part.values), cell = side / n;
  const shades = Array.from({ length: 256 }, (_, level) => shade(level / 255));
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
    pen.fillStyle = shades[values[i * n + j]];
    pen.fillRect(j * cell, top + i * cell, cell + 0.6, cell + 0.6);
  }
  if (bands) runs(bands).forEach(([cluster, first, last]) => { pen.fillStyle = clusterColor(cluster); pen.fillRect(first * cell, 0, (last - first) * cell + 0.4, top - 3); });
  canvas.addEventListener("pointermove", (event) => {
    const place = canvas.getBoundingClientRect();
    const j = Math.floor((event.clientX - place.left) / place.width * side / cell);
    const i = Math.floor(((event.clientY - place.top) / place.height * (side + top) - top) / cell);
    if (i < 0 || j < 0 || i >= n || j >= n) return hush();
    tell(event, text(i, j, (values[i * n + j] / 255).toFixed(2)));
  });
  canvas.addEventListener("pointerleave", hush);
}

/* A scale from 0 to 1. */
function legend(box, width, label) {
  const svg = picture(box, width, 34, label);
  for (let at = 0; at < 40; at++) svg.append(shape("rect", { x: 40 + 3 * at, y: 6, width: 3.5, height: 10, fill: shade(at / 39) }));
  svg.append(shape("text", { class: "soft", x: 34, y: 15, "text-anchor": "end" }, "0"));
  svg.append(shape("text", { class: "soft", x: 166, y: 15 }, `1  ${label}`));
}

function drawMatrix() {
  const part = data.matrix;
  const box = begin("matrix", "Consensus matrix", `${some(part.size, data.n)}How often two samples are clustered together, in dendrogram order; the band above shows their clusters.`);
  const side = Math.min(box.clientWidth, 520);
  heatmap(box, part, side, "Consensus matrix", (i, j, share) => `${part.name[i]} (cluster ${part.cluster[i]})\n${part.name[j]} (cluster ${part.cluster[j]})\ntogether in ${share} of the members`, part.cluster);
  legend(box, side, "share of members");
}

function drawSilhouette() {
  const part = data.silhouette;
  if (!part) return byId("silhouette").remove();
  const n = part.width.length;
  const box = begin("silhouette", "Silhouette", `${some(n, data.n)}How much nearer samples are to their own cluster than to the next, by ${part.of}. Mean ${part.mean.toFixed(2)}.`);
  const width = Math.min(box.clientWidth, 540), height = Math.min(540, 60 + 18 * data.k + 300);
  const svg = picture(box, width, height, "Silhouette");
  const low = Math.min(0, ...part.width) / 1000, high = Math.max(0.1, ...part.width) / 1000;
  const left = 14, px = (value) => left + (width - left - 12) * (value - low) / (high - low);
  for (const value of ticks(low, high, 5)) {
    svg.append(shape("line", { class: "grid", x1: px(value), x2: px(value), y1: 0, y2: height - 22 }));
    svg.append(shape("text", { class: "soft", x: px(value), y: height - 6, "text-anchor": "middle" }, String(value)));
  }
  const gap = 4, step = (height - 26 - gap * (data.k - 1)) / n;
  let y = 0;
  for (let c = 0; c < data.k; c++) {
    const own = part.width.filter((_, at) => part.cluster[at] === c);
    if (!own.length) continue;
    let path = `M${px(0)},${y}`;
    own.forEach((value, at) => { path += `H${px(value / 1000).toFixed(1)}V${(y + (at + 1) * step).toFixed(1)}`; });
    const area = shape("path", { d: `${path}H${px(0)}Z`, fill: clusterColor(c) });
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
    explains(area, `cluster ${c}: mean silhouette ${milli(mean)}`);
    svg.append(area);
    if (own.length * step > 11) svg.append(shape("text", { x: px(0) - 4, y: y + own.length * step / 2 + 4, "text-anchor": "end" }, String(c)));
    y += own.length * step + gap;
  }
  svg.append(shape("line", { class: "axis", x1: px(part.mean), x2: px(part.mean), y1: 0, y2: height - 22, "stroke-dasharray": "4 3" }));
}

function drawItems() {
  const part = data.items;
  const box = begin("items", "Item-consensus", `${some(part.size, data.n)}Each column is a sample: how often it is together with the samples of each cluster, stacked. A column of a single colour belongs clearly to one cluster.`);
  const width = box.clientWidth, height = 190, k = data.k, values = decoded(part.values);
  const { canvas, pen } = painting(box, width, height, "Item-consensus");
  let most = 0;
  for (let i = 0; i < part.size; i++) {
    let sum = 0;
    for (let c = 0; c < k; c++) sum += values[i * k + c];
    most = Math.max(most, sum);
  }
  const cell = width / part.size, up = (height - 14) / (most || 1);
  for (let i = 0; i < part.size; i++) {
    let y = height - 14;
    // its own cluster at the bottom
    const order = [part.cluster[i], ...[...Array(k).keys()].filter((c) => c !== part.cluster[i])];
    for (const c of order) {
      const tall = up * values[i * k + c];
      pen.fillStyle = clusterColor(c);
      pen.fillRect(i * cell, y - tall, cell + 0.6, tall);
      y -= tall;
    }
    pen.fillStyle = clusterColor(part.cluster[i]);
    pen.fillRect(i * cell, height - 10, cell + 0.6, 10);
  }
  canvas.addEventListener("pointermove", (event) => {
    const place = canvas.getBoundingClientRect();
    const i = Math.min(part.size - 1, Math.max(0, Math.floor((event.clientX - place.left) / place.width * part.size)));
    const best = [...Array(k).keys()].sort((a, b) => values[i * k + b] - values[i * k + a]).slice(0, 3);
    tell(event, `${part.name[i]} (cluster ${part.cluster[i]})\n${best.map((c) => `with cluster ${c}: ${(values[i * k + c] / 255).toFixed(2)}`).join("\n")}`);
  });
  canvas.addEventListener("pointerleave", hush);
}

function drawQuality() {
  const part = data.members;
  const box = begin("quality", "Quality and diversity", `Each dot is a member: its agreement (NMI) with the result, against how much it differs from the other members. ${isDark() ? "Lighter" : "Darker"} dots have more clusters.`);
  const width = Math.min(box.clientWidth, 560), height = 340;
  const svg = picture(box, width, height, "Quality and diversity of members");
  const range = (values) => {
    const low = Math.min(...values) / 1000, high = Math.max(...values) / 1000, pad = Math.max(0.02, 0.06 * (high - low));
    return [Math.max(0, low - pad), high + pad];
  };
  const { px, py } = frame(svg, { width, height, left: 54, x: range(part.diversity), y: range(part.quality), xLabel: "diversity", yLabel: "quality" });
  const most = Math.max(...part.clusters), least = Math.min(...part.clusters);
  part.name.forEach((name, at) => {
    const deep = most === least ? 0.6 : (part.clusters[at] - least) / (most - least);
    const dot = shape("circle", { cx: px(part.diversity[at] / 1000), cy: py(part.quality[at] / 1000), r: 5.5, fill: shade(0.3 + 0.7 * deep), stroke: theme("card") });
    explains(dot, `${name}: ${part.clusters[at]} clusters\nquality ${milli(part.quality[at])}, diversity ${milli(part.diversity[at])}`);
    svg.append(dot);
  });
}

function drawAgreement() {
  const part = data.agreement;
  const note = part.size < part.all ? `${part.size} of ${part.all} members. ` : "";
  const box = begin("agreement", "Agreement of members", `${note}NMI of each pair, similar ones side by side.`);
  const side = Math.min(box.clientWidth, 380);
  heatmap(box, part, side, "Agreement of members", (i, j, share) => `${part.name[i]}\n${part.name[j]}\nNMI ${share}`);
  legend(box, side, "NMI");
}

let ribbonsOf = 0;

function drawAlluvial() {
  const all = data.alluvial;
  const note = all.length < data.members.name.length ? ` The ${all.length} best of ${data.members.name.length} members can be chosen.` : "";
  const box = begin("alluvial", "From a member to the result", `How the clusters of a member map to those of the result.${note}`);
  const choice = make("select", { id: "member", "aria-label": "member" });
  all.forEach((part, at) => choice.append(make("option", { value: String(at) }, `${part.name} (${part.clusters.length} clusters)`)));
  choice.value = String(ribbonsOf);
  choice.addEventListener("change", () => { ribbonsOf = Number(choice.value); drawAlluvial(); byId("member").focus(); });
  box.append(choice);
  const part = all[ribbonsOf], table = part.table, k = data.k;
  const width = box.clientWidth, height = Math.min(680, Math.max(300, 26 * Math.max(k, table.length) + 60));
  const svg = picture(box, width, height, `From ${part.name} to the result`);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const out = table.map(sum), into = [...Array(k).keys()].map((c) => sum(table.map((row) => row[c])));
  const total = sum(out);
  const stack = (sizes) => {
    const gap = Math.min(8, 0.3 * height / sizes.length), up = (height - 34 - gap * (sizes.length - 1)) / total;
    let y = 22;
    return { up, places: sizes.map((size) => { const at = y; y += size * up + gap; return at; }) };
  };
  const from = stack(out), to = stack(into), left = 46, right = width - 46;
  const startAt = from.places.slice(), endAt = to.places.slice(), middle = (left + right) / 2;
  table.forEach((row, i) => row.forEach((count, c) => {
    if (!count) return;
    const a = startAt[i], b = endAt[c], da = count * from.up, db = count * to.up;
    startAt[i] += da;
    endAt[c] += db;
    const d = `M${left + 10},${a}C${middle},${a} ${middle},${b} ${right - 10},${b}V${b + db}C${middle},${b + db} ${middle},${a + da} ${left + 10},${a + da}Z`;
    const ribbon = shape("path", { class: "ribbon", d, fill: clusterColor(c) });
    explains(ribbon, `${format.format(count)} samples from its cluster ${part.clusters[i]}\nto cluster ${c} of the result`);
    svg.append(ribbon);
  }));
  const block = (x, y, size, name, anchor, color) => {
    svg.append(shape("rect", { x, y, width: 10, height: Math.max(1, size), fill: color }));
    if (size >= 9) svg.append(shape("text", { x: anchor === "end" ? x - 6 : x + 16, y: y + size / 2 + 4, "text-anchor": anchor }, name));
  };
  out.forEach((size, i) => block(left, from.places[i], size * from.up, String(part.clusters[i]), "end", theme("soft")));
  into.forEach((size, c) => block(right - 10, to.places[c], size * to.up, String(c), "start", clusterColor(c)));
  svg.append(shape("text", { class: "soft", x: 0, y: 12 }, "its clusters"));
  svg.append(shape("text", { class: "soft", x: width, y: 12, "text-anchor": "end" }, "the result"));
}

function drawPaced() {
  const part = data.paced;
  if (!part) return byId("paced").remove();
  const box = begin("paced", "Self-paced weights", "Mean weight of a sample's pairs in each stage, averaged over each cluster; disputed pairs are admitted gradually. Grey: 80% of the samples.");
  const width = Math.min(box.clientWidth, 620), height = 280, stages = part.clusters.length;
  const svg = picture(box, width, height, "Self-paced weights by stage");
  const { px, py } = frame(svg, { width, height, left: 54, x: [1, stages], y: [0, 1], xTicks: part.clusters.map((_, at) => at + 1), xLabel: "stage", yLabel: "mean weight" });
  const forth = part.quantiles.map((q, at) => `${px(at + 1)},${py(q[2] / 1000)}`), back = part.quantiles.map((q, at) => `${px(at + 1)},${py(q[0] / 1000)}`).reverse();
  svg.append(shape("path", { d: `M${[...forth, ...back].join("L")}Z`, fill: theme("faint") }));
  for (let c = 0; c < data.k; c++) {
    const line = shape("path", { d: `M${part.clusters.map((stage, at) => `${px(at + 1)},${py(stage[c] / 1000)}`).join("L")}`, fill: "none", stroke: clusterColor(c), "stroke-width": 2.5 });
    explains(line, `cluster ${c}`);
    svg.append(line);
  }
}
