// The till's messages as its scripts use them, without a browser.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { FILES, LANGUAGES, messages, parameters, tillScripts } from "./catalogues.mjs";

const CLIENTS = join(import.meta.dirname, "../../clients");
const TILL = join(CLIENTS, "till");
/** Scripts of the first screen, which says nothing of what is loaded later. */
const FIRST = ["app.js", "redeem/redeem-view.js", "shell/text.js"];
/** In so many bytes the first screen speaks: compressed, what reads messages and the messages themselves. */
const MOST_BYTES = 8192;
const first = parameters(await messages("en.ftl"));
const english = { ...first, ...parameters(await messages("en-later.ftl")) };

test("a language is a catalogue of two files, and can be chosen", async () => {
    assert.deepEqual(FILES, LANGUAGES.flatMap((language) => [`${language}-later.ftl`, `${language}.ftl`]));
    const [, list] = /LANGUAGES = \{(.*?)\}/s.exec(await readFile(join(TILL, "shell/language.js"), "utf8"));
    assert.deepEqual([...list.matchAll(/(\w+):/g)].map(([, language]) => language).sort(), LANGUAGES);
});

/** What stands between the brackets that open at `start`, cut at its own commas. */
function members(text, start) {
    const found = [""];
    let depth = 0;
    for (const sign of text.slice(start)) {
        if ("([{".includes(sign)) depth += 1;
        if (")]}".includes(sign)) depth -= 1;
        if (depth === 0) return found.map((member) => member.trim()).filter(Boolean);
        if (sign === "," && depth === 1) found.push("");
        else if (!(depth === 1 && found.length === 1 && found[0] === "" && "([{".includes(sign))) found[found.length - 1] += sign;
    }
    throw new Error("brackets that do not close");
}

/** Each call that names its messages: `t("id", { amount })`, `around(isThis ? "id" : "other-id", …)`, and each note of an amount. */
function* calls(text) {
    for (const { index, 0: opening } of text.matchAll(/(?:\b(?:t|around)\(|(?<=[=?:]\s*)\[(?="note-))/g)) {
        const [first = "", second = "{}"] = members(text, index + opening.length - 1);
        const ids = [...first.replaceAll(/[!=]==? "[^"]*"/g, "").matchAll(/"([^"]*)"/g)].map(([, id]) => id).filter(Boolean);
        const names = second.startsWith("{") ? members(second, 0).map((member) => member.split(":")[0].trim()).sort() : null;
        for (const id of ids) yield { id, names };
    }
}

test("a call names a message that exists, with its parameters", async () => {
    const wrong = [];
    for (const [script, text] of await tillScripts()) {
        for (const { id, names } of calls(text)) {
            if (!english[id]) wrong.push(`${script}: ${id} does not exist`);
            else if (names?.join() !== english[id].join()) wrong.push(`${script}: ${id} has the parameters [${english[id]}], not [${names}]`);
        }
    }
    assert.deepEqual(wrong, []);
});

test("a message that a table names has no parameters", async () => {
    const called = new Set((await tillScripts()).flatMap(([, text]) => [...calls(text)].map(({ id }) => id)));
    assert.deepEqual(Object.keys(english).filter((id) => !called.has(id) && english[id].length > 0), []);
});

test("the first screen has its own messages, and no others", async () => {
    const texts = (await tillScripts()).filter(([script]) => FIRST.includes(script)).map(([, text]) => text).join("\n");
    const named = Object.keys(english).filter((id) => texts.includes(`"${id}"`));
    assert.deepEqual(named.sort(), Object.keys(first).sort());
});

test("the first screen speaks within its budget, in any language", async () => {
    const code = await Promise.all(["kit/vendor/fluent.js", "till/shell/language.js", "till/shell/text.js"].map((name) => readFile(join(CLIENTS, name))));
    for (const language of LANGUAGES) {
        const bytes = [...code, await messages(`${language}.ftl`)].reduce((sum, content) => sum + gzipSync(content).length, 0);
        assert.ok(bytes <= MOST_BYTES, `${language}: ${bytes} bytes`);
    }
});
