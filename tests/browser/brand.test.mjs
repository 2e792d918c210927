import assert from "node:assert/strict";
import test from "node:test";

// The module has no dependencies, so Node.js can load it as it is. Node.js would take a .js file for CommonJS.
import { readFile } from "node:fs/promises";
const source = await readFile(new URL("../../clients/kit/brand.js", import.meta.url), "utf8");
const { asText, contrast, initials, parseColor, shade, textOn } =
    await import(`data:text/javascript,${encodeURIComponent(source)}`);

/** Colours in steps through the whole space. */
const COLORS = [];
for (let red = 0; red <= 255; red += 17) {
    for (let green = 0; green <= 255; green += 17) {
        for (let blue = 0; blue <= 255; blue += 17) {
            COLORS.push(`#${[red, green, blue].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`);
        }
    }
}

test("only #rrggbb is a colour", () => {
    assert.equal(parseColor("#1F4e5f"), "#1f4e5f");
    for (const value of ["#fff", "1f4e5f", "#1f4e5", "#1f4e5f00", " #1f4e5f", "#1f4e5f\n", "red", "#gggggg", "", null, undefined, 5,
        "#1f4e5f;color:red", "url(//example.com)"]) {
        assert.equal(parseColor(value), null, String(value));
    }
});

test("contrast is that of WCAG", () => {
    assert.equal(contrast("#000000", "#ffffff"), 21);
    assert.equal(contrast("#767676", "#767676"), 1);
    assert.equal(contrast("#767676", "#ffffff").toFixed(2), "4.54");
    assert.equal(contrast("#ffffff", "#777777").toFixed(2), "4.48");
});

test("text on every colour is readable, and white where it can be", () => {
    assert.equal(textOn("#1f4e5f"), "#ffffff");
    assert.equal(textOn("#ffe84d"), "#000000");
    assert.equal(textOn("#767676"), "#ffffff", "black has more contrast, but white is enough");
    for (const color of COLORS) assert.ok(contrast(textOn(color), color) >= 4.5, color);
});

test("every colour is readable as text", () => {
    assert.equal(asText("#1f4e5f", "#ffffff"), "#1f4e5f", "a readable colour stays as it is");
    for (const background of ["#ffffff", "#13181b", "#777777"]) {
        for (const color of COLORS) assert.ok(contrast(asText(color, background), background) >= 4.5, `${color} on ${background}`);
    }
});

test("gradients shade away from their text", () => {
    for (const color of COLORS) {
        const text = textOn(color);
        assert.ok(contrast(text, shade(color)) >= contrast(text, color), color);
    }
});

test("initials are the first letters of the first and the last word", () => {
    assert.equal(initials("Aurora Coffee"), "AC");
    assert.equal(initials("  hinode "), "H");
    assert.equal(initials("Salt & Pepper"), "SP");
    assert.equal(initials("østen åker"), "ØÅ");
    assert.equal(initials("🎁"), "");
});

test("the page of a shop, which carries its own styles, has the colours of the other clients", async () => {
    const [shared, own] = await Promise.all(["kit/tokens.css", "storefront/storefront.css"].map((path) => readFile(new URL(`../../clients/${path}`, import.meta.url), "utf8")));
    const tokens = [colorsIn(shared, /:root \{([^}]*)\}/), colorsIn(shared, /:root\[data-theme="dark"\] \{([^}]*)\}/)];
    const repeated = [colorsIn(own, /:root \{([^}]*)\}/), colorsIn(own, /prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/)];
    for (const [theme, colors] of repeated.entries()) {
        assert.ok(colors.size >= 8, "the colours are found");
        for (const [name, color] of colors) assert.equal(color, tokens[theme].get(name), `${name} in the ${theme ? "dark" : "light"} theme`);
    }
});

/** The colours of a rule by their names, with six digits. */
function colorsIn(css, rule) {
    const colors = rule.exec(css)[1].matchAll(/(--[\w-]+): (#[0-9a-f]+)/g);
    return new Map([...colors].map(([, name, color]) => [name, color.length === 4 ? color.replace(/[0-9a-f]/g, "$&$&") : color]));
}
