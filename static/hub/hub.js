// What the pages gain from a script. Without it everything works; nothing here makes HTML.
"use strict";

// Empty filters do not belong into an address.
const withoutEmpty = (form) => {
  for (const field of form.elements) {
    if (field.name && field.value === "" && field.type !== "hidden") field.disabled = true;
  }
  setTimeout(() => { for (const field of form.elements) field.disabled = false; });
};
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method === "get" && !form.hasAttribute("hx-get")) withoutEmpty(form);
});
document.addEventListener("htmx:configRequest", (event) => {
  const { parameters, verb } = event.detail;
  if (verb !== "get") return;
  for (const name of Object.keys(parameters)) if (parameters[name] === "") delete parameters[name];
});

// One menu open at a time; Escape and a click elsewhere close it.
const closeMenus = (except) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(except)) menu.open = false;
  }
};
document.addEventListener("click", (event) => closeMenus(event.target));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const open = document.activeElement?.closest("details.menu[open]");
  closeMenus(null);
  open?.querySelector("summary").focus();
});

// A table that folds on a narrow page says beside each value what it is.
const nameCells = () => {
  for (const table of document.querySelectorAll("table.folds:not(.stays)")) {
    const heads = [...table.querySelectorAll("thead th")].map((one) => one.textContent.trim());
    for (const row of table.tBodies[0]?.rows ?? []) {
      [...row.cells].forEach((cell, place) => { if (heads[place]) cell.dataset.head = heads[place]; });
    }
  }
};
nameCells();
document.addEventListener("htmx:afterSwap", nameCells);

// Copying what is shown once.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent.trim());
    button.setAttribute("aria-pressed", "true");
  });
}

// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});
