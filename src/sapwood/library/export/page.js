"use strict";
// Shows the path of the entry that is chosen, and searches. Texts stay where the page has them.
(() => {
  const parents = JSON.parse(document.getElementById("parents").textContent);
  const articles = parents.map((_, position) => document.getElementById("e-" + position));
  const rows = [...document.querySelectorAll("#tree > li")];
  const place = document.getElementById("path");
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const newest = new Array(parents.length).fill(-1);
  parents.forEach((parent, position) => { if (parent >= 0) newest[parent] = position; });
  let shown = new Set([...place.children].map((each) => Number(each.id.slice(2))));
  const others = document.getElementById("others");
  if (others) others.remove();

  function show(position) {
    let last = position;
    while (newest[last] >= 0) last = newest[last];
    const path = [];
    for (let each = last; each >= 0; each = parents[each]) path.push(each);
    path.reverse();
    place.replaceChildren(...path.map((each) => articles[each]));
    for (const each of shown) rows[each].classList.remove("on-path");
    shown = new Set(path);
    for (const each of path) rows[each].classList.add("on-path");
  }

  function choose(position) {
    if (!(position >= 0 && position < parents.length)) return;
    if (!shown.has(position)) show(position);
    for (const each of document.querySelectorAll(".chosen")) each.classList.remove("chosen");
    rows[position].classList.add("chosen");
    articles[position].classList.add("chosen");
    if (articles[position].classList.contains("hidden-item"))
      document.getElementById("show-hidden").checked = true;
    articles[position].scrollIntoView({ block: "start" });
  }

  let haystacks = null;
  function find() {
    haystacks ??= articles.map((each, i) => (each.textContent + rows[i].textContent).toLowerCase());
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    rows.forEach((row, position) => {
      const fits = words.every((word) => haystacks[position].includes(word));
      if (fits) found += 1;
      if (row.hidden === fits) row.hidden = !fits;
    });
    count.textContent = words.length ? `${found} of ${rows.length} entries` : "";
  }

  let waiting = 0;
  search.hidden = false;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 120);
  });
  document.getElementById("tree").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    choose(Number(link.hash.slice(3)));
  });
  if (/^#e-\d+$/.test(location.hash)) choose(Number(location.hash.slice(3)));
})();
