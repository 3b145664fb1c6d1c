// Plays the moving pictures of a page. Without this script each shows one still.
"use strict";
(function () {
  function prepare(figure) {
    const film = JSON.parse(figure.querySelector("script").textContent);
    const svg = figure.querySelector("svg.moving");
    const controls = figure.querySelector(".controls");
    const button = controls.querySelector("button");
    const slider = controls.querySelector("input");
    const said = controls.querySelector("output");
    const height = film.size[1];
    const part = (name) => svg.querySelector("." + name + " path");
    let at = Math.floor(film.frames.length / 2), timer = null;

    const fixed = (value) => value.toFixed(1);
    const joined = (lines) => lines.map((points) => "M" + points.map(([x, y]) => fixed(x) + " " + fixed(y)).join("L")).join("");

    function draw() {
      const frame = film.frames[at];
      const across = (x) => (x - frame.l) * film.scale;
      const seen = new Map(), lines = [[], [], [], []];
      for (const [run, first, ...tenths] of frame.h) {
        const [wire, stations] = film.wires[run];
        const points = tenths.map((y, k) => [across(stations[first + k]), y / 10]);
        seen.set(run, { first, points });
        lines[wire].push(points);
      }
      lines.forEach((points, wire) => part("wire" + wire)?.setAttribute("d", joined(points)));
      const end = (run, node) => (seen.has(run) ? seen.get(run).points[node - seen.get(run).first] : undefined);
      const taut = [], slack = [];
      film.droppers.forEach(([low, i, high, j], k) => {
        const ends = [end(low, i), end(high, j)];
        if (ends[0] && ends[1]) { (frame.s.includes(k) ? slack : taut).push(ends); }
      });
      part("droppers").setAttribute("d", joined(taut));
      part("slack").setAttribute("d", joined(slack));
      const held = film.supports.map(across).filter((x) => x >= 0 && x <= film.size[0]);
      part("supports").setAttribute("d", held.map((x) => `M${fixed(x)} 0V${fixed(height)}`).join(""));
      const springs = [], boxes = [];
      for (const [x, ...tenths] of frame.p) {
        const middle = across(x), ys = tenths.map((y) => y / 10);
        springs.push([...ys, height].map((y) => [middle, y]));
        ys.forEach((y, k) => {
          const [half, tall] = k === 0 ? film.head : film.body;
          boxes.push(`M${fixed(middle - half)} ${fixed(y)}H${fixed(middle + half)}V${fixed(y + tall)}H${fixed(middle - half)}Z`);
        });
      }
      part("springs").setAttribute("d", joined(springs));
      part("masses").setAttribute("d", boxes.join(""));
      slider.value = String(at);
      said.textContent = frame.t;
    }

    function stop() {
      clearInterval(timer);
      timer = null;
      button.textContent = "Play";
    }

    function play() {
      if (at + 1 >= film.frames.length) { at = 0; }
      button.textContent = "Pause";
      timer = setInterval(() => {
        at += 1;
        draw();
        if (at + 1 >= film.frames.length) { stop(); }
      }, 1000 / film.rate);
    }

    button.addEventListener("click", () => { if (timer === null) { play(); } else { stop(); } });
    slider.addEventListener("input", () => { stop(); at = Number(slider.value); draw(); });
    slider.max = String(film.frames.length - 1);
    controls.hidden = false;
    draw();
  }

  document.querySelectorAll(".film").forEach(prepare);
})();
