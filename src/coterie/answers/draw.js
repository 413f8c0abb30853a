/* Shared by all figures. All text goes through textContent, never through HTML. */
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const format = new Intl.NumberFormat("en");

function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}

function shape(tag, attributes = {}, ...inside) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}

/* Empty a figure, give it a title and an optional note; return the box to draw in. */
function begin(id, title, note = "") {
  const box = byId(id);
  box.replaceChildren(make("h3", {}, title));
  if (note) box.append(make("p", { class: "note" }, note));
  return box;
}

function picture(box, width, height, label) {
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  box.append(svg);
  return svg;
}

function painting(box, width, height, label) {
  const canvas = make("canvas", { role: "img", "aria-label": label });
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  box.append(canvas);
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  return { canvas, pen };
}

const theme = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
const isDark = () => root.dataset.theme === "dark";

function parts(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

function mixed(from, to, share) {
  const a = parts(from), b = parts(to);
  return `rgb(${a.map((value, i) => Math.round(value + share * (b[i] - value))).join(",")})`;
}

/* Colours of clusters, a little lighter on a dark page. */
function clusterColor(cluster, colors = data.colors) {
  const color = colors[cluster] || "#7f7f7f";
  return isDark() ? mixed(color, "#ffffff", 0.22) : color;
}

/* From the page's own colour to blue: shares in [0, 1]. */
function shade(share) {
  const ends = isDark() ? ["#222a34", "#2f7fc0", "#d6ecff"] : ["#ffffff", "#6fa8d6", "#08306b"];
  return share < 0.5 ? mixed(ends[0], ends[1], 2 * share) : mixed(ends[1], ends[2], 2 * share - 1);
}

function decoded(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

const milli = (value, digits = 2) => (value === null ? "–" : (value / 1000).toFixed(digits));

function tell(event, text) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = false;
  const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 16;
  const above = event.clientY - tip.offsetHeight - 12;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${below + tip.offsetHeight > window.innerHeight ? above : below}px`;
}

function hush() { byId("tip").hidden = true; }

function explains(element, text) {
  element.addEventListener("pointermove", (event) => tell(event, text));
  element.addEventListener("pointerleave", hush);
}

/* Round numbers between two ends. */
function ticks(low, high, about = 5) {
  const step = Math.pow(10, Math.floor(Math.log10((high - low) / about || 1)));
  const wide = [1, 2, 5, 10].map((by) => by * step).find((by) => (high - low) / by <= about) || 10 * step;
  const found = [];
  for (let at = Math.ceil(low / wide - 1e-9) * wide; at <= high + 1e-9 * wide; at += wide) found.push(Number(at.toPrecision(10)));
  return found;
}

/* Axes of a chart. Returns the functions from values to pixels. */
function frame(svg, { left = 46, right = 12, top = 10, bottom = 38, width, height, x, y, xTicks, xLabel, yLabel }) {
  const px = (value) => left + (width - left - right) * (value - x[0]) / (x[1] - x[0] || 1);
  const py = (value) => height - bottom - (height - top - bottom) * (value - y[0]) / (y[1] - y[0] || 1);
  for (const value of ticks(y[0], y[1])) {
    svg.append(shape("line", { class: "grid", x1: left, x2: width - right, y1: py(value), y2: py(value) }));
    svg.append(shape("text", { class: "soft", x: left - 6, y: py(value) + 4, "text-anchor": "end" }, String(value)));
  }
  for (const value of xTicks || ticks(x[0], x[1], Math.max(3, Math.floor(width / 90)))) {
    svg.append(shape("text", { class: "soft", x: px(value), y: height - bottom + 16, "text-anchor": "middle" }, String(value)));
  }
  svg.append(shape("path", { class: "axis", d: `M${left},${top}V${height - bottom}H${width - right}` }));
  if (xLabel) svg.append(shape("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, xLabel));
  if (yLabel) {
    const middle = (top + height - bottom) / 2;
    svg.append(shape("text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, yLabel));
  }
  return { px, py };
}

/* Runs of equal values: [value, first, last + 1]. Drawn as one, they have no seams. */
function runs(values) {
  const found = [];
  values.forEach((value, at) => {
    if (at && value === values[at - 1]) found[found.length - 1][2] = at + 1;
    else found.push([value, at, at + 1]);
  });
  return found;
}

const some = (shown, all, noun = "samples") => (shown < all ? `${format.format(shown)} of ${format.format(all)} ${noun}, a random sample from each cluster. ` : "");
