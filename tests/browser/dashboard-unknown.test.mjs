// What the dashboard says of a change whose answer is lost: every change of every page, with every way to lose it. Nothing that was done
// is called undone, nothing that was not is called done, and from each state a further press leads on.
//
// Environment: CASES=all makes all changes and loses them in all ways, as at night; the default is all changes of money and one of each
// kind of form, in two ways. ONLY, a pattern of their names.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import test from "node:test";

import { business, CHANGES } from "./dashboard-changes.mjs";
import { CREATIONS } from "./dashboard-creations.mjs";
import { TRIED, writeOf, WRITES } from "./dashboard-writes.mjs";
import { loaded, show } from "./dashboard.mjs";
import { drain, openPage, signIn, urls } from "./support.mjs";

const ALL = { ...CHANGES, ...CREATIONS };
const CLIENT = resolve(import.meta.dirname, "../../clients/dashboard");
const PATIENCE_MS = 61_000;
const STEP_MS = 30_000;
const NOT_KNOWN = /It is not known whether (this was done|the draft was saved|you are signed out)\./;
const UNDONE = /Nothing was changed|was not|were not|as before|No test was sent|No passkey was added|There is no new code|did not join|It is not held back|Nobody was invited|No endpoint was created/;
/** In this order, in one form: a refusal, which is certain; what is lost before it arrives; what is lost after it; a refusal of the repeat. */
const FAULTS = process.env.CASES === "all"
    ? ["429", "lost before", "500", "503", "no answer in time", "done and lost", "429 again"]
    : ["lost before", "done and lost"];
/** After these, it has happened. */
const AFTER = new Set(["done and lost", "429 again"]);

/** All that are about money; a form on a page, one in a dialog, one whose answer has a secret or a code, a button that is gone afterwards,
 * a change that the API does not show, one that ends the session, one with a passkey, one that leads to another page, a file, an application, and what is made. */
const SOME = [
    "save the account", "revoke a till", "show a pairing code", "confirm an invitation", "replace a secret", "send a test", "hide an offer", "suspend a merchant",
    "hold a settlement back", "mark a payout as paid", "cancel a payout", "start a payout run", "join a business", "add a passkey", "end a session",
    "store a logo", "save the draft of an application", "send an application", "store a document", "make a key", "rotate a key", "release a settlement", "take out: the payout", "take out: the settlement", "take out: another run",
    "export orders", "create an offer", "save an offer", "sign out",
];

/** What the page says by now: of the change in the form, else what it said in passing. */
async function said(page) {
    await loaded(page);
    const words = await page.evaluate(() => {
        const place = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.querySelector("main");
        return [...(place?.querySelectorAll("[role=alert]") ?? []), ...document.querySelectorAll(".toast")].map((one) => one.textContent.replaceAll(/\s+/g, " ").trim());
    });
    return words.join(" | ");
}

/** Whether all that follows a change in the background is over before the page looks again: of half of them, at night of the other half. */
const isFollowedUp = (what) => (TRIED.indexOf(what) % 2 === 0) !== (process.env.CASES === "all");

