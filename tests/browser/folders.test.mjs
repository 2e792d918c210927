// Where the files of the dashboard and of the till stand: each folder uses those before it in its list, so that no two use each
// other, and what all share knows nothing of a subject. So it is with the types that comments import.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";

const CLIENTS = join(import.meta.dirname, "../../clients");
/** The last is the client's own folder, which puts all together. */
const FOLDERS = {
    dashboard: ["shell", "forms", "reports", "orders", "cards", "payouts", "overview", "offers", "team", "stores", "developers", "business", "account", "platform", "."],
    till: ["shell", "cards", "scanner", "paper", "sell", "give-back", "redeem", "journal", "."],
};
/** Its type is named by all of its screens. */
const TILL = "till/till.js";
const MOST_LINES = 250;
const LONGER = [
    "dashboard/developers/webhook.js",
    "till/app.js",
    "till/give-back/give-back-view.js",
    "till/journal/outcome-view.js",
    "till/redeem/redeem-view.js",
    "till/sell/sell-view.js",
    "till/till.js",
];

const folderOf = (name) => (name.split("/").length > 2 ? name.split("/")[1] : ".");

/** The scripts of a client by their paths in `clients/`. */
async function scripts(client) {
    const names = (await readdir(join(CLIENTS, client), { recursive: true })).filter((name) => name.endsWith(".js"));
    return Promise.all(names.map(async (name) => [join(client, name), await readFile(join(CLIENTS, client, name), "utf8")]));
}

for (const [client, folders] of Object.entries(FOLDERS)) {
    test(`each folder of the ${client} uses only those before it`, async () => {
        const files = await scripts(client);
        assert.deepEqual([...new Set(files.map(([name]) => folderOf(name)))].sort(), folders.toSorted());
        const wrong = files.flatMap(([name, text]) => {
            const used = [...text.matchAll(/(?:\bfrom |\bimport |\bimport\()"(\.[^"]+)"/g)].map(([, path]) => join(name, "..", path));
            const isLater = (one) => folders.indexOf(folderOf(one)) > folders.indexOf(folderOf(name));
            return used.filter((one) => isLater(one) && one !== TILL).map((one) => `${name} uses ${one}`);
        });
        assert.deepEqual(wrong, []);
    });
}

test(`a script has at most ${MOST_LINES} lines, but for those that are known to be longer`, async () => {
    const files = (await Promise.all(Object.keys(FOLDERS).map(scripts))).flat();
    const longer = files.filter(([, text]) => text.trimEnd().split("\n").length > MOST_LINES);
    assert.deepEqual(longer.map(([name]) => name).sort(), LONGER);
});
