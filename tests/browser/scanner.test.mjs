// Hand scanners and people at one keyboard, without a browser: 10,000 streams of keys. till-keys.test.mjs has real key events.
// A failing stream is repeated by its number: STREAM=123 node --test tests/browser/scanner.test.mjs

import assert from "node:assert/strict";
import test from "node:test";
import { AmountEntry, tap } from "../../clients/till/shell/amount-entry.js";
import { SCANNER_GAP, ScanRecogniser } from "../../clients/till/scanner/scan-recogniser.js";

const STREAMS = 10_000;
const KRONOR = { currency: "SEK", decimals: 2, decimalSign: "." };

/** Numbers from 0 to 1 that depend on the seed alone. */
function random(seed) {
    let state = Math.imul(seed + 1, 0x9e3779b9);
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** What the page does with strokes while a card is on the screen. */
class Till {
    entry = new AmountEntry(KRONOR);
    payments = [];
    scans = [];
    /** What a person pressed. */
    pressed = [];
    #recogniser = new ScanRecogniser();

    read(keys) {
        for (const { key, at } of keys) this.#take(this.#recogniser.read(key, at));
        this.#take(this.#recogniser.rest(keys.at(-1).at + 10_000));
    }

    #take(strokes) {
        for (const stroke of strokes) {
            if (stroke.kind === "typed") this.pressed.push(stroke.key);
            if (stroke.kind === "scanned") this.scans.push(stroke.code);
            else if (stroke.kind === "undone") this.entry.undo(stroke.count);
            else if (stroke.key !== "Enter") this.entry.press(stroke.key, stroke);
            else if (this.entry.mayPay(stroke) && this.entry.amount > 0) this.payments.push(this.entry.amount);
        }
    }
}

const ALPHABETS = ["0123456789", "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", "abcdefghijklmnopqrstuvwxyz0123456789-"];

class Stream {
    constructor(seed) {
        this.random = random(seed);
        this.at = 1000;
    }
    between(low, high) {
        return low + this.random() * (high - low);
    }
    pick(list) {
        return list[Math.floor(this.random() * list.length)];
    }
    text(length, alphabet = "0123456789") {
        return Array.from({ length }, () => this.pick(alphabet)).join("");
    }
    key(key, gap) {
        this.at += gap;
        return { key, at: this.at };
    }

    /** EAN-8, UPC-A, EAN-13, ITF-14, GS1 with its separator and prefix, codes of cards. */
    code() {
        const [kind, alphabet] = [this.pick(["product", "gs1", "card"]), this.pick(ALPHABETS)];
        if (kind === "product") return this.text(this.pick([8, 12, 13, 14]));
        if (kind === "gs1") return `${this.pick(["", "]C1", "]d2"])}01${this.text(14)}17${this.text(6)}10${this.text(4, alphabet)}\u001d21${this.text(8)}`;
        return this.text(Math.floor(this.between(8, 30)), alphabet);
    }

    /** Keys of one scan. Jitter goes up to a fifth beyond the slowest scanner. */
    scan(code, pause) {
        const pace = this.between(5, 120);
        const jitter = this.pick([0, 0.05, 0.2]);
        const gap = () => pace * this.between(1 - jitter, 1 + jitter);
        const suffix = this.pick([[], ["Enter"], ["Tab"], ["Enter", "Enter"]]);
        return [...code, ...suffix].map((key, index) => this.key(key, index === 0 ? pause : gap()));
    }

    /** Keys of a person, with corrections. */
    typed(amount) {
        const keys = [];
        for (const key of amount) {
            if (this.random() < 0.15) {
                for (const slip of [this.text(1), "Backspace"]) keys.push(this.key(slip, this.between(150, 600)));
            }
            keys.push(this.key(key, this.between(150, 600)));
        }
        return keys;
    }

    amount() {
        return this.pick(["", String(Math.floor(this.between(1, 10 ** this.between(1, 7))))]);
    }
}

