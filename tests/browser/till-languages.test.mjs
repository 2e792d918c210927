// The till in other languages: all of its screens in a language that is longer than English and that nobody mistakes for it, and in
// those that decide the layout; which language is spoken, and to whom.

import assert from "node:assert/strict";
import test from "node:test";
import { FluentBundle, FluentResource } from "../../clients/kit/vendor/fluent.js";
import { LANGUAGES, messages } from "./catalogues.mjs";
import { checkAccess, checkWidth, faults, openPage, screenshot, some, urls } from "./support.mjs";
import { button, heading, newCard, openTill, scan } from "./till-support.mjs";

const SMALL = { width: 360, height: 616 };
const ACCENTED = Object.fromEntries([..."aábƀcçdðeéfƒgĝhĥiîjĵkķlļmɱnñoöpþqǫrŕsštţuûvṽwŵxẋyýzžAÁBƁCÇDÐEÉFƑGĜHĤIÎJĴKĶLĻMṀNÑOÖPÞQǪRŔSŠTŢUÛVṼWŴXẊYÝZŽ"]
    .reduce((pairs, letter, index, all) => (index % 2 ? [...pairs, [all[index - 1], letter]] : pairs), []));
/** Longer by this part of each word, as the longest languages are. */
const LONGER = 0.4;

/** English as nobody writes it: accented and longer. What stands in braces stays. */
const pseudo = (text) => text.replaceAll(/^( *\[\w+\] | *\*\[\w+\] |[a-z][\w-]* = )(.*)$/gm, (_, name, value) =>
    name + value.replaceAll(/\{[^}]*\}|[A-Za-z]+/g, (word) => {
        if (word.startsWith("{")) return word;
        const accented = [...word].map((letter) => ACCENTED[letter]);
        return accented.join("") + accented.at(-1).toLowerCase().repeat(Math.ceil(word.length * LONGER));
    }));

/** What people and shops have named, codes, and what is the same in every language. */
const DATA = [
    "English", "Aurora Coffee", "Aurora gift card", "A month of coffee", "Store credit", "Main street", "till 2", "Elsewhere", "SEK", "kr", "name@example.com", "ABCDE-FGHJK",
    /DEMO-[A-Z-]+/g, /5901234123457/g, /•••• \w+/g, /\b[A-Z]{4}\b/g, /\d{1,2} \w{3,4} \d{4}/g, /\b[\w-]*\d[\w-]*\b/g,
];

/** What a page says where nobody has written it in its language, and what of it cannot be read. Runs in the page. */
function findProblems(isPseudo) {
    const layerOf = (element) => {
        for (let at = element; at; at = at.parentElement) if (["sticky", "fixed"].includes(getComputedStyle(at).position)) return at;
        return document.body;
    };
    const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
    const isData = (element) => element.closest("bdi, time, .mono, [dir=auto], option[lang], .keypad, svg") !== null;
    const texts = [];
    const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest(".ticket, option")) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        // What is scrolled away is out of sight.
        const frame = element.closest(".sheet-body")?.getBoundingClientRect() ?? { top: -Infinity, bottom: Infinity };
        const rects = [...range.getClientRects()].filter(({ width, height, top: above, bottom }) =>
            width > 0 && height > 0 && above >= frame.top && bottom <= frame.bottom);
        if (rects.length > 0) texts.push({ text: node.data.trim(), element, rects, layer: layerOf(element) });
    }
    const problems = [];
    const said = [...texts.filter(({ element }) => !isData(element)).map(({ text }) => text)];
    for (const element of top.querySelectorAll("[aria-label], [placeholder], [title], img[alt]")) {
        if (element.checkVisibility()) said.push(...["aria-label", "placeholder", "title", "alt"].map((name) => element.getAttribute(name) ?? ""));
    }
    said.push(...[...top.querySelectorAll("option:not([lang])")].map(({ text }) => text), document.title);
    const seen = texts.filter(({ element }) => !element.closest(".sr"));
    for (const { text, element, rects } of seen) {
        if (element.localName === "bdi" && /^\D{0,6}\d[\d.,\s]*\D{0,6}$/.test(text) && rects.some(({ top: above }) => above - rects[0].top > 6)) problems.push(`broken: ${text}`);
    }
    for (const { text, element, rects } of seen) {
        for (const { left, right, top: above, bottom } of rects) {
            const scrolls = element.closest(".choices");
            if (!scrolls && (left < -1 || right > innerWidth + 1)) problems.push(`beyond the window: ${text}`);
            for (let at = element; at && at !== document.body; at = at.parentElement) {
                const { overflowX, overflowY, display, textOverflow } = getComputedStyle(at);
                if (display === "inline" || display === "contents") continue;
                const box = at.getBoundingClientRect();
                const isBox = at.matches("button, a, .badge, .notice, .panel, dialog, .input, .owed, .total, summary, label");
                const clips = (overflow) => overflow === "hidden" || overflow === "clip";
                if (textOverflow === "ellipsis" && isData(element)) break;
                if ((isBox || clips(overflowX)) && (left < box.left - 1 || right > box.right + 1)) problems.push(`cut at the side of ${at.localName}.${at.className}: ${text}`);
                if ((isBox || clips(overflowY)) && overflowY !== "auto" && (above < box.top - 2 || bottom > box.bottom + 2)) problems.push(`cut above or below in ${at.localName}.${at.className}: ${text}`);
                if (overflowX === "auto" || overflowY === "auto") break;
            }
        }
    }
    seen.forEach((one, index) => {
        for (const other of seen.slice(index + 1)) {
            if (one.layer !== other.layer) continue;
            const meets = one.rects.some((a) => other.rects.some((b) =>
                Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6));
            if (meets) problems.push(`over each other: ${one.text} / ${other.text}`);
        }
    });
    return { problems: [...new Set(problems)], said: isPseudo ? said : [] };
}

