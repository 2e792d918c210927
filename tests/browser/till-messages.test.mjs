// The till's messages without a browser: every language says the same, with the same parameters, and all of it is used.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { FluentResource } from "../../clients/kit/vendor/fluent.js";
import { FILES, LANGUAGES, messages } from "./catalogues.mjs";

const CLIENTS = join(import.meta.dirname, "../../clients");
const TILL = join(CLIENTS, "till");
/** Scripts of the first screen, which says nothing of what is loaded later. */
const FIRST = ["app.js", "redeem/redeem-view.js", "shell/text.js"];
/** In so many bytes the first screen speaks: compressed, what reads messages and the messages themselves. */
const MOST_BYTES = 8192;
/** Words that are the same in English. */
const SAME = {
    da: ["Online", "Offline", "E-mail", "Reference"], de: ["Online", "Offline", "SMS"], es: ["SMS"], fi: [], fr: ["E-mail", "SMS"], ja: ["SMS"], nb: ["SMS"],
    nl: ["Online", "Offline", "E-mail", "Camera"], sv: ["Online", "Offline"],
};

/** The names of the variables of a pattern, variants included. */
function variables(pattern) {
    if (pattern === null || typeof pattern !== "object") return [];
    const own = pattern.type === "var" ? [pattern.name] : [];
    return [...own, ...Object.values(pattern).flatMap(variables)];
}

/** Parameters by the ids of the messages. */
async function parameters(file) {
    const text = await messages(file);
    const { body } = new FluentResource(text);
    const written = [...text.matchAll(/^([a-z][\w-]*) *=/gm)].map(([, id]) => id);
    assert.deepEqual(body.map(({ id }) => id), written, `messages of ${file} that can be read, each once`);
    assert.equal(new Set(written).size, written.length, `a message of ${file} is written twice`);
    return Object.fromEntries(body.map(({ id, value }) => [id, [...new Set(variables(value))].sort()]));
}

const english = { ...await parameters("en.ftl"), ...await parameters("en-later.ftl") };

for (const file of FILES) {
    test(`${file} has the messages of English, with their parameters`, async () => {
        assert.deepEqual(await parameters(file), await parameters(file.includes("-") ? "en-later.ftl" : "en.ftl"));
    });
}

test("a language is a catalogue of two files, and can be chosen", async () => {
    assert.deepEqual(FILES, LANGUAGES.flatMap((language) => [`${language}-later.ftl`, `${language}.ftl`]));
    const [, list] = /LANGUAGES = \{(.*?)\}/s.exec(await readFile(join(TILL, "shell/language.js"), "utf8"));
    assert.deepEqual([...list.matchAll(/(\w+):/g)].map(([, language]) => language).sort(), LANGUAGES);
});

for (const language of LANGUAGES.filter((name) => name !== "en")) {
    test(`no English is left in ${language}`, async () => {
        const values = (text) => Object.fromEntries([...text.matchAll(/^([a-z][\w-]*) = (.*)$/gm)].map(([, id, value]) => [id, value]));
        const all = async (name) => values(`${await messages(`${name}.ftl`)}\n${await messages(`${name}-later.ftl`)}`);
        const [own, theirs] = [await all(language), await all("en")];
        const same = Object.keys(own).filter((id) => own[id] === theirs[id] && !SAME[language].includes(own[id]));
        assert.deepEqual(same.map((id) => `${id} = ${own[id]}`), []);
    });
}

/** The till's own scripts by their paths. */
async function scripts() {
    const names = (await readdir(TILL, { recursive: true })).filter((name) => name.endsWith(".js"));
    return Promise.all(names.map(async (name) => [name, (await readFile(join(TILL, name), "utf8")).replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")]));
}

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
    for (const [script, text] of await scripts()) {
        for (const { id, names } of calls(text)) {
            if (!english[id]) wrong.push(`${script}: ${id} does not exist`);
            else if (names?.join() !== english[id].join()) wrong.push(`${script}: ${id} has the parameters [${english[id]}], not [${names}]`);
        }
    }
    assert.deepEqual(wrong, []);
});

test("every message is used, and one that a table names has no parameters", async () => {
    const texts = await scripts();
    const named = new Set(texts.flatMap(([, text]) => [...text.matchAll(/"([^"\n]*)"/g)].map(([, literal]) => literal)));
    const called = new Set(texts.flatMap(([, text]) => [...calls(text)].map(({ id }) => id)));
    assert.deepEqual(Object.keys(english).filter((id) => !named.has(id)), [], "unused");
    assert.deepEqual(Object.keys(english).filter((id) => !called.has(id) && english[id].length > 0), [], "named by a table");
});

test("the first screen has its own messages, and no others", async () => {
    const texts = (await scripts()).filter(([script]) => FIRST.includes(script)).map(([, text]) => text).join("\n");
    const named = Object.keys(english).filter((id) => texts.includes(`"${id}"`));
    assert.deepEqual(named.sort(), Object.keys(await parameters("en.ftl")).sort());
});

test("the first screen speaks within its budget, in any language", async () => {
    const code = await Promise.all(["kit/vendor/fluent.js", "till/shell/language.js", "till/shell/text.js"].map((name) => readFile(join(CLIENTS, name))));
    for (const language of LANGUAGES) {
        const bytes = [...code, await messages(`${language}.ftl`)].reduce((sum, content) => sum + gzipSync(content).length, 0);
        assert.ok(bytes <= MOST_BYTES, `${language}: ${bytes} bytes`);
    }
});
