// What every journal does, and what the one in files survives. The one in IndexedDB runs in Chromium: see project/in-page.ts.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { openFileJournal } from "../../clients/typescript/file-journal.js";
import { createMemoryJournal } from "../../clients/typescript/journal.js";
import { entry } from "./entries.mjs";

const IN_USE = /^Another process has the journal in .* open\.$/;

/** An empty folder for the time of a test. */
async function folder(t) {
    const path = await mkdtemp(join(tmpdir(), "journal-"));
    t.after(() => rm(path, { recursive: true, force: true }));
    return path;
}

/** Another process, and the lines that it says. */
function holder(path, task = "hold") {
    const process = spawn(globalThis.process.execPath, [join(import.meta.dirname, "file-journal-holder.mjs"), path, task]);
    const lines = createInterface(process.stdout)[Symbol.asyncIterator]();
    return { process, say: async () => (await lines.next()).value, kill: (signal) => (process.kill(signal), once(process, "exit")) };
}

for (const [name, open] of [
    ["in memory", async () => createMemoryJournal()],
    ["in files", async (t) => openFileJournal(await folder(t))],
]) {
    test(`a journal ${name} keeps entries, and at most one open call of a card`, async (t) => {
        const journal = await open(t);
        const card = { body: { qrCode: "QR", redeemAmount: 1, purchaseAmount: 1 } };
        assert.equal(await journal.begin(entry("a", { ...card, startedAt: 1 })), true);
        assert.equal(await journal.begin(entry("b", { ...card, startedAt: 2 })), false);
        assert.equal(await journal.get("b"), undefined);
        assert.equal(await journal.begin(entry("c", { startedAt: 3 })), true);
        assert.deepEqual((await journal.all()).map(({ key }) => key), ["c", "a"]);

        const outcome = { kind: "closed", call: "redeem", key: "a" };
        const changed = await journal.change("a", (stored) => ({ ...stored, body: null, outcome }));
        assert.deepEqual(changed, entry("a", { body: null, startedAt: 1, outcome }));
        assert.deepEqual(await journal.get("a"), changed);
        assert.equal(await journal.change("none", () => assert.fail()), undefined);
        assert.equal(await journal.begin(entry("d", card)), true);

        await journal.remove("c");
        await journal.remove("none");
        assert.deepEqual((await journal.all()).map(({ key }) => key), ["a", "d"]);
    });

    test(`of calls of one card that begin at once, a journal ${name} takes one`, async (t) => {
        const journal = await open(t);
        const body = { qrCode: "QR", redeemAmount: 1, purchaseAmount: 1 };
        const begun = await Promise.all(Array.from({ length: 20 }, (_, number) => journal.begin(entry(`key-${number}`, { body }))));
        assert.deepEqual(begun.filter(Boolean).length, 1);
    });

    test(`changes at once follow each other in a journal ${name}`, async (t) => {
        const journal = await open(t);
        await journal.begin(entry("a"));
        await Promise.all(Array.from({ length: 20 }, () => journal.change("a", (stored) => ({ ...stored, retryAfter: stored.retryAfter + 1 }))));
        assert.equal((await journal.get("a")).retryAfter, 20);
    });

    test(`what a program does with its copy of an entry does not change a journal ${name}`, async (t) => {
        const journal = await open(t);
        const begun = entry("a");
        await journal.begin(begun);
        begun.reference = "changed";
        (await journal.get("a")).reference = "changed";
        (await journal.all())[0].reference = "changed";
        (await journal.change("a", (stored) => stored)).reference = "changed";
        assert.equal((await journal.get("a")).reference, null);
    });
}

test("files are read again, whatever characters the keys have, and only their owner may", async (t) => {
    const path = join(await folder(t), "a", "b");
    const keys = ["x", "../../etc/passwd", "a/b", "~".repeat(255), "con", "A", "a"];
    const journal = await openFileJournal(path);
    for (const key of keys) assert.equal(await journal.begin(entry(key)), true);
    await journal.remove("x");
    await journal.close();
    await assert.rejects(journal.begin(entry("y")), /The journal is closed\./);

    const again = await openFileJournal(path);
    assert.deepEqual((await again.all()).map(({ key }) => key).sort(), keys.filter((key) => key !== "x").sort());
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    for (const name of await readdir(path)) {
        if (name.endsWith(".json")) assert.equal((await stat(join(path, name))).mode & 0o777, 0o600);
    }
});

test("a write that broke off is as if it had never been, and a file that cannot be read is an error", async (t) => {
    const path = await folder(t);
    const journal = await openFileJournal(path);
    await journal.begin(entry("a"));
    await journal.close();
    const [name] = await readdir(path);
    await writeFile(join(path, `${name}.new`), '{"key": "a", "outc');
    const again = await openFileJournal(path);
    assert.deepEqual(await again.all(), [entry("a")]);
    await again.close();
    assert.deepEqual(await readdir(path), [name]);

    await writeFile(join(path, name), '{"key": "a", "outc');
    await assert.rejects(openFileJournal(path), (error) => error.message.startsWith(`${join(path, name)} is not a journal entry.`));
});

test("a write that fails changes nothing", async (t) => {
    const path = await folder(t);
    const journal = await openFileJournal(path);
    await journal.begin(entry("a"));
    await rm(path, { recursive: true });
    await assert.rejects(journal.begin(entry("b")));
    await assert.rejects(journal.change("a", (stored) => ({ ...stored, reference: "op" })));
    assert.deepEqual(await journal.all(), [entry("a")]);
});

test("one process at a time has a journal open, and another as soon as it has ended, however it did", async (t) => {
    const path = await folder(t);
    for (const signal of ["SIGTERM", "SIGKILL"]) {
        const first = holder(path);
        assert.equal(await first.say(), "open");
        const second = holder(path);
        assert.match(await second.say(), IN_USE);
        await assert.rejects(openFileJournal(path), { message: IN_USE });
        await first.kill(signal);
    }
    const journal = await openFileJournal(path);
    await assert.rejects(openFileJournal(path), { message: IN_USE });
    await journal.close();
    await (await openFileJournal(path)).close();
    assert.deepEqual(await readdir(path), []);
});

test("of processes that open a journal at once, one at most has it", async (t) => {
    const path = await folder(t);
    await holder(path).kill("SIGKILL");
    const holders = Array.from({ length: 5 }, () => holder(path));
    const said = await Promise.all(holders.map(({ say }) => say()));
    assert.ok(said.filter((line) => line === "open").length <= 1, said.join("\n"));
    assert.ok(said.every((line) => line === "open" || IN_USE.test(line)), said.join("\n"));
    await Promise.all(holders.map(({ process, kill }) => process.exitCode ?? kill("SIGKILL")));
});

test("whatever was written before a process was killed is there afterwards", async (t) => {
    const path = await folder(t);
    for (let run = 1; run <= 5; run++) {
        const writer = holder(path, "write");
        const written = [];
        assert.equal(await writer.say(), "open");
        while (written.length < run * 7) written.push(await writer.say());
        const ended = writer.kill("SIGKILL");
        for (let key = await writer.say(); key !== undefined; key = await writer.say()) written.push(key);
        await ended;

        const journal = await openFileJournal(path);
        for (const key of written) assert.equal((await journal.get(key))?.reference, key.replace("key", "op"));
        for (const { key } of await journal.all()) await journal.remove(key);
        await journal.close();
    }
});
