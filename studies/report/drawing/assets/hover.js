// Reads values off the charts: a pointer, a finger or the arrow keys. Without this script the page is still whole.
"use strict";
(function () {
  const NS = "http://www.w3.org/2000/svg";

  function shown(value) {
    const size = Math.abs(value);
    const digits = size >= 1000 || size === 0 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
    return value.toFixed(digits).replace("-", "\u2212");
  }

  function real(value, power) {
    return power ? Number(Math.pow(10, value).toPrecision(4)) : value;
  }

  function nearest(xs, x) {
    let low = 0, high = xs.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (xs[middle] > x) { high = middle; } else { low = middle; }
    }
    return Math.abs(xs[low] - x) <= Math.abs(xs[high] - x) ? low : high;
  }

  function held(xs, x) {
    let k = 0;
    while (k + 1 < xs.length && xs[k + 1] <= x) { k += 1; }
    return k;
  }

  function prepare(plot) {
    const svg = plot.querySelector("svg.chart");
    const cursor = document.createElementNS(NS, "g");
    cursor.setAttribute("class", "cursor");
    svg.append(cursor);
    const reading = plot.querySelector(".reading");
    const chart = JSON.parse(plot.querySelector("script").textContent);
    const [x0, x1, y0, y1, left, right, top, bottom] = chart.frame;
    const scaled = chart.log ? Math.log10 : (value) => value;
    const share = (value, low, high) => (scaled(value) - scaled(low)) / (scaled(high) - scaled(low));
    const across = (x) => left + share(x, x0, x1) * (right - left);
    const down = (y) => bottom - share(y, y0, y1) * (bottom - top);
    if (!chart.curves.length && !chart.cells) { return; }
    let at = null, row = 0;

    function line(text, colour, strong) {
      const row = document.createElement("div");
      if (colour) {
        const dot = document.createElement("i");
        dot.style.background = colour;
        row.append(dot);
      }
      const part = document.createElement(strong ? "b" : "span");
      part.textContent = text;
      row.append(part);
      return row;
    }

    function mark(x, y, colour) {
      const dot = document.createElementNS(NS, "circle");
      dot.setAttribute("cx", across(x));
      dot.setAttribute("cy", Math.min(Math.max(down(y), top), bottom));
      dot.setAttribute("r", 4);
      dot.setAttribute("fill", colour);
      cursor.append(dot);
    }

    function rule(x) {
      const bar = document.createElementNS(NS, "line");
      bar.setAttribute("x1", across(x));
      bar.setAttribute("x2", across(x));
      bar.setAttribute("y1", top);
      bar.setAttribute("y2", bottom);
      cursor.append(bar);
    }

    function place(px) {
      reading.hidden = false;
      const scale = svg.clientWidth / chart.size[0];
      const right = px * scale + 14;
      const fits = right + reading.offsetWidth <= plot.clientWidth;
      reading.style.left = Math.max(0, fits ? right : px * scale - 14 - reading.offsetWidth) + "px";
      reading.style.top = (top + 4) * scale + "px";
    }

    function readAt(x) {
      at = Math.min(Math.max(x, x0), x1);
      cursor.replaceChildren();
      reading.replaceChildren(line(`${chart.x.label} ${shown(real(at, chart.powers[0]))} ${chart.x.unit}`, null, true));
      rule(at);
      for (const curve of chart.curves) {
        if (at < curve.x[0] - 1e-9 || at > curve.x[curve.x.length - 1] + 1e-9) { continue; }
        const k = curve.mark === "step" ? held(curve.x, at) : nearest(curve.x, at);
        mark(curve.mark === "step" ? at : curve.x[k], curve.y[k], curve.colour);
        reading.append(line(`${curve.label}: ${shown(curve.y[k])} ${chart.y.unit}`, curve.colour, false));
      }
      place(across(at));
    }

    function readPoint(px, py) {
      let best = null;
      for (const curve of chart.curves) {
        for (let k = 0; k < curve.x.length; k += 1) {
          const far = Math.hypot(across(curve.x[k]) - px, Math.min(Math.max(down(curve.y[k]), top), bottom) - py);
          if (best === null || far < best.far) { best = { far, curve, k }; }
        }
      }
      const { curve, k } = best;
      at = curve.x[k];
      cursor.replaceChildren();
      mark(curve.x[k], curve.y[k], curve.colour);
      const name = `${chart.x.label} ${String(curve.x[k])} ${chart.x.unit}`;
      reading.replaceChildren(line(name, null, true));
      const note = curve.notes.length ? curve.notes[k] : "";
      reading.append(line(note || `${curve.label}: ${shown(curve.y[k])} ${chart.y.unit}`, curve.colour, false));
      place(across(curve.x[k]));
    }

    function readCell(x, y) {
      const cells = chart.cells;
      at = Math.min(Math.max(x, x0), x1);
      row = nearest(cells.y, y);
      const value = cells.values[row][nearest(cells.x, at)];
      cursor.replaceChildren();
      mark(at, cells.y[row], "#1b1b1b");
      reading.replaceChildren(
        line(`${chart.y.label} ${String(real(cells.y[row], chart.powers[1]))} ${chart.y.unit}`, null, true),
        line(`${chart.x.label} ${shown(real(at, chart.powers[0]))} ${chart.x.unit}`, null, false),
        line(`${cells.label}: ${value === null ? "not known" : value + " " + cells.unit}`, null, false),
      );
      place(across(at));
    }

    function clear() {
      cursor.replaceChildren();
      reading.hidden = true;
    }

    function pointed(event) {
      const box = svg.getBoundingClientRect();
      const scale = chart.size[0] / box.width;
      const px = (event.clientX - box.left) * scale, py = (event.clientY - box.top) * scale;
      if (px < left - 20 || px > right + 20) { clear(); return; }
      const x = x0 + (px - left) / (right - left) * (x1 - x0);
      if (chart.pick === "x") { readAt(x); } else if (chart.pick === "point") { readPoint(px, py); } else {
        readCell(x, y0 + (bottom - py) / (bottom - top) * (y1 - y0));
      }
    }

    svg.addEventListener("pointermove", pointed);
    svg.addEventListener("pointerdown", pointed);
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") { clear(); } });
    svg.addEventListener("blur", clear);
    svg.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const up = chart.cells ? { ArrowDown: -1, ArrowUp: 1 }[event.key] : undefined;
      if (event.key === "Escape") { clear(); }
      if (up) {
        event.preventDefault();
        row = Math.min(Math.max(row + up, 0), chart.cells.y.length - 1);
        readCell(at === null ? x0 : at, chart.cells.y[row]);
        return;
      }
      if (!way) { return; }
      event.preventDefault();
      if (chart.pick === "x") { readAt((at === null ? x0 : at) + way * (x1 - x0) / 200); return; }
      if (chart.pick === "cell") { readCell((at === null ? x0 : at) + way * (x1 - x0) / 100, chart.cells.y[row]); return; }
      const xs = [...new Set(chart.curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
      const k = Math.min(Math.max((at === null ? -1 : xs.indexOf(at)) + way, 0), xs.length - 1);
      const curve = chart.curves.find((c) => c.x.includes(xs[k]));
      readPoint(across(xs[k]), down(curve.y[curve.x.indexOf(xs[k])]));
    });
  }

  document.querySelectorAll(".plot").forEach(prepare);
})();
