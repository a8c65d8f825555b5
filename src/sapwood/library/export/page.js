"use strict";
// Shows the path of the entry that is chosen, and searches. Texts stay where the page has them, and
// nothing is looked up before it is asked for, so that a long page is ready at once.
(() => {
  const RUN = 32; // cards that are laid out together; what is far from the window waits
  const parents = JSON.parse(document.getElementById("parents").textContent);
  const articles = [...document.querySelectorAll("main article")];
  const rows = [...document.querySelectorAll("#tree a")];
  const chunks = [...document.querySelectorAll("#tree > div")];
  const place = document.getElementById("path");
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const elsewhere = document.getElementById("elsewhere");
  const showHidden = document.getElementById("show-hidden");
  const showTree = document.getElementById("show-tree"); // in a narrow window alone
  const isActive = rows.map((row) => row.classList.contains("on-path"));
  let path = [...isActive.keys()].filter((position) => isActive[position]);
  let chosen = -1;
  document.documentElement.classList.add("scripted");

  const later = (work, pause) => {
    let waiting = 0;
    return () => {
      clearTimeout(waiting);
      waiting = setTimeout(work, pause);
    };
  };

  // Paths

  let newest = null; // of each entry, the newest that follows it
  function pathThrough(position) {
    if (!newest) {
      newest = new Int32Array(parents.length).fill(-1);
      parents.forEach((parent, each) => { if (parent >= 0) newest[parent] = each; });
    }
    let last = position;
    while (newest[last] >= 0) last = newest[last];
    const through = [];
    for (let each = last; each >= 0; each = parents[each]) through.push(each);
    return through.reverse();
  }

  function show(next) {
    const runs = [];
    for (let start = 0; start < next.length; start += RUN) {
      const run = document.createElement("div");
      run.className = "run";
      run.append(...next.slice(start, start + RUN).map((each) => articles[each]));
      runs.push(run);
    }
    place.replaceChildren(...runs);
    for (const each of path) rows[each].classList.remove("on-path");
    for (const each of next) rows[each].classList.add("on-path");
    path = next;
    elsewhere.hidden = path.every((each) => isActive[each]);
    document.documentElement.classList.toggle("elsewhere", !elsewhere.hidden);
  }

  function choose(position) {
    if (chosen >= 0) {
      rows[chosen].removeAttribute("aria-current");
      articles[chosen].classList.remove("chosen");
    }
    chosen = position;
    if (!rows[position].classList.contains("on-path")) show(pathThrough(position));
    rows[position].setAttribute("aria-current", "true");
    articles[position].classList.add("chosen");
    if (articles[position].classList.contains("hidden-item"))
      showHidden.checked = true;
    showTree.checked = false;
    mark(articles[position]);
    articles[position].tabIndex = -1;
    articles[position].focus({ preventScroll: true });
    articles[position].scrollIntoView({ block: "start" });
    rows[position].scrollIntoView({ block: "nearest" });
  }

  let positions = null;
  function follow() {
    positions ??= new Map(articles.map((each, position) => [each.id, position]));
    const position = positions.get(location.hash.slice(1));
    if (position !== undefined) choose(position);
  }

  // Search

  let haystacks = null;
  let words = [];
  function find() {
    haystacks ??= articles.map((each, i) => (rows[i].textContent + each.textContent).toLowerCase());
    words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const chunk of chunks) chunk.hidden = true;
    rows.forEach((row, position) => {
      const fits = words.every((word) => haystacks[position].includes(word));
      if (row.hidden === fits) row.hidden = !fits;
      if (!fits) return;
      found += 1;
      row.parentNode.hidden = false;
    });
    for (const chunk of chunks)
      if (!chunk.hidden)
        chunk.style.setProperty("--rows", [...chunk.children].filter((row) => !row.hidden).length);
    count.value = words.length
      ? `${found.toLocaleString("en")} of ${rows.length.toLocaleString("en")} entries` : "";
    if (words.length) showTree.checked = true;
    if (chosen >= 0) mark(articles[chosen]);
  }

  // What was searched for stands out in the chosen entry.
  function mark(article) {
    if (!window.Highlight) return;
    const ranges = [];
    const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    while (words.length && ranges.length < 1000 && texts.nextNode()) {
      const text = texts.currentNode.data.toLowerCase();
      if (text.length !== texts.currentNode.data.length) continue;
      for (const word of words)
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(texts.currentNode, at);
          range.setEnd(texts.currentNode, at + word.length);
          ranges.push(range);
          const fold = texts.currentNode.parentNode.closest("details");
          if (fold) fold.open = true;
        }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  // Keys and clicks

  const said = document.getElementById("said");
  const fade = later(() => { said.hidden = true; }, 2500);
  async function copyLink(link) {
    try {
      await navigator.clipboard.writeText(link.href);
      said.textContent = "Link copied";
    } catch {
      said.textContent = "The link is in the address bar";
    }
    said.hidden = false;
    fade();
  }

  const isLeftOut = (each) => !showHidden.checked && each.classList.contains("hidden-item");
  function nextRow(from, step) {
    let at = from + step;
    while (rows[at] && (rows[at].hidden || isLeftOut(rows[at]))) at += step;
    if (rows[at]) rows[at].focus();
    else if (step < 0) search.focus();
  }

  function nextEntry(step) {
    let at = chosen < 0 ? -1 : path.indexOf(chosen);
    do at += step; while (path[at] !== undefined && isLeftOut(articles[path[at]]));
    if (path[at] === undefined) return;
    choose(path[at]); // at once: the next key may come before the address has changed
    location.hash = articles[chosen].id;
  }

  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = event.target.closest("#tree a");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && (row || event.target === search)) nextRow(row ? rows.indexOf(row) : -1, step);
    else if (event.target === search) {
      if (event.key !== "Escape" || !search.value) return;
      search.value = "";
      find();
    } else if (event.key === "/") search.focus();
    else if (event.key === "j" || event.key === "k") nextEntry(event.key === "j" ? 1 : -1);
    else if (event.key === "c" && chosen >= 0) copyLink(articles[chosen].querySelector("a.at"));
    else return;
    event.preventDefault();
  }

  search.hidden = document.getElementById("keys").hidden = false;
  search.addEventListener("input", later(find, 120));
  document.addEventListener("keydown", press);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#e-'], a[href^='#n-']");
    if (!link) return;
    if (link.className === "at") copyLink(link);
    if (link.hash === location.hash) follow(); // otherwise the change of address does it
  });
  window.addEventListener("hashchange", follow);
  if (location.hash) follow();
})();
