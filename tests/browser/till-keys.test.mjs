// Hand scanners and people at the till's keyboard: real key events in Chromium, with times of their own, so that a busy machine
// changes nothing. scanner.test.mjs has the same rules with 10,000 streams.

import assert from "node:assert/strict";
import test from "node:test";
import { checkAccess, screenshot, some } from "./support.mjs";
import { balance, button, enter, heading, newCard, openKeyboard, openTill, redeems, scan } from "./till-support.mjs";

const scanned = (code, gap, suffix = []) => [...code, ...suffix].map((key, index) => [key, index === 0 ? 450 : gap]);
const typed = (text, gap = 220) => [...text].map((key) => [key, gap]);

const EAN8 = "96385074";
const EAN13 = "5901234123457";
const GS1 = "]C1010590123412345717260131";
const LETTERS = "QX7RTB2 K9MNP";

test("no scan pays, becomes an amount or takes the card away, whatever has the focus", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    const keyboard = await openKeyboard(page);
    await enter(page, code, "12500");
    const focuses = [null, "Redeem kr 125.00", "5", "Use the whole card"];
    const scans = [
        [EAN8, 5, ["Enter"]], [EAN8, 120, ["Enter"]], [EAN8, 42, []], [EAN13, 42, ["Enter"]], [EAN13, 120, []], [EAN13, 80, ["Tab"]],
        [EAN13, 20, ["Enter", "Enter"]], [GS1, 12, ["Enter"]], [GS1, 110, ["Tab"]], [LETTERS, 42, ["Enter"]], [LETTERS, 120, []],
    ];
    for (const [index, [product, gap, suffix]] of scans.entries()) {
        for (const focused of [focuses[index % 4], focuses[(index + 1) % 4]]) {
            const name = `${product} at ${gap} ms with ${suffix} on ${focused}`;
            await page.evaluate(() => document.activeElement?.blur());
            const target = page.getByRole("button", { name: focused ?? "", exact: true });
            if (focused) await target.focus();
            await keyboard(scanned(product, gap, suffix));
            await page.getByText(`Scanned ${product.slice(0, 28)}`).waitFor();
            await button(page, "Redeem kr 125.00").waitFor();
            assert.equal(await page.getByText("Purchase total", { exact: true }).count(), 1, name);
            if (focused) assert.ok(await target.evaluate((element) => element === document.activeElement), name);
            await button(page, "Dismiss").click();
            await page.getByText("Scanned ").waitFor({ state: "detached" });
        }
    }
    assert.equal(await redeems(code), 0);
    assert.equal(await balance(code), 500);
});

test("a code that is scanned on a card's screen is looked up if it is wanted, and replaces the card only if it is found", async () => {
    const [code, other] = [await newCard(500), await newCard(300)];
    const page = await openTill({ size: "phone", expected: [/404 GET .*\/pos\/card/] });
    const keyboard = await openKeyboard(page);
    await enter(page, code, "12500");
    await keyboard(scanned(EAN13, 42, ["Enter"]));
    await page.getByText("Another card? What is on the screen has not changed.").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-scan-offered");
    // Enter is for neither of the two.
    await keyboard([["Enter", 3000]]);
    await button(page, "Look it up").click();
    await page.getByText("This is the code of a product").waitFor();
    await button(page, "Redeem kr 125.00").waitFor();
    await checkAccess(page);

    await keyboard(scanned(other, 30, ["Enter"]));
    await page.getByText("Another card?").waitFor();
    await button(page, "Look it up").click();
    await page.getByText("kr 300.00").waitFor();
    await button(page, "Enter the purchase total").waitFor();
    assert.equal(await redeems(code) + await redeems(other), 0);
});

test("a scan leaves the other steps as they are", async () => {
    const page = await openTill({ size: "phone" });
    const keyboard = await openKeyboard(page);
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /Aurora gift card/).click();
    await keyboard(typed("40000"));
    await button(page, "Paid, issue kr 400.00").waitFor();
    await keyboard(scanned(EAN13, 42, ["Enter"]));
    await page.getByText(`Scanned ${EAN13}`).waitFor();
    await button(page, "Paid, issue kr 400.00").waitFor();
    await button(page, "Dismiss").click();

    // A field for an address is no place for a code.
    await button(page, /Delivery/).click();
    await button(page, "E-mail").click();
    await page.getByLabel("E-mail address").fill("bo@example.com");
    await keyboard(scanned(EAN13, 12, ["Enter"]));
    await page.getByText(`Scanned ${EAN13}`).waitFor();
    await button(page, "Paid, issue kr 400.00").waitFor();
    await button(page, "Dismiss").click();
    await button(page, /Delivery/).click();
    assert.doesNotMatch(await page.locator("till-delivery").innerText(), /5901/);
});

