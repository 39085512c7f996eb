// Pages of tensors: shows the elements of one, and uploads files for the list of all.

import { attempt } from "./actions.js";
import { at } from "./dom.js";
import { refresh } from "./live.js";
import { upload } from "./rest.js";
import { shown } from "./values.js";

const tensor = at("tensor");
if (tensor) at("view").append(shown({ $tensor: JSON.parse(tensor.textContent) }));

at("file")?.addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  at("note").textContent = `uploading ${file.name} …`;
  const found = await attempt(() => upload(file, file.name));
  at("note").textContent = found ? `${Object.keys(found).join(", ")}: uploaded` : "";
  target.value = "";
  await refresh();
});
