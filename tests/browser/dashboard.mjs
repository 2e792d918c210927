// Shared by the tests of the dashboard.

import assert from "node:assert/strict";

import { api, mail, openPage, drain, signIn, urls } from "./support.mjs";

// Whether somebody is signed in is a question to the API.
export const NOBODY = /401 GET .*\/api\/auth\/session$/;

/** Opens the dashboard as the user, whose first page has this heading. */
export async function open(user, path, heading, options = {}) {
    const page = await openPage(options);
    await signIn(page, user);
    await show(page, path, heading);
    return page;
}

/** Goes to a page of the dashboard and waits until it has loaded everything. */
export async function show(page, path, heading) {
    await page.goto(urls.dashboard + path);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await loaded(page);
}

/** Waits until nothing is loading any more. */
export async function loaded(page) {
    await page.waitForFunction(() => !document.querySelector("[aria-busy='true'], .skeleton"));
}

/** The folder of the page's scripts: a module that is loaded from elsewhere is another one. */
export const releaseOf = (page) => page.locator("script[src$='/app.js']").evaluate((script) => new URL(script.src).pathname.replace(/\/app\.js$/, ""));

export const menuOf = (page) => page.getByRole("navigation", { name: "Pages" }).getByRole("link").allInnerTexts();

/** The code of the latest mail to the address, once its field is shown: before that, none may have been asked for. A code stands
 * alone on a line. */
export async function codeFor(address, field) {
    await field.waitFor();
    await drain();
    const mails = (await mail()).filter((one) => one.to.includes(address));
    const code = /^\s*([2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4})\s*$/m.exec(mails.at(-1)?.text ?? "")?.[1];
    assert.ok(code, `no code for ${address}`);
    return code;
}

/** The latest order of Aurora Coffee with a card. */
export async function completedOrder() {
    const { token } = await api("POST", "/__local/sessions", { userId: "u-anna" });
    const { data } = await api("GET", "/api/bff/merchant-orders?status=COMPLETED&pageSize=1", undefined, { authorization: `Bearer ${token}` });
    return data.orders[0];
}

/** Targets outside of running text that are too small for a finger, with their heights. */
export const smallTargets = (page) => page.evaluate(() => {
    const targets = "a[href], button, select, input:not([type=checkbox]):not([type=radio]), summary, label.check";
    return [...document.querySelectorAll(targets)]
        .filter((element) => element.checkVisibility() && !element.closest("p, .sr, .skip, td, gift-card-widget"))
        .map((element) => ({ text: element.textContent.trim().slice(0, 30) || element.id, height: Math.round(element.getBoundingClientRect().height) }))
        .filter(({ height }) => height > 0 && height < 44)
        .map(({ text, height }) => `${location.pathname} ${text}: ${height}`);
});

/** Requires that all text is inside of its panel and of the window: nothing is cut off or lies over something else. */
export async function checkText(page) {
    const outside = await page.evaluate(() => {
        const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
        const found = [];
        for (const element of document.querySelectorAll("main *")) {
            const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
            if (!hasText || element.closest(".sr, .truncate, canvas, option, [hidden]") || !element.checkVisibility()) continue;
            // Text for screen readers only is clipped away.
            let frame = element;
            while (frame && getComputedStyle(frame).clipPath === "none") frame = frame.parentElement;
            if (frame) continue;
            frame = element.parentElement;
            while (frame && !frame.matches(".panel, main, dialog") && !scrolls(frame)) frame = frame.parentElement;
            if (!frame || scrolls(frame)) continue;
            const range = document.createRange();
            range.selectNodeContents(element);
            const text = range.getBoundingClientRect();
            const { left, right } = frame.getBoundingClientRect();
            if (text.width > 0 && (text.left < left - 1 || text.right > right + 1)) found.push(`${element.textContent.trim().slice(0, 60)}: ${text.left} to ${text.right} in ${left} to ${right}`);
        }
        for (const control of document.querySelectorAll("main :is(input:not([type=checkbox], [type=color]), select, textarea)")) {
            const { width } = control.getBoundingClientRect();
            if (width < 6 * Number.parseFloat(getComputedStyle(control).fontSize)) found.push(`${control.outerHTML.slice(0, 80)} is ${width} wide`);
        }
        return found;
    });
    assert.deepEqual(outside, [], `text outside of its panel, or fields without room for it, on ${page.url()}`);
}

/** Path and heading of every page of Aurora Coffee. */
export const pagesOf = async () => [
    ["/overview", "Overview"], ["/orders", "Orders"], [`/orders/${(await completedOrder()).id}`, /kr/], ["/gift-cards", "Gift cards"], ["/offers", "Offers"],
    ["/offers/501", "Aurora gift card"], ["/offers/new", "New offer"], ["/payouts", "Payouts"], ["/payouts?tab=settlements", "Payouts"], ["/reports", "Reports"], ["/reports?tab=visits", "Reports"],
    ["/reports?tab=fraud", "Reports"], ["/stores", "Stores and tills"], ["/team", "Team"], ["/developers", "Developers"], ["/business", "Business details"], ["/account", "Your account"],
];