test("a scanner is heard on the first screen without Enter, and the latest scan wins", async () => {
    const [first, second] = [await newCard(100), await newCard(200)];
    const page = await openTill({ size: "phone" });
    const keyboard = await openKeyboard(page);
    let answerFirst;
    const held = new Promise((done) => (answerFirst = done));
    await page.route(`**/pos/card/${first}`, async (route) => {
        await held;
        await route.continue().catch(() => {});
    });
    const asked = page.waitForRequest(`**/pos/card/${first}`);
    await keyboard(scanned(first, 60));
    await button(page, "Looking the card up").waitFor();
    await asked;
    await keyboard(scanned(second, 100));
    await page.getByText("kr 200.00").waitFor();
    answerFirst();
    await page.getByRole("button", { name: "1", exact: true }).click();
    assert.equal(await page.getByText("kr 200.00").count(), 1);
});

test("a person types an amount with corrections, and Enter pays it after a rest", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    const keyboard = await openKeyboard(page);
    await scan(page, code);
    await page.getByText("Purchase total", { exact: true }).waitFor();
    await keyboard([...typed("126"), ["Backspace", 300], ...typed("500", 150), ["Enter", 400]]);
    await page.getByText("Check it, then press Enter again.").waitFor();
    await checkAccess(page);
    await button(page, "Redeem kr 125.00").waitFor();
    assert.equal(await redeems(code), 0);
    await keyboard([["Enter", 2500]]);
    await heading(page, "kr 125.00 redeemed").waitFor();
    assert.equal(await balance(code), 375);
});

test("an amount is typed with a point, a comma, a space between thousands, or nothing", async () => {
    const page = await openTill({ size: "phone" });
    const keyboard = await openKeyboard(page);
    await scan(page, "DEMO-AURORA-500");
    await page.getByText("Purchase total", { exact: true }).waitFor();
    for (const [text, amount] of [["12.5", "kr 12.50"], ["12,50", "kr 12.50"], ["1 250", "kr 1,250.00"], ["1250", "kr 12.50"]]) {
        await keyboard(typed(text));
        await page.locator("output").getByText(amount, { exact: true }).waitFor();
        assert.equal(await page.locator(".total .note").innerText(), "");
        await keyboard(Array(7).fill(["Backspace", 300]));
        await page.locator("output").getByText("kr 0.00", { exact: true }).waitFor();
    }
});

test("what was ignored is said, and one key uses the whole card", async () => {
    const page = await openTill({ size: "phone" });
    const keyboard = await openKeyboard(page);
    await scan(page, "DEMO-AURORA-500");
    await page.getByText("Purchase total", { exact: true }).waitFor();
    await keyboard(typed("12.505"));
    await page.getByText("SEK has 2 decimals. The 5 was ignored.").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-typed-note");
    const whole = (await page.locator(".card-face strong").innerText()).trim();
    await keyboard([["*", 500]]);
    await button(page, `Redeem ${whole}`).waitFor();
    await page.getByRole("button", { name: "Delete digit" }).click();
    await button(page, "Use the whole card").click();
    await button(page, `Redeem ${whole}`).waitFor();
});

test("the page's buttons are pressed by the keyboard as ever", async () => {
    const page = await openTill({ size: "phone" });
    const keyboard = await openKeyboard(page);
    await scan(page, "DEMO-AURORA-500");
    await page.getByText("Purchase total", { exact: true }).waitFor();
    await page.getByRole("button", { name: "7", exact: true }).focus();
    await keyboard([["Enter", 2000]]);
    await page.locator("output").getByText("kr 0.07").waitFor();
    await keyboard([[" ", 2000]]);
    await page.locator("output").getByText("kr 0.77").waitFor();
});