/** What of the screen is not in its language, or cannot be read. */
async function problemsOf(page, { isPseudo }) {
    await checkWidth(page);
    const { problems, said } = await page.evaluate(findProblems, isPseudo);
    const english = said.map((text) => DATA.reduce((rest, data) => rest.replaceAll(data, ""), text)).filter((text) => /[A-Za-z]/.test(text));
    return [...problems, ...new Set(english)];
}

/** Names on the page, from what its language's catalogue says. */
function namesOf(text) {
    const bundle = new FluentBundle("en", { useIsolating: false });
    bundle.addResource(new FluentResource(text));
    const escaped = (value) => value.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+");
    return (id) => {
        const { value } = bundle.getMessage(id);
        const placed = bundle.formatPattern(value, { amount: "§", card: "§", offer: "§", address: "§", count: 1, seconds: 1, till: "§", code: "§" });
        return new RegExp(`^\\s*${placed.split("§").map((part) => escaped(part.trim())).join(".*")}\\s*$`);
    };
}

const catalogueOf = async (language) => `${await messages(`${language}.ftl`)}\n${await messages(`${language}-later.ftl`)}`;

/** A till in a language, on a small phone. */
async function openIn(language, options) {
    const english = await openTill();
    const pairing = await english.evaluate(() => localStorage.getItem("pairing"));
    await english.close();
    const page = await openPage({ size: "phone", ...(language !== "pseudo" && { locale: language }), ...options });
    await page.setViewportSize(SMALL);
    if (language === "pseudo") {
        // The worker has English, and its requests pass the route by.
        await page.addInitScript(() => Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }));
        await page.route("**/languages/*.ftl", async (route) => {
            const name = new URL(route.request().url()).pathname.split("/").at(-1);
            await route.fulfill({ contentType: "text/plain; charset=utf-8", body: pseudo(await messages(name)) });
        });
    }
    const name = namesOf(language === "pseudo" ? pseudo(await catalogueOf("en")) : await catalogueOf(language));
    await page.goto(urls.till);
    return { page, name, pair: async () => {
        await page.evaluate((value) => localStorage.setItem("pairing", value), pairing);
        await page.reload();
        await heading(page, name("redeem-title")).waitFor();
        await heading(page, name("redeem-title")).waitFor();
        await page.locator("dialog > *").first().waitFor({ state: "attached" });
    } };
}

