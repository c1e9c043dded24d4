// What was typed into a form is not lost: neither when the session ends under it, nor to the back
// button, a reload, a change of theme or a refusal. It stays in this tab (sessionStorage), under
// the person, the tenant and the page; never a secret, a file or a token. It goes when the form has
// acted, when the person signs out, and when somebody else signs in.
"use strict";
{
const PREFIX = "hub:typed:";
const { whose = "", unkept = "", refused } = document.body.dataset;
const UNKEPT = new Set(unkept.split(" "));
const fields = (form) => [...form.elements].filter((one) => one.name && !one.disabled
  && !UNKEPT.has(one.name) && !["submit", "button", "password", "file"].includes(one.type));
const typed = (form) => fields(form).filter((one) => one.type !== "hidden");
const forms = [...document.querySelectorAll("main form[method=post]")];
const isKept = (form) => whose && forms.includes(form) && typed(form).length > 0;
const addressOf = (form) => form.getAttribute("action") || "";
const keyOf = (form) => {
  const alike = forms.filter((one) => addressOf(one) === addressOf(form));
  return `${PREFIX}${whose}:${location.pathname}#${addressOf(form)}#${alike.indexOf(form)}`;
};

const read = (key) => JSON.parse(sessionStorage.getItem(key) || "null");
const write = (key, entry) => {
  // a full store keeps no more; the form itself works on
  try { sessionStorage.setItem(key, JSON.stringify(entry)); } catch { sessionStorage.removeItem(key); }
};
const kept = () => Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
const change = (about) => {
  for (const key of kept()) write(key, { ...read(key), ...about });
};
const forget = () => kept().forEach((key) => sessionStorage.removeItem(key));

// -- what is on the page, to and from the store ---------------------------------------------------
const isTick = (one) => one.type === "checkbox" || one.type === "radio";
const valuesOf = (one) => {
  if (isTick(one)) return one.checked ? [one.value] : [];
  return one.multiple && one.options ? [...one.selectedOptions].map((chosen) => chosen.value) : [one.value];
};
const keep = (form, about) => {
  if (!isKept(form)) return;
  const lines = fields(form).map((one) => [one.name, one.type === "hidden", isTick(one), valuesOf(one)]);
  write(keyOf(form), { lines, ...about });
};
const put = (one, values) => {
  if (isTick(one)) one.checked = values.includes(one.value);
  else if (one.multiple && one.options) {
    for (const option of one.options) option.selected = values.includes(option.value);
  } else one.value = values[0] ?? "";
};
const restore = (form, entry) => {
  let isChanged = false;
  for (const name of new Set(entry.lines.map((line) => line[0]))) {
    const lines = entry.lines.filter((line) => line[0] === name);
    const ticked = lines.flatMap((line) => line[3]);
    fields(form).filter((one) => one.name === name).forEach((one, place) => {
      const line = isTick(one) ? lines[0] : lines[place];
      // what the page says of itself is as it was seen only when the session ended in between
      if (!line || (line[1] && entry.wait !== "ended")) return;
      const values = isTick(one) ? ticked : line[3];
      if (!isTick(one) && String(valuesOf(one)) === String(values)) return;
      if (isTick(one) && one.checked === ticked.includes(one.value)) return;
      put(one, values);
      isChanged = true;
      // previews look at it again
      for (const kind of ["input", "change"]) one.dispatchEvent(new Event(kind, { bubbles: true }));
    });
  }
  return isChanged;
};

// -- when a page comes ----------------------------------------------------------------------------
const [{ type } = {}] = performance.getEntriesByType("navigation");
const isAgain = type === "reload" || type === "back_forward";
const meet = (form) => {
  const entry = read(keyOf(form));
  if (!entry) return;
  if (!entry.wait && !isAgain) return sessionStorage.removeItem(keyOf(form));
  const isChanged = restore(form, entry);
  keep(form);
  const notice = document.getElementById("typed");
  if (notice && isChanged && !document.querySelector("[data-was-kept]")) {
    form.before(notice);
    notice.hidden = false;
    notice.querySelector("button").addEventListener("click", () => {
      sessionStorage.removeItem(keyOf(form));
      location.assign(location.href.split("#")[0]);
    });
  }
};
if (!whose) change({ wait: "ended" });
else {
  const own = PREFIX + whose.split(":")[0] + ":";
  for (const key of kept()) if (!key.startsWith(own)) sessionStorage.removeItem(key);
  if (refused !== undefined) change({ wait: "refused" });
  forms.filter(isKept).forEach(meet);
  // a page of ours came after the form was sent: it has acted
  for (const key of kept()) {
    const entry = read(key);
    if (entry.sent && !entry.wait) sessionStorage.removeItem(key);
  }
}

// -- while one types, and when one sends ----------------------------------------------------------
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => { if (event.target.form) keep(event.target.form); });
}
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.hasAttribute("data-forgets")) forget();
  // theme, language: the same page comes again
  else if (form.hasAttribute("data-returns")) change({ wait: "returned" });
  else keep(form, { sent: true });
});
}