/** Runs the check on streams of all seeds, or on the one of $STREAM. */
function forStreams(check) {
    const only = process.env.STREAM;
    for (let seed = 0; seed < STREAMS; seed++) {
        if (only !== undefined && Number(only) !== seed) continue;
        try {
            check(new Stream(seed));
        } catch (error) {
            error.message = `stream ${seed}: ${error.message}`;
            throw error;
        }
    }
}

test("a scan never becomes an amount, never pays, and takes nothing that was entered", () => {
    forStreams((stream) => {
        const till = new Till();
        const typed = stream.amount();
        const keys = stream.typed(typed);
        const codes = Array.from({ length: stream.pick([1, 1, 2, 3]) }, () => stream.code());
        for (const code of codes) keys.push(...stream.scan(code, stream.between(typed ? 400 : 1200, 3000)));
        till.read(keys);
        const story = keys.map(({ key, at }) => `${key}@${Math.round(at)}`).join(" ");
        assert.deepEqual(till.payments, [], story);
        assert.equal(till.entry.amount, Number(typed), story);
        assert.deepEqual(till.scans, codes, story);
    });
});

test("a person's amount is what was typed, and is paid by Enter after a rest, and by nothing before", () => {
    forStreams((stream) => {
        const till = new Till();
        const amount = String(Math.floor(stream.between(1, 10 ** stream.between(1, 8))));
        const keys = stream.typed(amount);
        const isHasty = stream.random() < 0.5;
        if (isHasty) keys.push(stream.key("Enter", stream.between(1, 800)));
        till.read(keys);
        assert.deepEqual([till.payments, till.scans, till.entry.amount], [[], [], Number(amount)]);
        till.read([stream.key("Enter", stream.between(1001, 5000))]);
        assert.deepEqual(till.payments, [Number(amount)]);
    });
});

test("an amount goes on after a scan", () => {
    forStreams((stream) => {
        const till = new Till();
        const [before, after] = [String(Math.floor(stream.between(1, 99))), String(Math.floor(stream.between(1, 9999)))];
        const code = stream.code();
        till.read([...stream.typed(before), ...stream.scan(code, stream.between(400, 3000))]);
        stream.at += stream.between(500, 3000);
        till.read(stream.typed(after));
        assert.deepEqual([till.entry.amount, till.scans, till.payments], [Number(before + after), [code], []]);
    });
});

test("a scanner that stutters leaves nothing behind", () => {
    forStreams((stream) => {
        const till = new Till();
        const code = stream.code();
        const keys = stream.scan(code, 1000);
        // One of the gaps, after enough keys to know that it is a scan, is far longer.
        const late = Math.floor(stream.between(4, code.length));
        const stutter = stream.between(150, 255);
        till.read(keys.map(({ key, at }, index) => ({ key, at: index < late ? at : at + stutter })));
        assert.deepEqual([till.payments, till.entry.amount], [[], 0]);
        assert.equal(till.scans.at(-1), code);
    });
});

const SILENT = ["F1", "F8", "F12", "ArrowDown", "ArrowRight", "End", "PageDown", "Insert", "Home", "ContextMenu"];
for (const suffix of [...SILENT.map((key) => [key]), ["Tab"], ["Enter"], ["F8", "Enter"], ["Tab", "Enter"], ["ArrowDown", "Tab", "Enter"]]) {
    for (const gap of [20, 140, 300]) {
        test(`${suffix.join(" and ")} behind a code, ${gap} ms after it, belongs to it`, () => {
            const till = new Till();
            const amount = [..."12550"].map((key, index) => ({ key, at: 1000 + 200 * index }));
            const code = [..."96385074"].map((key, index) => ({ key, at: 4000 + 30 * index }));
            till.read([...amount, ...code, ...suffix.map((key, index) => ({ key, at: code.at(-1).at + gap * (index + 1) }))]);
            assert.deepEqual([till.scans, till.pressed, till.payments], [["96385074"], [..."12550"], []]);
            till.read([{ key: "Enter", at: 9000 }]);
            assert.deepEqual(till.payments, [12550], "a person's Enter pays");
        });
    }
}