const UNKNOWN = [
    { target: "card-network", match: "POST /v1/cards/redeem", kind: "after" },
    { target: "card-network", match: "GET /v1/operations/*", kind: "status", value: 503, times: "always" },
];
const CREDIT = {
    id: "504", name: "Store credit", status: "AVAILABLE", type: "REFUND_DIGITAL", currency: "SEK", denominations: [], priceLocked: false,
    availableForPurchaseTime: null, expireForPurchaseTime: null, defaultPrice: null, description: null, min: 1, max: 2000,
    numberOfDaysCardIsValidFromPurchaseTime: null,
};
const HISTORY = {
    cardRef: "1234", nextCursor: null, balance: { remainingValueMinor: 37500, currency: "SEK", status: "ACTIVE" }, addsUp: false,
    events: [
        { at: "2026-01-16T09:12:00Z", kind: "GIVEN_BACK", amountMinor: 2500, refundedMinor: null },
        { at: "2026-01-15T10:00:00Z", kind: "REDEEMED", amountMinor: 12500, refundedMinor: 2500, redemptionId: "019b8d99-6900-724e-84ef-8aa392276658" },
        { at: "2026-01-02T08:00:00Z", kind: "ISSUED", amountMinor: 50000, refundedMinor: null },
    ].map((event) => ({ currency: "SEK", storeName: "Main street", by: "till 2", orderId: null, redemptionId: null, ...event })),
};
const BUSY = {
    status: 429, json: { ok: false, error: { message: "Slow down.", details: { code: "RATE_LIMITED" } } },
    headers: { "retry-after": "90", "money-moved": "no", "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after, money-moved" },
};
const EXPECTED = [/429 POST .*\/pos\/redeem/, /504 POST .*\/pos\/redeem/, /404 GET .*\/pos\/card/, /422 POST .*\/pos\/redeem/, /400 POST .*\/tills\/pairing/, /429 GET .*\/pos\/card/];

async function stub(page) {
    const answer = (data) => ({ json: { ok: true, data }, headers: { "access-control-allow-origin": "*" } });
    await page.route("**/api/bff/pos/offers", (route) => route.fulfill(answer({ items: [CREDIT] })));
    await page.route("**/api/bff/cards/*/history*", (route) => route.fulfill(answer(HISTORY)));
}

/** Finds the card and enters the purchase total. */
async function enterIn(page, name, code, digits) {
    await page.getByLabel(name("redeem-code")).fill(code);
    await button(page, name("redeem-find")).click();
    await page.getByText(name("redeem-total")).waitFor();
    for (const digit of digits) await page.getByRole("button", { name: digit, exact: true }).click();
}