const PLACES = { "-": "Minus", "/": "Slash" };
const placeOf = (letter) => PLACES[letter] ?? (/\d/.test(letter) ? `Digit${letter}` : `Key${letter}`);
/** What layouts make of the keys of an American keyboard. */
const LAYOUTS = {
    French: { ...Object.fromEntries([...'à&é"\'(-è_ç'].map((key, digit) => [digit, key])), A: "Q", Q: "A", Z: "W", W: "Z", M: "?", "-": ")" },
    Swedish: { "-": "+", "/": "-" },
    German: { "-": "ß", Y: "Z", Z: "Y" },
    "one with accents": { "-": "Dead" },
};

const ON_PAGE = ["on the page", "phone"];
const IN_FIELD = ["in the field", "desktop"];

// Each layout in one of the two places; at night in both.
for (const [index, [layout, keys]] of Object.entries(LAYOUTS).entries()) {
    for (const [place, size] of some(index % 2 ? [IN_FIELD, ON_PAGE] : [ON_PAGE, IN_FIELD], 1)) {
        test(`an American scanner on a keyboard that is ${layout}: ${place}`, async () => {
            const code = await newCard(500);
            // What both readings could be is asked for one after the other.
            const page = await openTill({ size, expected: layout === "German" ? [/404 GET .*\/pos\/card/] : [] });
            const keyboard = await openKeyboard(page);
            if (size === "desktop") await page.getByLabel("Card code").focus();
            await keyboard([...code].map((letter, index) => [keys[letter] ?? letter, index === 0 ? 450 : 30, placeOf(letter)]));
            await page.getByText("kr 500.00").waitFor();
            assert.equal(await balance(code), 500);
        });
    }
}

for (const [place, size] of [ON_PAGE, IN_FIELD]) {
    test(`what scanners press behind a code is a part of it: ${place}`, async () => {
        const page = await openTill({ size });
        const keyboard = await openKeyboard(page);
        for (const [index, suffix] of some([["F8"], ["ArrowDown"], ["F12"], ["Tab"], ["Enter"], ["End", "Enter"]], 2).entries()) {
            const amount = 101 + index;
            if (size === "desktop") await page.getByLabel("Card code").focus();
            await keyboard(scanned(await newCard(amount), 30, suffix));
            await page.getByText(`kr ${amount}.00`).waitFor();
            // Far behind the code, it still presses nothing.
            await button(page, "Back").focus();
            await keyboard([...scanned(EAN13, 30), ...suffix.map((key) => [key, 300]), ["Enter", 300]]);
            await page.getByText(`Scanned ${EAN13}`).waitFor();
            await button(page, "Dismiss").click();
            await button(page, "Back").click();
            await keyboard([["Shift", 450]]); // later than what may still belong to a code
        }
    });
}

test("a scanner that writes numbers with Alt", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    await page.evaluate((text) => {
        const send = (type, key, place, altKey) => document.body.dispatchEvent(new KeyboardEvent(type, { key, code: place, altKey, bubbles: true, cancelable: true }));
        for (const letter of text) {
            send("keydown", "Alt", "AltLeft", true);
            for (const digit of String(letter.charCodeAt(0)).padStart(4, "0")) send("keydown", digit, `Numpad${digit}`, true);
            send("keyup", "Alt", "AltLeft", false);
        }
    }, code);
    await page.getByText("kr 500.00").waitFor();
});

test("a key in a scan that nobody can read is no amount, and what was too fast for a person can be taken back as one", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    const keyboard = await openKeyboard(page);
    await enter(page, code, "1");
    for (let i = 0; i < 2; i++) await page.getByRole("button", { name: "00", exact: true }).click();
    for (const unread of ["Dead", "Unidentified", "Process"]) {
        await keyboard([["1", 450], ["2", 20], [unread, 20], ["3", 20], ["4", 20], ["Enter", 20]]);
        await page.getByText("Scanned a code that could not be read").waitFor();
        assert.equal(await button(page, "Look it up").count(), 0);
        await button(page, "Dismiss").click();
        await button(page, "Redeem kr 100.00").waitFor();
    }
    for (let i = 0; i < 5; i++) await button(page, "Delete digit").click();
    await keyboard(scanned("1250", 40));
    await page.getByText("Scanned 1250").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-scan-or-amount");
    await button(page, "It was an amount").click();
    await button(page, "Redeem kr 12.50").waitFor();
    // It came as fast as from a scanner: Enter does not pay it.
    await keyboard([["Enter", 2000]]);
    await page.getByText("This was entered as fast as by a scanner.").waitFor();
    assert.equal(await redeems(code), 0);
});
