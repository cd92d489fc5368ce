"use strict";
// Sorts and filters tables, opens what is folded before the page is printed,
// and brings a page that is watched up to date. Without it the page has all the
// same numbers.
(() => {
  const kept = {}; // by table: how it was sorted and filtered, for the next version of the page

  // rank returns what a cell is sorted by: its number, or its text. What is not
  // defined comes last.
  const rank = (cell) => {
    const text = cell.textContent.trim();
    const number = parseFloat(text.replaceAll("−", "-").replaceAll(",", ""));
    return text === "" || text === "–" ? null : Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };

  const sort = (table, column, order) => {
    const sign = order === "descending" ? -1 : 1;
    const rows = [...table.tBodies[0].rows].map((row) => [rank(row.cells[column]), row]);
    rows.sort(([a], [b]) => (a === null || b === null ? compare(a, b) : sign * compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
    [...table.tHead.rows].at(-1).querySelectorAll("th").forEach((th) => th.removeAttribute("aria-sort"));
    [...table.tHead.rows].at(-1).cells[column].setAttribute("aria-sort", order);
  };

  const sortable = (table) => {
    const state = (kept[table.id] ??= { filters: {} });
    [...table.tHead.rows].at(-1).querySelectorAll("th").forEach((th) => {
      const button = document.createElement("button");
      button.type = "button";
      button.id = `${table.id}-sort${th.cellIndex}`;
      button.append(...th.childNodes);
      th.append(button);
      button.onclick = () => {
        state.column = th.cellIndex;
        state.order = th.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
        sort(table, state.column, state.order);
      };
    });
    if (state.order) sort(table, state.column, state.order);
  };

  const filterable = (table) => {
    const filters = kept[table.id].filters;
    const rows = [...table.tBodies[0].rows];
    const form = document.createElement("div");
    const count = document.createElement("output");
    form.className = "filters";
    form.setAttribute("role", "group");
    form.setAttribute("aria-label", "Rows that are shown");
    const apply = () => {
      let shown = 0;
      for (const row of rows) {
        row.hidden = !Object.entries(filters).every(([key, wanted]) =>
          wanted === "" || (key === "text" ? row.textContent.toLowerCase().includes(wanted.toLowerCase()) : row.cells[key].textContent === wanted));
        shown += !row.hidden;
      }
      count.textContent = `${shown} of ${rows.length} rows`;
    };
    const add = (key, name, control) => {
      const field = document.createElement("div");
      const label = document.createElement("label");
      label.htmlFor = control.id = `${table.id}-filter-${key}`;
      label.append(name);
      field.append(label, control);
      control.oninput = () => { filters[key] = control.value; apply(); };
      form.append(field);
      control.value = filters[key] ??= "";
      if (control.value !== filters[key]) filters[key] = ""; // it is gone
    };
    for (let k = 0; k < Number(table.dataset.axes); k++) {
      const values = [...new Map(rows.map((row) => [row.cells[k].textContent, rank(row.cells[k])]))].sort(([, a], [, b]) => compare(a, b));
      if (values.length < 2 || values.length > 100) continue;
      const select = document.createElement("select");
      select.append(new Option("all", ""), ...values.map(([text]) => new Option(text, text)));
      add(k, [...table.tHead.rows].at(-1).cells[k].textContent, select);
    }
    add("text", "contains", Object.assign(document.createElement("input"), { type: "search" }));
    form.append(count);
    table.closest(".scroll").before(form);
    apply();
  };

  const enhance = () => {
    for (const table of document.querySelectorAll("main table")) {
      if (!table.dataset.axes || table.tBodies[0].rows.length < 2) continue;
      sortable(table);
      if (table.dataset.axes > 0) filterable(table);
    }
  };
  enhance();

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((details) => { details.open = false; }));

  // What follows is for a page that is watched while its sweep runs.
  const bar = document.getElementById("live-bar");
  if (!bar) return;

  // update puts the page as it is now in place of that of before; what is open,
  // chosen and in focus stays.
  const update = async () => {
    const answer = await fetch("./");
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const open = new Set([...document.querySelectorAll("details[open]")].map((details) => details.id));
    const focus = document.activeElement?.id;
    document.head.querySelector("style").replaceWith(next.head.querySelector("style"));
    for (const part of ["nav", "main"]) document.querySelector(part).replaceWith(next.querySelector(part));
    document.querySelectorAll("details").forEach((details) => { details.open = open.has(details.id); });
    enhance();
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
  };

  const watch = async () => {
    const end = document.getElementById("live-end");
    try {
      const state = await (await fetch("state")).json();
      bar.max = Math.max(1, state.todo);
      bar.value = state.done;
      document.getElementById("live-text").textContent = state.text;
      if (state.fresh || state.over) await update();
      if (!state.over) return setTimeout(watch, 1000);
      end.textContent = "The sweep has ended.";
    } catch {
      end.textContent = "The program has ended or cannot be reached; this is what was there last.";
    }
  };
  watch();
})();