test("a separator that writes nothing, in the middle of a code, is left out", () => {
    const till = new Till();
    till.read([..."01059012", "F8", ..."2112345"].map((key, index) => ({ key, at: 1000 + 30 * index })));
    assert.deepEqual(till.scans, ["010590122112345"]);
});

test("what a person presses soon after a scan to correct or to leave is theirs", () => {
    for (const key of ["Backspace", "Delete", "Escape"]) {
        const till = new Till();
        till.read([...[..."96385074"].map((digit, index) => ({ key: digit, at: 1000 + 30 * index })), { key, at: 1600 }]);
        assert.deepEqual([till.scans, till.pressed], [["96385074"], [key]]);
    }
});

test("keys that are too fast for a person and too few for a scan are entered, but Enter does not pay them", () => {
    const till = new Till();
    const keys = [["1", 1000], ["2", 1200], ["0", 1500], ["0", 1500 + SCANNER_GAP - 1], ["Enter", 5000]].map(([key, at]) => ({ key, at }));
    till.read(keys);
    assert.deepEqual([till.entry.amount, till.payments], [1200, []]);
    assert.deepEqual(till.entry.note, ["note-as-fast-as-scanner"]);
});

const YEN = { currency: "JPY", decimals: 0, decimalSign: "." };
const DINAR = { currency: "KWD", decimals: 3, decimalSign: "." };
const SWEDISH = { ...KRONOR, decimalSign: "," };

for (const [currency, text, amount, note] of [
    [KRONOR, "12550", 12550, null],
    [KRONOR, "007", 7, null],
    [KRONOR, "12.5", 1250, null],
    [KRONOR, "12.50", 1250, null],
    [KRONOR, "12,50", 1250, null],
    [KRONOR, "12,5", 1250, null],
    [KRONOR, ".5", 50, null],
    [KRONOR, "12.", 1200, null],
    [KRONOR, "1 250", 125000, null],
    [KRONOR, "1 250,50", 125050, null],
    [KRONOR, "1'250.50", 125050, null],
    [KRONOR, "1,250", 125000, null],
    [KRONOR, "1,250.5", 125050, null],
    [KRONOR, "1,250,000", 125000000, null],
    [KRONOR, "12.505", 1250, ["note-too-many-decimals", { currency: "SEK", decimals: 2, key: "5" }]],
    [KRONOR, "12.5.", 1250, ["note-second-separator"]],
    [KRONOR, "12 5", 12500, ["note-separator"]],
    [KRONOR, " 12", 12, null],
    [SWEDISH, "12,50", 1250, null],
    [SWEDISH, "12.5", 1250, null],
    [SWEDISH, "1.250,50", 125050, null],
    [SWEDISH, "1,250", 125, ["note-too-many-decimals", { currency: "SEK", decimals: 2, key: "0" }]],
    [YEN, "1250", 1250, null],
    [YEN, "1,250", 1250, null],
    [YEN, "12.5", 125, ["note-no-decimals", { currency: "JPY" }]],
    [DINAR, "1.250", 1250, null],
    [DINAR, "12.5", 12500, null],
    [KRONOR, "9999999999", 999999999, null],
]) {
    test(`${currency.currency} ${text} typed is ${amount}`, () => {
        const entry = new AmountEntry(currency);
        for (const key of text) entry.press(key, tap(0));
        assert.deepEqual([entry.amount, entry.note], [amount, note]);
    });
}

test("a chosen amount is replaced by the first digit, and corrected by Backspace", () => {
    const entry = new AmountEntry(KRONOR);
    entry.choose(50000, 0);
    entry.press("4", tap(1));
    assert.equal(entry.amount, 4);
    entry.choose(50000, 2);
    entry.press("Backspace", tap(3));
    assert.equal(entry.amount, 5000);
    entry.undo(1);
    assert.equal(entry.amount, 50000);
});
