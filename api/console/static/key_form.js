// The form of a new key: role, groups, scopes, grants, quotas, end; and its token, which is shown this once.

import { attempt } from "./actions.js";
import { copying } from "./copy.js";
import { carried } from "./denials.js";
import { at, make } from "./dom.js";
import { merged, written } from "./grants.js";
import { refresh } from "./live.js";
import { ask } from "./rest.js";
import { granted } from "./script_form.js";

const form = at("new");
const scopes = [...form.querySelectorAll('[name="scope"]')];
const quotas = [...at("quotas").querySelectorAll("input")];

/** Scopes of admins are to be had by them alone. */
function roleChosen() {
  for (const each of scopes.filter(({ dataset }) => dataset.role)) {
    each.disabled = at("role").value !== "admin";
    each.checked = !each.disabled;
  }
}

/** What the fields ask for; what says nothing is left to the server. */
function asked() {
  const chosen = scopes.filter((each) => each.checked).map((each) => each.value);
  const all = scopes.every((each) => each.checked || each.disabled);
  const bounds = quotas.filter((each) => each.value).map((each) => [each.name, each.value === "none" ? null : Number(each.value)]);
  const { name, owner, role, groups, ends } = form.elements;
  return {
    name: name.value,
    role: role.value,
    groups: groups.value.split(/[\s,]+/).filter(Boolean),
    quotas: Object.fromEntries(bounds),
    ...(owner.value && { owner: owner.value }),
    ...(!all && { scopes: chosen }),
    ...(at("grants").value.trim() && { grants: granted(at("grants").value) }),
    ...(ends.value && { expires_in_s: Number(ends.value) }),
  };
}

/** Begin with what another key may. Values of `env` are not told, and stay empty: none would stand for any. */
function beginLike({ owner, role, groups, grants, scopes: has, quotas: bounds }) {
  form.elements.owner.value = owner;
  form.elements.groups.value = groups.join(" ");
  form.elements.role.value = role;
  roleChosen();
  for (const each of scopes) each.checked = has.includes(each.value);
  for (const each of quotas) {
    const bound = String(bounds[each.name] ?? "none");
    each.value = bound === each.placeholder ? "" : bound;
  }
  const env = grants?.env && { env: Object.fromEntries(Object.keys(grants.env).map((name) => [name, ""])) };
  write(grants && { ...grants, ...env });
}

function write(grants) {
  at("grants").value = grants ? written(grants) : "";
}

function show({ id, name, token }) {
  const field = make("input", { id: "token", class: "mono", readonly: true, value: token });
  at("made").hidden = false;
  at("made").replaceChildren(
    make("p", {}, make("strong", {}, `The key ${name}`), " is made. ", make("a", { href: `/console/keys/${id}` }, "What it may do")),
    make("label", { for: "token" }, "Its token, which is shown this once"),
    field,
    copying(field),
  );
  at("made").scrollIntoView({ block: "nearest" });
  field.focus();
  field.select();
}

at("role").addEventListener("change", roleChosen);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    show(await ask("POST", "/api/keys", asked()));
    form.reset();
    roleChosen();
    await refresh();
  });
});
if (at("like")) beginLike(JSON.parse(at("like").textContent));
const grant = carried(location.hash);
if (grant) write(merged(granted(at("grants").value), grant));
if (at("like")) form.elements.name.focus();
