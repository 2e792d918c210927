// The catalogues of messages in Fluent: of the till, the widget, the storefront and the mails.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { FluentResource } from "../../clients/kit/vendor/fluent.js";

const ROOT = join(import.meta.dirname, "../..");
const TILL = join(ROOT, "clients/till/languages");

/** The till's files: two for each language, since the first screen needs few messages. */
export const FILES = (await readdir(TILL)).sort();
export const LANGUAGES = FILES.filter((name) => !name.includes("-")).map((name) => name.replace(".ftl", ""));

/** What a file of the till says. */
export const messages = (name) => readFile(join(TILL, name), "utf8");

async function scriptsIn(folder, extension) {
    const names = (await readdir(join(ROOT, folder), { recursive: true })).filter((name) => name.endsWith(extension));
    return Promise.all(names.sort().map(async (name) => [name, await readFile(join(ROOT, folder, name), "utf8")]));
}

/** The till's own scripts by their paths, without comments. */
export async function tillScripts() {
    return (await scriptsIn("clients/till", ".js")).map(([name, text]) => [name, text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")]);
}

/** Code in Rust that is no test. */
const rust = async (folder) => (await scriptsIn(folder, ".rs")).map(([, text]) => text.split("#[cfg(test)]")[0]).join("\n");

const filesIn = (folder, suffix = "") => (language) => readFile(join(ROOT, folder, `${language}${suffix}.ftl`), "utf8");

const WIDGET = "clients/widget/gift-card-widget.js";
const widgetScript = await readFile(join(ROOT, WIDGET), "utf8");
const [, english] = /\ben: messages\(`\n([^`]*)`/.exec(widgetScript);
const till = (await tillScripts()).map(([, text]) => text).join("\n");

/** Each with `text(language)`, the code that uses it, and, by language, the messages that are the same in English. */
export const CATALOGUES = [
    {
        name: "first screen of the till", text: filesIn("clients/till/languages"), code: till,
        same: { da: ["Online", "Offline"], de: ["Online", "Offline"], nl: ["Online", "Offline"], sv: ["Online", "Offline"] },
    },
    {
        name: "till", text: filesIn("clients/till/languages", "-later"), code: till,
        same: {
            da: ["E-mail", "Reference"], de: ["SMS"], es: ["SMS"], fr: ["E-mail", "SMS"], ja: ["SMS"], nb: ["SMS"], nl: ["E-mail", "Camera"],
        },
    },
    {
        name: "widget", text: (language) => language === "en" ? english : filesIn("clients/widget")(language),
        code: widgetScript.replaceAll(/\b(?:words|#words)\.(\w+)/g, '"$1"').replace(english, ""), same: {},
    },
    { name: "storefront", text: filesIn("functions/storefront/languages"), code: await rust("functions/storefront/src"), same: {} },
    { name: "mails", text: filesIn("functions/jobs/languages"), code: await rust("functions/jobs/src/mails"), same: {} },
];

/** The names of the variables of a pattern, variants included. */
function variables(pattern) {
    if (pattern === null || typeof pattern !== "object") return [];
    const own = pattern.type === "var" ? [pattern.name] : [];
    return [...own, ...Object.values(pattern).flatMap(variables)];
}

/** Parameters by the ids of the messages. */
export function parameters(text) {
    const { body } = new FluentResource(text);
    const written = [...text.matchAll(/^([a-z][\w-]*) *=/gm)].map(([, id]) => id);
    assert.deepEqual(body.map(({ id }) => id), written, "messages that can be read, each once");
    assert.equal(new Set(written).size, written.length, "no message is written twice");
    return Object.fromEntries(body.map(({ id, value }) => [id, [...new Set(variables(value))].sort()]));
}