/** Leads a till through its screens, by the names that its buttons have in its language, and looks at each. */
async function visitScreens({ page, name, pair }, look) {
    const press = (id) => page.getByRole("button", { name: name(id), disabled: false }).first().click();
    const tab = (id) => page.getByRole("link", { name: new RegExp(name(id).source.replace("\\s*$", "")) }).click();
    await heading(page, name("pairing-title")).waitFor();
    await press("pairing-button");
    await page.getByRole("alert").waitFor();
    await look("pairing");
    await pair();
    await look("start");
    await page.getByLabel(name("redeem-code")).fill("DEMO-NO-SUCH-CARD");
    await press("redeem-find");
    await page.getByRole("alert").waitFor();
    await look("no-such-card");
    await page.evaluate(() => (navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"))));
    await press("redeem-camera");
    await page.getByRole("alert").waitFor();
    await look("camera");
    await press("camera-type");
    for (const code of ["DEMO-AURORA-EXPIRED", "DEMO-AURORA-BLOCKED"]) {
        await scan(page, code);
        await page.getByRole("alert").waitFor();
        await look(code.toLowerCase());
        await press("next-customer");
    }

    await stub(page);
    await enterIn(page, name, await newCard(500), "64950");
    await look("amount");
    await page.keyboard.press(".");
    await page.keyboard.press(".");
    await page.locator(".total .note.said", { hasText: /./ }).waitFor();
    await look("note");
    await press("history-button");
    await page.locator(".events").waitFor();
    await look("history");
    await page.getByRole("dialog").getByRole("button", { name: name("close") }).click();
    await page.route("**/api/bff/pos/redeem", (route) => route.fulfill(BUSY));
    await press("redeem-button");
    await heading(page, name("outcome-refused")).waitFor();
    await look("refused");
    await page.unroute("**/api/bff/pos/redeem");
    await press("outcome-back-to-amount");
    await faults(UNKNOWN);
    await press("redeem-button");
    await heading(page, name("outcome-unknown")).waitFor();
    await look("unknown");
    await page.getByText(name("unknown-cannot-wait")).click();
    await look("unknown-cannot-wait");
    await press("unknown-next-customer");
    await tab("tab-today");
    await heading(page, name("today-title")).waitFor();
    await look("today-unknown");
    await button(page, /Aurora|••••/).first().click();
    await page.getByText(name("by-hand")).first().click();
    await press("by-hand");
    await look("unknown-later");
    await faults([]);
    await press("unknown-ask-now");
    await heading(page, name("outcome-redeemed")).waitFor();
    await page.getByText(name("receipt-no-paper")).click();
    await look("redeemed");
    await press("give-back");
    await page.getByText(name("give-back-at-most")).waitFor();
    await look("give-back");
    await press("give-back-continue");
    await press("give-back-other");
    await press("give-back-button");
    await look("give-back-reason");
    await page.getByRole("button", { name: name("frame-back") }).first().click();
    await page.getByRole("button", { name: name("frame-back") }).first().click();

    await tab("tab-sell");
    await heading(page, name("sell-credit-title")).waitFor();
    await look("offers");
    await button(page, /Store credit/).click();
    await look("credit");
    await page.getByRole("button", { name: name("frame-back") }).click();
    await button(page, /Aurora gift card/).click();
    await look("sale");
    await page.getByRole("button", { name: name("frame-back") }).click();
    await button(page, /A month of coffee/).click();
    await scan(page, "5901234123457");
    await button(page, name("scan-find")).waitFor();
    await look("scan-offer");
    await press("scan-find");
    await page.locator(".scan-offer .error").waitFor();
    await look("scan-failed");
    await press("dismiss");
    await page.locator("button.delivery").click();
    await look("delivery");
    await press("delivery-sms");
    await press("delivery-send");
    await look("delivery-sms");
    await page.getByRole("dialog").getByRole("textbox").fill("+46 70 123 45 67");
    await press("delivery-send");
    await press("sell-issue-button");
    await page.getByText(name("sold-sent")).waitFor();
    await page.getByText(name("sold-wrong-address")).click();
    await look("sold");
    await press("sold-full-screen");
    await look("poster");
    await page.getByRole("dialog").getByRole("button", { name: name("close") }).click();
    await press("next-customer");
    await tab("tab-today");
    await look("today");
    await page.locator("header .name").click();
    await page.getByRole("dialog").waitFor();
    await look("menu");
}

// One that is longer than English, and one whose words have no spaces. The other languages are walked through at night.
for (const language of ["pseudo", ...some(["ja", "de", "fi", "fr", "nl", "es", "sv", "nb", "da"], 1)]) {
    test(`every screen can be read on a small phone: ${language}`, async () => {
        const till = await openIn(language, { expected: EXPECTED });
        const found = [];
        await visitScreens(till, async (screen) => {
            await screenshot(till.page, `till-${language}-${screen}`);
            const problems = await problemsOf(till.page, { isPseudo: language === "pseudo" });
            found.push(...problems.map((problem) => `${screen}: ${problem}`));
        });
        assert.deepEqual(found, []);
    });
}

/** What is chosen in the menu, by its label. */
async function choose(page, name, label, language) {
    await page.locator("header .name").click();
    await page.getByLabel(name(label)).selectOption(language);
}

/** What Chromium would install. */
async function installed(page) {
    const session = await page.context().newCDPSession(page);
    const { data, errors } = await session.send("Page.getAppManifest");
    await session.detach();
    assert.deepEqual(errors, []);
    return JSON.parse(data);
}

for (const [locale, language, title] of [
    ["sv-SE", "sv", "Lös in ett presentkort"], ["no", "nb", "Løs inn et gavekort"], ["nn-NO", "nb", "Løs inn et gavekort"],
    ["pt-BR", "en", "Redeem a gift card"], ["ja-JP", "ja", "ギフトカードを利用する"],
]) {
    test(`a browser in ${locale} has the till in ${language}, from the first paint on`, async () => {
        const { page, pair } = await openIn(language, { locale });
        const asked = [];
        page.on("request", (request) => /\.ftl$/.test(request.url()) && asked.push(new URL(request.url()).pathname));
        await page.addInitScript(() => {
            window.titles = new Set();
            new MutationObserver(() => window.titles.add(document.querySelector("h1")?.textContent)).observe(document, { childList: true, subtree: true });
        });
        await pair();
        assert.equal(await page.locator("html").getAttribute("lang"), language);
        assert.equal((await installed(page)).lang, language);
        assert.deepEqual((await page.evaluate(() => [...window.titles])).filter(Boolean), [title]);
        assert.deepEqual([...new Set(asked)].sort(), [`/languages/${language}-later.ftl`, `/languages/${language}.ftl`]);
    });
}

test("the menu's language is kept over a reload, and without a connection", async () => {
    const page = await openTill({ size: "phone", expected: [/ERR_INTERNET_DISCONNECTED/] });
    const english = namesOf(await catalogueOf("en"));
    await page.evaluate(() => navigator.serviceWorker.ready);
    await choose(page, english, "menu-language", "de");
    await page.getByRole("heading", { name: "Geschenkkarte einlösen", includeHidden: true }).waitFor();
    await page.getByLabel("Sprache", { exact: true }).waitFor();
    assert.equal(await page.title(), "Kasse");
    await checkAccess(page);
    await screenshot(page, "till-language-menu");
    await button(page, "Schließen").click();
    await page.reload();
    await heading(page, "Geschenkkarte einlösen").waitFor();

    await page.context().setOffline(true);
    await page.reload();
    await heading(page, "Geschenkkarte einlösen").waitFor();
    // One that was never used is there as well.
    await choose(page, namesOf(await catalogueOf("de")), "menu-language", "ja");
    await page.getByRole("heading", { name: "ギフトカードを利用する", includeHidden: true }).waitFor();
    await page.reload();
    await heading(page, "ギフトカードを利用する").waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "ja");
    await choose(page, namesOf(await catalogueOf("ja")), "menu-language", "");
    await page.getByRole("heading", { name: "Redeem a gift card", includeHidden: true }).waitFor();
});

test("the installed till is called as it speaks", async () => {
    const page = await openTill({ size: "phone" });
    const { icons, name } = await installed(page);
    assert.equal(name, "Gift card till");
    let before = await catalogueOf("en");
    for (const language of LANGUAGES) {
        const catalogue = await catalogueOf(language);
        const said = (id) => new RegExp(`^${id} = (.*)$`, "m").exec(catalogue)[1];
        await choose(page, namesOf(before), "menu-language", language);
        await page.waitForFunction((tag) => document.documentElement.lang === tag, language);
        await button(page, namesOf(catalogue)("close")).click();
        const { lang, short_name, shortcuts, ...manifest } = await installed(page);
        assert.deepEqual({ lang, short_name, shortcuts, icons: manifest.icons, start_url: manifest.start_url }, {
            lang: language, short_name: said("document-title"), icons, start_url: "/",
            shortcuts: [{ name: said("tab-sell"), url: "/sell" }, { name: said("tab-today"), url: "/today" }],
        });
        before = catalogue;
    }
});

test("what has been entered stays when another language is chosen", async () => {
    const page = await openTill({ size: "phone" });
    await enterIn(page, namesOf(await catalogueOf("en")), await newCard(500), "12500");
    await choose(page, namesOf(await catalogueOf("en")), "menu-language", "sv");
    await button(page, "Stäng").click();
    await button(page, /^Lös in 125,00.kr$/).click();
    await heading(page, /^125,00.kr inlöst$/).waitFor();
});

test("customers have their own language: on the ticket, the receipt, and what is turned to them", async () => {
    const page = await openTill({ size: "phone" });
    const english = namesOf(await catalogueOf("en"));
    await choose(page, english, "menu-customer-language", "sv");
    await button(page, "Close").click();
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /A month of coffee/).click();
    await button(page, "Paid, issue kr 649.50").click();
    await heading(page, "kr 649.50 gift card sold").waitFor();
    await page.locator(".ticket-valid").waitFor({ state: "attached" });
    const paper = async () => {
        await page.emulateMedia({ media: "print" });
        const text = (await page.locator(".ticket").innerText()).replaceAll("\u00a0", " ");
        await page.emulateMedia({ media: "screen" });
        return text;
    };
    const ticket = await paper();
    for (const part of ["Giltigt till", "649,50 kr", "Visa koden för att betala med den.", "Se kortets saldo:"]) assert.ok(ticket.includes(part), `${part} in ${ticket}`);
    assert.doesNotMatch(ticket, /Valid to|Show this code|What is left/);
    assert.equal(await page.locator(".ticket").getAttribute("lang"), "sv");
    await button(page, "Full screen").click();
    await page.getByRole("dialog").getByText(/^649,50.kr$/).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await button(page, "Next customer").click();

    await page.getByRole("link", { name: "Redeem" }).click();
    await enterIn(page, english, await newCard(500), "12500");
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    const receipt = await paper();
    for (const part of ["Betalt med presentkort", "125,00 kr", "Köpesumma", "Kvar på kortet", "Referens"]) assert.ok(receipt.includes(part), `${part} in ${receipt}`);
    assert.doesNotMatch(receipt, /Paid by|Purchase|Left on/);

    // The choice outlives a reload, and a choice of the till's own language does not change it.
    await page.reload();
    await heading(page, "kr 125.00 redeemed").waitFor();
    await choose(page, english, "menu-language", "fi");
    await page.getByRole("heading", { name: /lunastettu/, includeHidden: true }).waitFor();
    assert.match(await paper(), /Betalt med presentkort/);
});
