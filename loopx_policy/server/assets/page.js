// Copies commands, checks and appends rewards, and keeps the page current without taking anybody's focus.
"use strict";

const EVERY = 5000;
const byId = (id) => document.getElementById(id);

function say(text) {
  byId("said").textContent = text;
}

// --- commands ---

async function copy(button) {
  const code = button.parentElement.querySelector("code");
  const label = button.dataset.label ??= button.textContent;
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
    say("Copied");
  } catch {
    getSelection().selectAllChildren(code);
    say("Selected; copy it with the keyboard");
  }
  setTimeout(() => { button.textContent = label; }, 2000);
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", `'"'"'`) + "'";
}

function draft(form) {
  const body = fields(form);
  const words = ["loopx", "reward"];
  for (const [name, value] of Object.entries(body)) {
    if (value) words.push("--" + name.replaceAll("_", "-"), quoted(value));
  }
  const code = form.querySelector(".draft");
  code.textContent = "";
  for (const word of words) {
    if (code.firstChild) code.append(" ");
    code.append(Object.assign(document.createElement("span"), { textContent: word }));
  }
}

// --- rewards ---

function fields(form) {
  const given = new FormData(form);
  const body = { goal_id: form.dataset.goal };
  for (const name of ["run_generated_at", "decision", "reward", "reason_summary", "follow_up"]) {
    body[name] = String(given.get(name) ?? "").trim();
  }
  return body;
}

async function post(path, body) {
  const reply = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: reply.status, data: await reply.json() };
}

function show(form, kind, text) {
  const result = form.querySelector(".result");
  result.className = "result " + kind;
  result.textContent = text;
}

function forget(form) {
  form.preview = null;
  form.querySelector(".confirm").hidden = true;
}

async function refused(form, data) {
  forget(form);
  const stale = data.kind === "stale" ? "Stale preview. " : "";
  show(form, "wrong", `× ${stale}${data.error} ${data.fix}`.trim());
  if (stale) await refresh();
}

async function check(form) {
  forget(form);
  const body = fields(form);
  const button = form.querySelector(".check");
  button.disabled = true;
  try {
    const { status, data } = await post("/reward/dry-run", body);
    if (status !== 200) return refused(form, data);
    form.preview = { ...body, preview_id: data.preview_id };
    const may = document.body.dataset.append === "yes";
    const next = may ? "" : " Appending is switched off here; use the command below.";
    show(form, "good", `✓ The dry-run found nothing wrong; nothing was written. Preview ${data.preview_id}.${next}`);
    form.querySelector(".confirm").hidden = !may;
  } catch {
    show(form, "wrong", "× The server did not answer.");
  } finally {
    button.disabled = false;
    if (document.activeElement === document.body) button.focus();
  }
}

async function append(form) {
  if (!form.preview) return;
  const button = form.querySelector(".append");
  button.disabled = true;
  try {
    const { status, data } = await post("/reward/append", form.preview);
    if (status !== 200) return refused(form, data);
    forget(form);
    form.reset();
    draft(form);
    show(form, "good", `✓ One human_reward row was appended for the run of ${data.target_ref}.`);
    form.querySelector(".check").focus();
    await refresh();
  } catch {
    show(form, "wrong", "× The server did not answer; check the run history before trying again.");
  } finally {
    button.disabled = false;
  }
}

// --- refresh ---

// A part that somebody is in, has opened or has written into stays as it is.
function inUse(part) {
  const form = part.querySelector("form");
  const written = form && (form.preview || form.querySelector(".result").textContent
    || [...form.elements].some((each) => each.value !== undefined && each.type === "text" && each.value !== each.defaultValue));
  const selected = getSelection();
  const inside = selected && !selected.isCollapsed && part.contains(selected.anchorNode);
  return part.contains(document.activeElement) || written || inside;
}

function prepare(part) {
  for (const button of part.querySelectorAll(".copy")) button.hidden = false;
  for (const form of part.querySelectorAll("form.reward")) {
    form.hidden = false;
    draft(form);
  }
  for (const each of part.querySelectorAll(".scriptless")) each.hidden = true;
}

function replace(part, fresh) {
  const open = [...part.querySelectorAll("details")].map((each) => each.open);
  part.replaceChildren(...fresh.childNodes);
  part.className = fresh.className;
  part.source = fresh.source;
  [...part.querySelectorAll("details")].forEach((each, at) => { each.open = open[at] ?? false; });
  prepare(part);
}

async function refresh() {
  const reply = await fetch("/", { headers: { Accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
  const ids = (page) => [...page.querySelectorAll("[data-live]")].map((each) => each.id).join(" ");
  if (ids(document) !== ids(fresh)) {
    if (![...document.querySelectorAll("[data-live]")].some(inUse)) location.reload();
    return;
  }
  document.title = fresh.title;
  document.body.dataset.append = fresh.body.dataset.append;
  for (const part of document.querySelectorAll("[data-live]")) {
    const found = fresh.getElementById(part.id);
    found.source = found.innerHTML;
    if (found.source === part.source || inUse(part)) continue;
    const news = part.id === "needs" && part.querySelector("h1").textContent !== found.querySelector("h1").textContent;
    replace(part, found);
    if (news) say(part.querySelector("h1").textContent);
  }
}

async function loop() {
  if (!document.hidden) {
    try { await refresh(); } catch { say(""); }
  }
  setTimeout(loop, EVERY);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.matches(".copy")) copy(button);
  if (button?.matches(".append")) append(button.closest("form"));
});
document.addEventListener("submit", (event) => {
  event.preventDefault();
  check(event.target);
});
document.addEventListener("input", (event) => {
  const form = event.target.closest("form.reward");
  if (!form) return;
  if (form.preview) show(form, "", "Changed since the dry-run; check it again.");
  forget(form);
  draft(form);
});
for (const part of document.querySelectorAll("[data-live]")) part.source = part.innerHTML;
prepare(document);
setTimeout(loop, EVERY);
