// A card's code as people have it: found, or refused for what it is.

import assert from "node:assert/strict";
import test from "node:test";
import { codesOf, otherThing } from "../../clients/kit/card-codes.js";
import { open } from "./dashboard.mjs";
import { button, newCard, openTill } from "./till-support.mjs";

const WIDE = (text) => text.replaceAll(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));

for (const [text, codes] of [
    ["AB12CD34", ["AB12CD34"]],
    ["  AB12CD34\t", ["AB12CD34"]],
    ["ab12 cd34", ["ab12 cd34"]],
    ["AB12-CD34-EF", ["AB12-CD34-EF", "AB12CD34EF"]],
    ["ab12 \u2013 cd34", ["ab12 \u2013 cd34", "ab12cd34"]],
    ["DEMO-AURORA-500", ["DEMO-AURORA-500"]],
    ["\u200bAB12\ufeffCD34\u200e", ["AB12CD34"]],
    ["]Q3AB12CD34", ["AB12CD34"]],
    ["\u001dAB12\u001d", ["AB12"]],
    ["AB/12", ["AB/12"]],
    ["https://cards.example/c/AB12", ["https://cards.example/c/AB12", "AB12", "c/AB12"]],
    ["https://cards.example/show?code=AB%2F12", ["https://cards.example/show?code=AB%2F12", "AB/12", "show"]],
    ["", []], ["\u200b", []], ["BEGIN:VCARD\nN:Ek", []], ["A".repeat(201), []],
]) {
    test(`${JSON.stringify(text.slice(0, 30))} can mean ${codes.length} codes`, () => assert.deepEqual(codesOf(text), codes));
}

test("what is no card's code is told from one that is not known", () => {
    assert.match(otherThing("5901234123457"), /product/);
    assert.equal(otherThing("5901234123458"), "");
    assert.match(otherThing("https://example.com/menu"), /link/);
    assert.match(otherThing("BEGIN:VCARD\nN:Ek"), /not the code/);
    assert.equal(otherThing("NO-SUCH-CARD"), "");
});

test("a card is found by its code in any form, and redeemed by the code that the card network has", async () => {
    const code = await newCard(500);
    const page = await openTill({ expected: [/404 GET .*\/pos\/card/] });
    const field = page.getByLabel("Card code");
    const forms = [
        code.replaceAll(/(.{4})(?=.)/g, "$1 "), code.toLowerCase(), `\u200b${code}`, WIDE(code), code.replaceAll("-", "\u2013"), `]Q3${code}`,
        `https://cards.example/show?code=${encodeURIComponent(code)}`, `https://cards.example/c/${encodeURIComponent(code)}`,
    ];
    for (const form of forms) {
        await field.fill(form);
        await button(page, "Find card").click();
        await page.getByText("Purchase total", { exact: true }).waitFor();
        await button(page, "Back").click();
    }
    await field.fill(code.toLowerCase());
    await button(page, "Find card").click();
    await page.getByRole("button", { name: "1", exact: true }).click();
    const sent = page.waitForRequest("**/pos/redeem");
    await button(page, "Redeem kr 0.01").click();
    assert.equal((await sent).postDataJSON().qrCode, code);
});

test("a code with a slash is asked for as it is", async () => {
    const page = await openTill({ expected: [/404 GET .*\/pos\/card/] });
    const asked = [];
    page.on("request", (request) => request.url().includes("/pos/card/") && asked.push(decodeURIComponent(request.url().split("/pos/card/")[1])));
    await page.getByLabel("Card code").fill("AB/12");
    await button(page, "Find card").click();
    await page.getByText("No such card. Scan it again.").waitFor();
    assert.deepEqual(asked, ["AB/12"]);
});

test("what was scanned instead of a card is named", async () => {
    const page = await openTill({ expected: [/404 GET .*\/pos\/card/] });
    for (const [text, sentence] of [["5901234123457", /code of a product/], ["https://example.com/menu", /This is a link/]]) {
        await page.getByLabel("Card code").fill(text);
        await button(page, "Find card").click();
        await page.getByText(sentence).waitFor();
    }
});

test("the dashboard finds a card by what was typed", async () => {
    const code = await newCard(500);
    const page = await open("u-anna", "/gift-cards", "Gift cards", { expected: [/404 GET .*\/bff\/cards/] });
    await page.getByLabel("Code of the card").fill(code.toLowerCase().replaceAll(/(.{4})(?=.)/g, "$1 "));
    await page.keyboard.press("Enter");
    await page.getByText("kr 500.00").first().waitFor();
});
