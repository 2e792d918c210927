// Hands that have a keyboard and nothing else: what has the focus is what the browser tells a screen reader about it.

import assert from "node:assert/strict";

const MAX_TABS = 150;

/** The keyboard of a page.
 * @param {import("playwright-core").Page} page */
export async function keyboardOf(page) {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Accessibility.enable");

    /** What has the focus, as `{role, name, value}`. Without a focus it is the document itself, "RootWebArea". */
    async function focused() {
        const { result } = await devtools.send("Runtime.evaluate", { expression: FOCUSED });
        const { nodes: [node] } = await devtools.send("Accessibility.getPartialAXTree", { objectId: result.objectId, fetchRelatives: false });
        const { value: isSeen } = (await devtools.send("Runtime.callFunctionOn", {
            objectId: result.objectId, functionDeclaration: IS_SEEN, returnByValue: true,
        })).result;
        return { role: node.role?.value, name: (node.name?.value ?? "").replaceAll(/\s+/g, " "), value: String(node.value?.value ?? ""), isSeen };
    }

    /** Waits until something has the focus: an action may not leave it nowhere. */
    async function kept(after) {
        for (let attempt = 0; ; attempt++) {
            const found = await focused();
            // What was rendered just now has no role yet.
            if (found.role !== "RootWebArea" && found.role !== "none") return found;
            assert.ok(attempt < 20, `the focus is lost after ${after} on ${page.url()}`);
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        }
    }

    /** Presses Tab until this has the focus: the way there shows whatever has the focus, and everything has a name. */
    async function to(role, name, { key = "Tab" } = {}) {
        const way = [];
        for (let tabs = 0; tabs < MAX_TABS; tabs++) {
            const found = await focused();
            if (found.role === role && matches(found.name, name)) return found;
            way.push(`${found.role} ${found.name}`);
            if (tabs > 0 && found.role !== "RootWebArea") {
                assert.ok(found.name, `a ${found.role} without a name has the focus on ${page.url()}`);
                assert.ok(found.isSeen, `${found.role} ${found.name} has the focus and is not seen on ${page.url()}`);
            }
            await page.keyboard.press(key);
        }
        assert.fail(`no ${role} ${name} can be reached on ${page.url()}, only:\n${[...new Set(way)].join("\n")}`);
    }

    const keyboard = {
        focused, kept, to,
        type: (text) => page.keyboard.type(text),

        /** Presses a key, after which something has the focus. */
        async press(key) {
            await page.keyboard.press(key);
            return kept(key);
        },

        async activate(role, name, { key = role === "checkbox" ? "Space" : "Enter" } = {}) {
            await to(role, name);
            await page.keyboard.press(key);
            return kept(`${key} on ${role} ${name}`);
        },

        /** Replaces the text of a field. */
        async fill(name, text, { role = "textbox" } = {}) {
            await to(role, name);
            await page.keyboard.press("Control+A");
            await page.keyboard.type(text);
        },

        /** Chooses from a list by typing the beginning of the option. */
        async choose(name, option) {
            await to("combobox", name);
            await page.keyboard.type(option);
            assert.equal((await focused()).value, option, `${name} has the option ${option}`);
        },

        /** Goes back to the menu and opens a page of it. */
        async open(link, field) {
            await to("link", link, { key: "Shift+Tab" });
            await page.keyboard.press("Enter");
            await keyboard.arrive(link, field);
        },

        /** Waits for the page with this heading, which has the focus, or else a field that the page is for. */
        async arrive(heading, field) {
            await page.getByRole("heading", { level: 1, name: heading }).waitFor();
            const { role, name } = await kept(`opening ${heading}`);
            const hasFocus = field ? name === field : role === "heading" && matches(name, heading);
            assert.ok(hasFocus, `${role} ${name} has the focus on ${page.url()}`);
        },
    };
    return keyboard;
}

const FOCUSED = `(() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element === document.body ? document : element;
})()`;

const IS_SEEN = `function () {
    if (this === document) return true;
    const drawn = this.closest("label") ?? this;
    const { top, bottom, left, right } = drawn.getBoundingClientRect();
    return drawn.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && bottom > top && right > left
        && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
}`;

const matches = (text, expected) => (expected instanceof RegExp ? expected.test(text) : text === expected);
