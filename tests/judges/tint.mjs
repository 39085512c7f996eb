// Validates WGSL with Tint, that of npm's `webgpu` with Dawn's null backend: `node tint.mjs FOLDER`.
//
// FOLDER holds node_modules. Standard input is a JSON object of sources by name; the output is one of the errors of
// each, in order, with no entry for a valid one.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const found = createRequire(resolve(process.argv[2], "package.json")).resolve("webgpu");
const { create, globals } = await import(pathToFileURL(found));
Object.assign(globalThis, globals);

globalThis.gpu = create(["backend=null"]); // all else dies with it, and it with its last reference
const adapter = await gpu.requestAdapter();
const requiredFeatures = ["shader-f16"].filter((feature) => adapter.features.has(feature));
const device = await adapter.requestDevice({ requiredFeatures });
device.addEventListener("uncapturederror", (event) => event.preventDefault());

let text = "";
for await (const part of process.stdin) text += part;
const refused = {};
for (const [name, code] of Object.entries(JSON.parse(text))) {
    device.pushErrorScope("validation");
    const info = await device.createShaderModule({ code }).getCompilationInfo();
    await device.popErrorScope();
    const errors = info.messages.filter((message) => message.type === "error");
    if (errors.length) refused[name] = errors.map((each) => `${each.lineNum}:${each.linePos}: ${each.message}`);
}
writeFileSync(1, `\n${JSON.stringify(refused)}`); // Dawn prints errors too
process.exit(0);
