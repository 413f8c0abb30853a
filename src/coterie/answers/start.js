/* Draw everything; redraw when the width or the theme changes. */
function drawAll() {
  hush();
  if (data.choice) { drawCurves(); drawTracking(); }
  drawHistograms();
  drawMap();
  drawMatrix();
  if (byId("silhouette")) drawSilhouette();
  drawItems();
  drawQuality();
  drawAgreement();
  drawAlluvial();
  if (byId("paced")) drawPaced();
}

function paint(name) {
  root.dataset.theme = name;
  byId("theme").textContent = name === "dark" ? "Light" : "Dark";
}

function toc() {
  const links = [...document.querySelectorAll("main > section")].map((section) => make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
  document.querySelector("nav").replaceChildren(make("div", {}, ...links));
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
paint(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => { paint(dark.matches ? "dark" : "light"); drawAll(); });
byId("theme").addEventListener("click", () => { paint(isDark() ? "light" : "dark"); drawAll(); });
byId("print").addEventListener("click", () => window.print());
let before = null;
window.addEventListener("beforeprint", () => { before = root.dataset.theme; if (before === "dark") { paint("light"); drawAll(); } });
window.addEventListener("afterprint", () => { if (before === "dark") { paint("dark"); drawAll(); } });
let width = window.innerWidth, waiting = 0;
window.addEventListener("resize", () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 120);
});
toc();
listen();
choose();
drawTable();
drawAll();
root.dataset.ready = "yes";
