// A finger on a phone: it taps what is seen, where it is seen, and it is as thick as a finger.

import assert from "node:assert/strict";

import { loaded } from "./dashboard.mjs";
import { checkWidth } from "./support.mjs";

const MIN_HEIGHT = 44;

/** The finger on a page.
 * @param {import("playwright-core").Page} page of the size "phone" */
export function fingerOf(page) {
    /** Taps the middle of what is shown, which is what a finger hits there. Links in running text may be less high. */
    async function tap(locator) {
        await locator.waitFor();
        await locator.scrollIntoViewIfNeeded();
        const { x, y, height, hit, isText, name } = await locator.evaluate(TARGET);
        assert.equal(hit, "", `${name} is under something else on ${page.url()}`);
        assert.ok(isText || height >= MIN_HEIGHT, `${name} is ${height} px high on ${page.url()}`);
        await page.touchscreen.tap(x, y);
    }

    const finger = {
        tap,
        button: (name, options) => tap(page.getByRole("button", { name, ...options })),
        link: (name, options) => tap(page.getByRole("link", { name, ...options })),

        /** Types into a field, as the phone's own keyboard does. */
        async fill(label, text) {
            const field = page.getByLabel(label, { exact: true });
            await tap(field);
            assert.ok(await field.evaluate((element) => element === document.activeElement), `a tap on ${label} goes to it`);
            await page.keyboard.press("Control+A");
            await page.keyboard.type(text);
        },

        /** Chooses from a list, which the phone shows by itself. */
        async choose(label, option) {
            const field = page.getByLabel(label, { exact: true });
            await tap(field);
            await field.selectOption({ label: option });
        },

        /** Opens a page by the menu. */
        async open(name) {
            await finger.button("Menu");
            await tap(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }));
            await finger.arrive(name);
        },

        /** Waits for the page with this heading, which fits. */
        async arrive(heading) {
            await page.getByRole("heading", { level: 1, name: heading }).waitFor();
            await loaded(page);
            await checkWidth(page);
        },
    };
    return finger;
}

function TARGET(element) {
    const target = element.closest("label") ?? element;
    const { left, top, width, height } = target.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const found = document.elementFromPoint(x, y);
    const isHit = found && (target.contains(found) || (found.closest("a, button, label") ?? found).contains(target));
    return {
        x, y, height: Math.round(height), hit: isHit ? "" : (found?.outerHTML.slice(0, 100) ?? "outside of the window"),
        isText: Boolean(element.closest("p, td") && element.matches("a, button.link")), name: element.ariaLabel || element.textContent.trim() || element.id,
    };
}
