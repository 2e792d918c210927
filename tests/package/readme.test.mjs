// The README of the package against what it describes.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { WebhookError } from "../../clients/typescript/webhooks.js";

const ROOT = join(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "clients/typescript");
const read = (...path) => readFile(join(...path), "utf8");

/** Codes that the description has no schema for. */
const WITHOUT_SCHEMA = { METHOD_NOT_ALLOWED: "405", TEAM_INVITE_OTP_REQUIRED: "400" };

/** The codes in the description of the API, and the statuses that they have: `{NOT_FOUND: "404"}`. */
async function describedCodes() {
    const { paths, components } = JSON.parse(await read(ROOT, "openapi.json"));
    const statuses = {};
    for (const path of Object.values(paths)) {
        for (const { responses } of Object.values(path)) {
            for (const [status, described] of Object.entries(responses ?? {})) {
                const response = described.$ref ? components.responses[described.$ref.split("/").at(-1)] : described;
                const text = JSON.stringify(response.content?.["application/json"]?.schema ?? {});
                for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
                    const { error, code } = components.schemas[name].properties ?? {};
                    const codes = (error?.properties?.code ?? (error && code))?.enum ?? [];
                    for (const code of codes) (statuses[code] ??= new Set()).add(status);
                }
            }
        }
    }
    return Object.fromEntries(Object.entries(statuses).map(([code, found]) => [code, [...found].sort().join(", ")]));
}

test("the table of error codes has those of openapi.json, with their statuses", async () => {
    const table = (await read(PACKAGE, "README.md")).split("\n## Errors\n")[1].split("\n## ")[0];
    const rows = [...table.matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \|/gm)].map(([, code, status]) => [code, status]);
    assert.equal(new Set(rows.map(([code]) => code)).size, rows.length, "a code has two rows");
    const documented = rows.map(String);
    const described = Object.entries({ ...(await describedCodes()), ...WITHOUT_SCHEMA }).map(String);
    assert.deepEqual(described.filter((row) => !documented.includes(row)), [], "rows that are missing");
    assert.deepEqual(documented.filter((row) => !described.includes(row)), [], "rows that are too many");
});

test("the tables of options have every option", async () => {
    const readme = await read(PACKAGE, "README.md");
    for (const [title, file, type] of [
        ["### Options", "money-call.d.ts", "MoneyCallOptions"],
        ["## The client", "types.d.ts", "PortalClientOptions"],
        ["**Reads that are repeated.**", "reliable-reads.d.ts", "ReliableReadsOptions"],
        ["**Options** of `verifyWebhook`", "webhooks.d.ts", "WebhookOptions"],
    ]) {
        const declaration = (await read(PACKAGE, file)).split(new RegExp(`(?:type|interface) ${type} (?:= )?\\{`))[1].split(/^\}/m)[0];
        const options = [...declaration.matchAll(/^ +(\w+)\??: /gm)].map(([, option]) => option);
        const rows = readme.split(`\n${title}`)[1].split(/\n(?:#|\*\*)/)[0].matchAll(/^\| (`.*?) \|/gm);
        const documented = [...rows].flatMap(([, cell]) => [...cell.matchAll(/`(\w+)`/g)].map(([, option]) => option));
        assert.deepEqual(documented.sort(), options.sort(), type);
    }
});

test("the table of outcomes has every kind", async () => {
    const types = await read(PACKAGE, "money-call.d.ts");
    const kinds = new Set([...types.matchAll(/kind: "(\w+)"/g)].map(([, kind]) => kind));
    assert.ok(kinds.size >= 6);
    const table = (await read(PACKAGE, "README.md")).split("\n### Outcomes\n")[1].split("\n### ")[0];
    for (const kind of kinds) assert.match(table, new RegExp(`^\\| \`${kind}\` \\|`, "m"));
});

test("the table of webhooks has every type, and what it tells", async () => {
    const { webhooks } = JSON.parse(await read(ROOT, "openapi.json"));
    const section = (await read(PACKAGE, "README.md")).split("\n## Webhooks\n")[1].split("\n## ")[0];
    const rows = [...section.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| ([^|]+) \|/gm)].map(([, type, text]) => [type, `${text}.`.toLowerCase()]);
    assert.deepEqual(rows, Object.entries(webhooks).map(([type, { post }]) => [type, post.summary.toLowerCase()]));
});

test("the table of what is wrong with a webhook has every code, with its status", async () => {
    const section = (await read(PACKAGE, "README.md")).split("\n## Webhooks\n")[1].split("\n## ")[0];
    const rows = [...section.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(([, code, status]) => [code, Number(status)]);
    const [, type] = (await read(PACKAGE, "webhooks.d.ts")).match(/type WebhookErrorCode = (.*);/);
    assert.deepEqual(rows.map(([code]) => `"${code}"`), type.split(" | "));
    for (const [code, status] of rows) assert.equal(new WebhookError(code, "").status, status, code);
});

test("the worker of the README is that of the examples", async () => {
    const example = await read(PACKAGE, "examples/webhook-worker.ts");
    const program = example.slice(example.indexOf("import "));
    assert.ok((await read(PACKAGE, "README.md")).includes("```ts\n" + program + "```\n"));
});

test("every module that the README imports is an entry of the package", async () => {
    const readme = await read(PACKAGE, "README.md");
    const { name, exports } = JSON.parse(await read(PACKAGE, "package.json"));
    const imported = [...readme.matchAll(/from "([^"]+)"/g)].map(([, module]) => module.replace(name, "."));
    for (const module of imported) assert.ok(module in exports, module);
    // And the other way round: each entry is mentioned.
    for (const entry of Object.keys(exports)) {
        if (entry === "." || entry === "./package.json" || entry === "./schema") continue;
        assert.ok(readme.includes(entry.slice(1)), entry);
    }
});
