// A press acts once: pairs of presses on the till's money buttons, as hands and scanners make them, on a device six times slower.

import assert from "node:assert/strict";
import test from "node:test";
import { some } from "./support.mjs";
import { asAdmin, balance, button, clickTwice, devtools, enter, heading, newCard, openKeyboard, openTill, redeems, tapTwice } from "./till-support.mjs";

/** Milliseconds between two presses. */
const GAPS = some([5, 150, 0, 20, 50], 2);

/** Presses the button twice, so many milliseconds apart. A scanner has it in focus. */
async function pressTwice(session, keyboard, target, hand, gap) {
    if (hand === "mouse") return clickTwice(session, target, gap);
    if (hand === "touch") return tapTwice(session, target, gap);
    await target.focus();
    if (hand === "Enter") return keyboard([["Enter", 1300], ["Enter", gap]]);
    return keyboard([..."5901234123457", "Enter", "Enter"].map((key, index) => [key, index === 0 ? 1300 : gap]));
}

/** Money calls that leave the page. */
function watchCalls(page) {
    const calls = [];
    page.on("request", (request) => request.method() === "POST" && /\/pos\/(issue|redeem)$/.test(request.url()) && calls.push(request.postDataJSON()));
    return calls;
}

async function sellStep(page, name) {
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, name).click();
}

const ACTIONS = {
    async issue(page) {
        await sellStep(page, /Aurora gift card/);
        return button(page, "Paid, issue kr 500.00");
    },
    async "store credit"(page) {
        await sellStep(page, /Store credit/);
        for (const digit of ["2", "00"]) await page.getByRole("button", { name: digit, exact: true }).click();
        return button(page, "Give kr 2.00");
    },
    async redeem(page, code) {
        await enter(page, code, []);
        const target = button(page, "Redeem kr 2.00");
        // After Back it is still there.
        if (!(await target.isVisible())) for (const digit of ["2", "00"]) await page.getByRole("button", { name: digit, exact: true }).click();
        return target;
    },
};

const gapsOf = (hand) => (hand === "scanner" ? [5] : GAPS);

const HANDS = ["mouse", "touch", "Enter", "scanner"];
/** All hands redeem, and each sells one of the two; at night each does everything. */
const HANDS_OF = { issue: ["touch", "Enter"], "store credit": ["mouse", "scanner"], redeem: HANDS };

for (const [action, prepare] of Object.entries(ACTIONS)) {
    for (const hand of process.env.CASES === "all" ? HANDS : HANDS_OF[action]) {
        test(`two presses are one: ${action} by ${hand}`, async () => {
            const code = await newCard(500);
            const page = await openTill({ size: hand === "touch" ? "phone" : "desktop" });
            const [session, keyboard, calls] = [await devtools(page), await openKeyboard(page), watchCalls(page)];
            const slow = (rate) => session.send("Emulation.setCPUThrottlingRate", { rate });
            for (const gap of gapsOf(hand)) {
                calls.length = 0;
                const target = await prepare(page, code);
                await page.getByRole("button", { name: (await target.innerText()).trim(), disabled: false }).waitFor();
                await slow(6);
                await pressTwice(session, keyboard, target, hand, gap);
                await slow(1);
                // Keys that are as fast as a scanner's do not pay: they say so, and the amount stays.
                const pays = hand !== "scanner" && (hand !== "Enter" || gap === 150);
                if (pays) await heading(page, /redeemed|sold|given/).waitFor();
                else await page.getByText(hand === "scanner" ? "Scanned 5901234123457" : "Check it, then press Enter again.").waitFor();
                assert.equal(calls.length, pays ? 1 : 0, `${gap} ms`);
                assert.equal(await page.getByText("The outcome of an earlier call is not known yet").count(), 0);
                if (hand === "scanner") await button(page, "Dismiss").click();
                await button(page, pays ? "Next customer" : "Back").click();
            }
            if (action === "redeem") assert.equal(await redeems(code), hand === "scanner" ? 0 : hand === "Enter" ? 1 : GAPS.length);
        });
    }
}

test("two presses are one while the session is slow", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    const [session, calls] = [await devtools(page), watchCalls(page)];
    await page.evaluate(() => {
        const { merchant: { id, ...merchant }, ...pairing } = JSON.parse(localStorage.getItem("pairing"));
        localStorage.setItem("pairing", JSON.stringify({ ...pairing, merchant }));
    });
    let answer;
    const held = new Promise((done) => (answer = done));
    await page.route("**/api/auth/session", (route) => held.then(() => route.continue().catch(() => {})));
    await page.reload();
    await tapTwice(session, await ACTIONS.redeem(page, code), 150);
    await page.getByText("Taking kr 2.00 off the card").waitFor();
    assert.equal(calls.length, 0);
    answer();
    await heading(page, "kr 2.00 redeemed").waitFor();
    assert.equal(calls.length, 1);
    assert.equal(await balance(code), 498);
});

test("two presses on an offer choose it, and sell nothing", async () => {
    const page = await openTill({ size: "phone" });
    const [session, calls] = [await devtools(page), watchCalls(page)];
    await page.getByRole("link", { name: "Sell" }).click();
    const offer = button(page, /A month of coffee/);
    await offer.waitFor();
    // Where the money button will be.
    await offer.evaluate((element) => Object.assign(element.style, { position: "fixed", inset: "auto 16px 16px 16px", minHeight: "3rem", zIndex: 9 }));
    for (const gap of GAPS.filter((gap) => gap > 0)) {
        await tapTwice(session, offer, gap);
        await button(page, "Paid, issue kr 649.50").waitFor();
        await page.getByRole("button", { name: "Paid, issue kr 649.50", disabled: false }).waitFor();
        assert.equal(calls.length, 0, `${gap} ms`);
        await button(page, "Back").click();
    }
});

test("Enter that comes back to the amount does not pay it", async () => {
    const page = await openTill({ expected: [/422 POST .*\/pos\/redeem/] });
    const code = await newCard(100);
    const [keyboard, calls] = [await openKeyboard(page), watchCalls(page)];
    await enter(page, code, ["9", "0", "00"]);
    await asAdmin("POST", "/api/bff/pos/redeem", { qrCode: code, redeemAmount: 50, purchaseAmount: 50 });
    await button(page, "Redeem kr 90.00").click();
    await heading(page, "Refused").waitFor();
    await page.getByRole("button", { name: "Back to the amount", disabled: false }).waitFor();
    await keyboard([["Enter", 1300], ["Enter", 200]]);
    await page.getByText("Check it, then press Enter again.").waitFor();
    assert.equal(calls.length, 1);
});

test("a redemption is given back once", async () => {
    const page = await openTill({ size: "phone" });
    const [session, calls] = [await devtools(page), watchCalls(page)];
    await enter(page, await newCard(500), ["9", "00"]);
    await button(page, "Redeem kr 9.00").click();
    await button(page, "Next customer").click();
    await page.getByRole("link", { name: /Today/ }).click();
    for (const gap of [5, 50, 150]) {
        await button(page, /^Redeem ••••/).first().click();
        await button(page, "Give back").click();
        for (const digit of ["2", "00"]) await page.getByRole("button", { name: digit, exact: true }).click();
        // A double press goes on, and finds nothing to give yet.
        await tapTwice(session, button(page, "Continue"), gap);
        await button(page, "Goods returned").click();
        calls.length = 0;
        await tapTwice(session, button(page, "Give back kr 2.00"), gap);
        await heading(page, "kr 2.00 store credit given").waitFor();
        assert.deepEqual(calls.map(({ value }) => value), ["2.00"], `${gap} ms`);
        await button(page, "Next customer").click();
    }
});
