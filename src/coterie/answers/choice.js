/* The number of clusters. */
const titles = { pac: "PAC (low is good)", delta_area: "Delta area", cophenetic: "Cophenetic correlation", dispersion: "Dispersion", eigengap: "Eigengap", stability: "Stability", separation: "Separation", member_nmi: "NMI with the members", "p-value": "p-value" };

function small(title, label) {
  const box = make("div", { class: "figure" }, make("h3", {}, title));
  byId("curves").append(box);
  const width = Math.max(220, box.clientWidth), height = 190;
  return { width, height, svg: picture(box, width, height, label) };
}

function drawCurves() {
  const part = data.choice;
  byId("curves").replaceChildren();
  drawCdf();
  const every = Math.ceil(part.k.length / 8);
  for (const [name, curve] of Object.entries(part.curves)) {
    const known = curve.filter((value) => value !== null);
    if (!known.length) continue;
    const { svg, width, height } = small(titles[name] || name, name);
    const low = Math.min(...known), high = Math.max(...known), pad = 0.1 * (high - low) || 0.05;
    const { px, py } = frame(svg, { width, height, left: 48, bottom: 34, x: [part.k[0] - 0.3, part.k[part.k.length - 1] + 0.3], y: name === "p-value" ? [0, Math.max(0.1, high + pad)] : [low - pad, high + pad], xTicks: part.k.filter((_, at) => at % every === 0), xLabel: "k" });
    const points = part.k.map((k, at) => [k, curve[at]]).filter(([, value]) => value !== null);
    if (name === "p-value") svg.append(shape("line", { class: "axis", x1: 48, x2: width - 12, y1: py(0.05), y2: py(0.05), "stroke-dasharray": "4 3" }));
    svg.append(shape("path", { d: `M${points.map(([k, value]) => `${px(k)},${py(value)}`).join("L")}`, fill: "none", stroke: theme("accent"), "stroke-width": 2 }));
    for (const [k, value] of points) {
      const chosen = k === part.chosen, voted = part.votes[name] === k;
      const dot = shape("circle", { cx: px(k), cy: py(value), r: chosen ? 6.5 : 4, fill: chosen ? theme("mark") : theme("accent"), stroke: voted ? theme("ink") : "none", "stroke-width": 2 });
      explains(dot, `k = ${k}${chosen ? " (chosen)" : ""}${voted ? ", voted for by this criterion" : ""}\n${value}`);
      svg.append(dot);
    }
  }
}

function drawCdf() {
  const part = data.choice;
  const { svg, width, height } = small("Consensus CDF (flat is good)", "Consensus CDF");
  const { px, py } = frame(svg, { width, height, left: 48, bottom: 34, x: [0, 1], y: [0, 1], xTicks: [0, 0.5, 1], xLabel: "consensus of two samples" });
  const order = part.k.map((_, at) => at).sort((a, b) => (part.k[a] === part.chosen) - (part.k[b] === part.chosen));
  for (const at of order) {
    const chosen = part.k[at] === part.chosen;
    const line = shape("path", { d: `M${part.grid.map((value, i) => `${px(value / 1000)},${py(part.cdf[at][i] / 1000)}`).join("L")}`, fill: "none", stroke: chosen ? theme("mark") : shade(0.3 + 0.6 * at / part.k.length), "stroke-width": chosen ? 3 : 1.6 });
    explains(line, `k = ${part.k[at]}${chosen ? " (chosen)" : ""}`);
    svg.append(line);
  }
}

function drawTracking() {
  const part = data.choice;
  const n = part.tracking[0].length;
  const note = n < part.tracked_of ? `${n} of ${part.tracked_of} samples. ` : "";
  const box = begin("tracking", "Tracking", `${note}Each row is a number of clusters, each column a sample, coloured by cluster. Samples that change colour from row to row have no stable cluster.`);
  const width = box.clientWidth, tall = 22, left = 34;
  const { canvas, pen } = painting(box, width, tall * part.k.length, "Tracking of samples over k");
  const cell = (width - left) / n;
  part.tracking.forEach((row, at) => {
    pen.fillStyle = part.k[at] === part.chosen ? theme("mark") : theme("ink");
    pen.font = `${part.k[at] === part.chosen ? "bold " : ""}12px sans-serif`;
    pen.fillText(String(part.k[at]), 4, tall * at + 15);
    runs(row).forEach(([cluster, first, last]) => {
      pen.fillStyle = clusterColor(cluster, part.colors);
      pen.fillRect(left + first * cell, tall * at + 1, (last - first) * cell + 0.4, tall - 2);
    });
  });
  canvas.addEventListener("pointermove", (event) => {
    const place = canvas.getBoundingClientRect();
    const at = Math.min(part.k.length - 1, Math.floor((event.clientY - place.top) / place.height * part.k.length));
    tell(event, `k = ${part.k[Math.max(0, at)]}`);
  });
  canvas.addEventListener("pointerleave", hush);
}
