// All catalogues without a browser: every language says the same, with the same parameters, and all of it is used.

import assert from "node:assert/strict";
import test from "node:test";
import { CATALOGUES, LANGUAGES, parameters } from "./catalogues.mjs";

const values = (text) => Object.fromEntries([...text.matchAll(/^([a-z][\w-]*) = (.*)$/gm)].map(([, id, value]) => [id, value]));

for (const { name, text, code, same } of CATALOGUES) {
    const english = await text("en");

    for (const language of LANGUAGES.filter((other) => other !== "en")) {
        test(`${name}: ${language} has the messages of English, with their parameters, and none in English`, async () => {
            const own = await text(language);
            assert.deepEqual(parameters(own), parameters(english));
            const theirs = values(english);
            const left = Object.entries(values(own)).filter(([id, value]) => value === theirs[id] && !same[language]?.includes(value));
            assert.deepEqual(left, []);
        });
    }

    test(`${name}: every message is used, and each that is used exists`, () => {
        const ids = Object.keys(parameters(english));
        const named = new Set([...code.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, literal]) => literal));
        assert.deepEqual(ids.filter((id) => !named.has(id)), [], "unused");
        // The till's calls are read one by one in till-messages.
        if (!code.includes("fn ")) return;
        const prefixes = new Set(ids.map((id) => id.split("-")[0]));
        const like = [...named].filter((literal) => /^[a-z]+(-[a-z]+)+$/.test(literal) && prefixes.has(literal.split("-")[0]));
        assert.deepEqual(like.filter((literal) => !ids.includes(literal)), [], "missing");
    });
}