/** Answers the writes as the fault says. */
async function losing(page, what) {
    const write = writeOf(what);
    const [method, path] = write.split(" ");
    const pattern = new RegExp(`${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    page.expected.push(/(ERR_\w+|429|5\d\d|40\d|410) (POST|PUT|PATCH|DELETE) /, /401 GET /, /404 GET .*\/deliveries/);
    const state = { fault: "", answered: null, hung: [], keys: [] };
    await page.route((url) => pattern.test(url.pathname), async (route) => {
        if (route.request().method() !== method) return route.fallback();
        state.keys.push(route.request().headers()["idempotency-key"]);
        if (!state.fault) return route.fallback();
        const headers = { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" };
        const refuse = (status) => route.fulfill({ status, headers, json: { message: "It failed" } });
        const { fault } = state;
        if (fault === "done and lost") {
            await route.fetch();
            if (isFollowedUp(what)) await drain();
        }
        if (fault.startsWith("429")) await refuse(429);
        else if (/^5/.test(fault)) await refuse(Number(fault));
        else if (fault === "no answer in time") state.hung.push(route);
        else await route.abort("failed");
        state.answered?.();
    });
    return state;
}

/** Leaves the dialog, if it is still there; in doubt, there is nothing to cancel. */
async function leave(page, word = "Cancel") {
    const dialog = page.locator("dialog[open]").last();
    if (await dialog.count()) await dialog.getByRole("button", { name: new RegExp(`^(${word}|Close)$`) }).click({ timeout: 10_000 });
}

async function pressWith(page, state, fault, button) {
    state.fault = fault;
    const answered = new Promise((done, fail) => {
        state.answered = done;
        setTimeout(fail, STEP_MS, new Error("nothing was sent")).unref();
    });
    await page.clock.fastForward(1000); // a second click of a double one does nothing
    await button.click();
    await answered.catch(async (error) => { throw new Error(`${fault}: ${error.message}; the page says: ${await said(page)}`); });
    if (fault === "no answer in time") await page.clock.fastForward(PATIENCE_MS);
    return said(page);
}

/** Makes the change with every fault. Adds a line for each to `lines`, and what was said wrongly to `wrong`. */
async function tryAll(what, lines, wrong) {
    const change = await ALL[what]();
    const { closes, creates = false, made, shows, ends } = change;
    const happened = change.happened ?? (made ? async () => (await made()) > 0 : async () => null);
    const isAskedAnew = closes === "Close" && !change.happened && !made;
    const page = await openPage();
    await signIn(page, change.user);
    await page.clock.install();
    await show(page, change.path, change.heading);
    const state = await losing(page, what);
    [state.fault] = FAULTS; // the last character of a code sends it
    const button = await change.prepare(page);
    let isSeen = false;
    for (const fault of FAULTS) {
        if (!(await button.isVisible()) || (fault === "429 again" && isAskedAnew)) break;
        const words = await pressWith(page, state, fault, button);
        const real = await happened();
        lines.push(`${what.padEnd(24)} ${fault.padEnd(18)} ${(real === null ? "" : real ? "done" : "undone").padEnd(8)} ${words}`);
        const isUnknown = NOT_KNOWN.test(words);
        isSeen = fault === "done and lost" && !isUnknown && !UNDONE.test(words); // reading again has told
        const isRight = fault === "429" ? !isUnknown : isUnknown || isSeen;
        if (!isRight || (real !== null && real !== AFTER.has(fault))) wrong.push(lines.at(-1));
        if (isSeen) break;
        if (isAskedAnew) await leave(page, closes);
    }
    if (state.keys.length === 0) wrong.push(`${what}: nothing was sent`);
    // From here, a further press leads on, or the dialog can be left.
    state.fault = "";
    if (!isSeen && await button.isVisible()) {
        await page.clock.fastForward(1000);
        await button.click();
        await ends?.(page);
        const words = await said(page).catch(() => ""); // it leads to another page
        lines.push(`${what.padEnd(24)} ${"pressed again".padEnd(27)} ${words}`);
        const isWrong = NOT_KNOWN.test(words) || UNDONE.test(words);
        if (isWrong && (await happened()) !== false) wrong.push(lines.at(-1));
    }
    await leave(page, closes).catch(() => {});
    await page.waitForFunction(() => !document.querySelector("dialog[open]"), undefined, { timeout: STEP_MS }).catch(() => wrong.push(`${what}: its dialog cannot be left`));
    for (const route of state.hung) await route.abort("failed").catch(() => {});
    if ((await happened()) === false) wrong.push(`${what}: it was never done`);
    const count = await made?.();
    if (made && count !== 1) wrong.push(`${what}: there are ${count}`);
    await shows?.(page).waitFor({ timeout: STEP_MS }).catch(() => wrong.push(`${what}: the page does not show it`));
    const repeats = state.keys.slice(state.keys.length - FAULTS.length);
    if (creates && (!repeats[0] || new Set(repeats).size > 1)) wrong.push(`${what}: the keys of one press are ${repeats}`);
    await page.close();
}

test("what is said of a change is what the API holds, whatever is lost", async () => {
    await business("doubt");
    const lines = [];
    const wrong = [];
    const { ONLY = "" } = process.env;
    const made = process.env.CASES === "all" || ONLY ? TRIED : SOME;
    for (const what of made.filter((one) => new RegExp(ONLY).test(one))) {
        await tryAll(what, lines, wrong).catch((error) => wrong.push(`${what}: ${error.message}`));
        console.log(lines.splice(0).join("\n"));
    }
    assert.deepEqual(wrong, []);
});

/** Who sends what, and by what: "team/team.js DELETE /api/auth/invites/{challengeId}" by "change". */
async function sentByClient() {
    const files = (await readdir(CLIENT, { recursive: true })).filter((name) => name.endsWith(".js"));
    const sends = /(?:(\w+)\(\s*\([^()]*\) =>\s*)?api\.(POST|PUT|PATCH|DELETE)\(\s*"([^"]+)"/g;
    const found = await Promise.all(files.map(async (name) => {
        const text = await readFile(join(CLIENT, name), "utf8");
        return [...text.matchAll(sends)].map(([, by, method, path]) => ({ write: `${name} ${method} ${path}`, by }));
    }));
    return found.flat();
}

test("every change of the dashboard is tried here, and says what is known about it", async () => {
    const sent = await sentByClient();
    const listed = Object.entries(WRITES).flatMap(([name, writes]) => Object.entries(writes).map(([write, tried]) => [`${name} ${write}`, tried]));
    console.log(listed.map(([write, tried]) => `${write}: ${Array.isArray(tried) ? tried.join(", ") : tried}`).join("\n"));
    assert.deepEqual(listed.map(([write]) => write).sort(), [...new Set(sent.map(({ write }) => write))].sort(), "dashboard-writes.mjs lists what the dashboard sends");
    assert.deepEqual(TRIED.toSorted(), Object.keys(ALL).sort(), "each change that it names can be made");
    const excepted = new Set(listed.filter(([, tried]) => typeof tried === "string").map(([write]) => write));
    assert.deepEqual(sent.filter(({ by, write }) => by === "call" && !excepted.has(write)), [], "`change` and what is made of it say what is known");
});
