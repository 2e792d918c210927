// Every figure of the dashboard against an independent count of the API's lists, in the days of each merchant. Left to the night: the third
// merchant, periods between the shortest and the longest, and most filters of orders.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded, open, show } from "./dashboard.mjs";
import { changeText, count, countOwed, countPeriod, grouped, moneyText, newest, percentText, pointsText, ranked, readRows, sum } from "./figures.mjs";
import { loadMerchants, MERCHANTS, SHOWN_PERIODS } from "./figures-data.mjs";
import { daysBefore, dayOf } from "./figures-days.mjs";
import { some } from "./support.mjs";

const IN_REVIEW = "PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW";

/** The merchants, once they are loaded. */
let loading;
const rowsOf = async (merchant) => readRows(merchant, await (loading ??= loadMerchants()));

/** What is shown, beside what was counted. */
class Comparison {
    figures = 0;
    differences = [];

    /** Compares figures: text, or lists of them. */
    same(where, shown, counted) {
        const [is, should] = [shown, counted].map((one) => JSON.stringify(one) ?? "nothing");
        this.figures += Array.isArray(counted) ? counted.flat().length : 1;
        if (is !== should) this.differences.push(`${where}: ${is} is shown, ${should} counted`);
    }
}

async function compare(merchant) {
    const { name, currency, reports } = merchant;
    const rows = await rowsOf(merchant);
    const page = await open(`u-${name}`, "/account", "Your account");
    const comparison = new Comparison();
    for (const days of SHOWN_PERIODS) {
        const figures = countPeriod(merchant, rows, days);
        await checkOverview(comparison, page, merchant, rows, figures, days);
        for (const tab of reports) {
            await follow(page, `/reports?tab=${tab}&days=${days}`, "analytics/");
            await REPORTS[tab]((what, ...texts) => comparison.same(`${tab} of ${days} days, ${what}`, ...texts), await readPage(page), figures, currency);
        }
    }
    await checkOrders(comparison, page, merchant, rows);
    await checkPayouts(comparison, page, merchant, rows);
    return comparison;
}

for (const merchant of some(MERCHANTS, 2)) {
    const { currency, settlementMode, timeZone } = merchant;
    test(`all figures of a business in ${currency}, settled by ${settlementMode ?? "both"}`, async (t) => {
        const today = () => dayOf(Date.now(), timeZone);
        const day = today();
        let comparison = await compare(merchant);
        if (today() !== day) comparison = await compare(merchant); // some figures were those of yesterday
        t.diagnostic(`${comparison.figures} figures compared, ${comparison.differences.length} differences`);
        assert.ok(comparison.figures > (process.env.CASES === "all" ? 1000 : 900), "the figures were found");
        assert.deepEqual(comparison.differences, []);
    });
}

test("a figure that is one too many is noticed", async () => {
    const [merchant] = MERCHANTS;
    const figures = countPeriod(merchant, await rowsOf(merchant), 30);
    const page = await open(`u-${merchant.name}`, "/account", "Your account");
    await page.route(/\/api\/bff\/analytics\/fraud/, async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        answer.data.kpis.blocked.value++;
        await route.fulfill({ response, json: answer });
    });
    await show(page, "/reports?tab=fraud", "Reports");
    const comparison = new Comparison();
    REPORTS.fraud((what, ...texts) => comparison.same(what, ...texts), await readPage(page), figures, merchant.currency);
    assert.equal(comparison.differences.length, 1);
    assert.match(comparison.differences[0], /^Blocked: /);
});

/** Goes to a page by a link, until what it asks the API for is shown. */
async function follow(page, path, answer) {
    await Promise.all([
        page.waitForResponse((response) => response.request().method() === "GET" && response.url().includes(`/api/bff/${answer}`)),
        page.evaluate((href) => {
            const link = Object.assign(document.createElement("a"), { href });
            document.body.append(link);
            link.click();
            link.remove();
        }, path),
    ]);
    await loaded(page);
}

/** All texts of figures on the page, the chart as a table. */
async function readPage(page) {
    await loaded(page);
    const chart = page.getByRole("button", { name: /^Show as (table|chart)$/ });
    if (await page.locator("day-chart, .chart-space").count()) {
        await chart.waitFor();
        if (await chart.getAttribute("aria-pressed") === "false") await chart.click();
        await page.locator("day-chart table").waitFor();
    }
    return page.evaluate(() => {
        const text = (element) => element?.textContent.replaceAll(/\s+/g, " ").trim();
        const all = (selector, root = document) => [...root.querySelectorAll(selector)];
        const cells = (table) => all("tbody tr", table).map((row) => all("td", row).map(text));
        return {
            stats: Object.fromEntries(all(".stats .stat").map((stat) => [text(stat.querySelector("dt")), [text(stat.querySelector(".figure")), text(stat.querySelector(".change"))]])),
            owed: all(".outlook").map((panel) => [panel.ariaLabel, ...all(".stat .figure", panel).map(text)]),
            chart: all("day-chart table").flatMap(cells),
            note: text(document.querySelector(".keys-of-chart b")),
            rankings: Object.fromEntries(all(".ranking").map((ranking) => [text(ranking.querySelector("h2")), all("li", ranking).map((item) => [text(item.querySelector("span")), text(item.querySelector(".num"))])])),
            legend: all(".legend > div").map((part) => [text(part.querySelector("dt")), text(part.querySelector("dd"))]),
            tables: Object.fromEntries(all("table:has(caption)").map((table) => [text(table.querySelector("caption")), cells(table)])),
            events: all(".rows .amounts b").map(text),
            pairs: all(".beside .figure, .beside .pairs dd:not(.small)").map(text),
            waiting: all(".waiting a").map((link) => text(link).replace("!", "")),
            range: text(document.querySelector(".pages [role=status]")),
        };
    });
}

/** Amounts of days, newest first, beside those of the table. */
const column = (table, number) => table.map((cells) => cells[number]);

const words = { COMPLETED: "Completed", PAID: "Paid", PENDING_PAYMENT: "Payment pending", [IN_REVIEW]: "Fraud review", PAYMENT_FAILED: "Payment failed", CANCELLED: "Cancelled", REFUNDED: "Refunded", ISSUE_FAILED: "Not issued" };
const payments = { PAYMENT_CAPTURE_SUCCEEDED: "Captured", PAYMENT_CREATED: "Created", PAYMENT_FAILED: "Payment failed", PAYMENT_AUTHORIZED: "Authorized", PAYMENT_CAPTURE_FAILED: "Capture failed" };

const one = () => 1n;
const byCount = (rows, nameOf, limit) => ranked(rows, nameOf, one, limit).map(([name, size]) => [name, grouped(size)]);
const byAmount = (rows, nameOf, currency) =>
    ranked(rows, nameOf, (row) => (row.currency === currency ? BigInt(row.amountMinor) : 0n)).map(([name, size]) => [name, moneyText(size, currency, { whole: true })]);
const storeOf = ({ storeName }) => storeName || "Unspecified location";
const channelOf = ({ source }) => (source === "POS" ? "Till" : "Other");

const countOf = (is, was) => [grouped(is), changeText(is, was)];
const amountOf = (is, was, currency, options) => [moneyText(is, currency, options), changeText(is, was)];
/** Amounts of a list, with the codes of their currencies where there are several. */
const amountsOf = (rows, field) => rows.map((row) => moneyText(row[field], row.currency, { code: new Set(rows.map((one) => one.currency)).size > 1 }));
const legendOf = ({ Passed, Review, Blocked }) => [["Passed", grouped(Passed)], ["In review", grouped(Review)], ["Blocked", grouped(Blocked)]];

async function checkOverview(comparison, page, { currency, settlementMode }, rows, figures, days) {
    const { previous, byDay } = figures;
    const same = (what, ...texts) => comparison.same(`overview of ${days} days, ${what}`, ...texts);
    await follow(page, `/overview?days=${days}`, "analytics/overview");
    await page.getByText("Owed to you").waitFor();
    const shown = await readPage(page);
    const isSold = settlementMode === "SETTLEMENT_ON_SALE";
    const total = isSold ? "sold" : "redeemed";
    const whole = { whole: true };
    const code = [...figures.completed, ...figures.succeeded].some((one) => one.currency !== currency);
    same("Sold", shown.stats.Sold, amountOf(figures.sold, previous.sold, currency, { whole: true, code }));
    same("Redeemed", shown.stats.Redeemed, amountOf(figures.redeemed, previous.redeemed, currency, { whole: true, code }));
    same("Orders", shown.stats.Orders, countOf(figures.orders.length, previous.orders.length));
    same("Visits", shown.stats["Visits to your shop"], countOf(figures.visits.length, previous.visits.length));
    same("number of stats", Object.keys(shown.stats).length, 4);
    same("a day", shown.note, moneyText((2n * figures[total] + BigInt(days)) / (2n * BigInt(days)), currency, whole));
    same("days", column(shown.chart, 1), byDay.map((day) => moneyText(day[total], currency)));
    same("fraud checks", shown.legend, legendOf(figures.fraud));
    if (isSold) same("by payment", shown.rankings["Orders by payment"], byCount(figures.orders, ({ paymentStatus }) => payments[paymentStatus], 10));
    else {
        same("by store", shown.rankings["Redeemed by store"], byAmount(figures.succeeded, storeOf, currency));
        same("by channel", shown.rankings["Redeemed by channel"], byAmount(figures.succeeded, channelOf, currency));
    }
    same("sources", shown.rankings["Where visits come from"], byCount(figures.visits, ({ embed }) => embed ?? "Direct"));
    const latest = rows.orders.toSorted(newest(({ createdAt }) => createdAt)).slice(0, 8);
    same("latest orders", column(shown.tables.Orders, 4), amountsOf(latest, "totalAmountMinor"));
    const owed = currenciesOf(rows.settlements, currency).flatMap((one, _, { length }) => {
        const { payable, later, inProgress } = countOwed(rows.settlements, one);
        return [payable + later + inProgress, payable, later, inProgress].map((amount) => moneyText(amount, one, { code: length > 1 }));
    });
    same("owed", shown.pairs, owed);
    const inReview = count(rows.orders, ({ status }) => status === IN_REVIEW);
    same("waiting", shown.waiting, inReview ? [`${grouped(inReview)} order${inReview === 1 ? "" : "s"} in fraud review`] : []);

    await page.getByRole("button", { name: "Visits and orders", exact: true }).click();
    const other = await readPage(page);
    same("days of visits", column(other.chart, 1), byDay.map((day) => grouped(day.visits.length)));
    same("days of orders", column(other.chart, 2), byDay.map((day) => grouped(day.orders.length)));
}

/** The merchant's own currency first. */
const currenciesOf = (settlements, currency) =>
    [...new Set(settlements.filter(({ status }) => status !== "PAID").map((one) => one.currency))].toSorted((a, b) => (a === currency ? -1 : b === currency ? 1 : a < b ? -1 : 1));

const REPORTS = {
    redemptions(same, { stats, chart, rankings, tables }, { previous, byDay, ...figures }, currency) {
        same("Redeemed", stats.Redeemed, amountOf(figures.redeemed, previous.redeemed, currency, { whole: true }));
        same("Redemptions", stats.Redemptions, countOf(figures.succeeded.length, previous.succeeded.length));
        same("On average", stats["On average"], amountOf(figures.averageRedeemed, previous.averageRedeemed, currency));
        same("Failed", stats.Failed, countOf(figures.failed, previous.failed));
        same("number of stats", Object.keys(stats).length, 4);
        same("days", column(chart, 1), byDay.map(({ redeemed }) => moneyText(redeemed, currency)));
        same("By store", rankings["By store"], byAmount(figures.succeeded, storeOf, currency));
        same("By channel", rankings["By channel"], byAmount(figures.succeeded, channelOf, currency));
        const latest = figures.redemptions.toSorted(newest(({ occurredAt }) => occurredAt)).slice(0, 10);
        same("latest", column(tables["Latest redemptions"], 4), amountsOf(latest, "amountMinor"));
    },
    sales(same, { stats, chart, rankings }, { previous, byDay, ...figures }, currency) {
        same("Sold", stats.Sold, amountOf(figures.sold, previous.sold, currency, { whole: true }));
        same("Completed orders", stats["Completed orders"], countOf(figures.completed.length, previous.completed.length));
        same("On average", stats["On average"], amountOf(figures.averageSold, previous.averageSold, currency));
        same("Orders placed", stats["Orders placed"], countOf(figures.orders.length, previous.orders.length));
        same("number of stats", Object.keys(stats).length, 4);
        same("days", column(chart, 1), byDay.map(({ sold }) => moneyText(sold, currency)));
        same("by status", sorted(rankings["Orders by status"]), sorted(byCount(figures.orders, ({ status }) => words[status], 10)));
        same("by payment", sorted(rankings["Orders by payment"]), sorted(byCount(figures.orders, ({ paymentStatus }) => payments[paymentStatus], 10)));
    },
    visits(same, { stats, chart, rankings }, { previous, byDay, ...figures }) {
        same("Visits", stats["Visits to your shop"], countOf(figures.visits.length, previous.visits.length));
        same("Orders", stats["Orders, including tills"], countOf(figures.orders.length, previous.orders.length));
        same("number of stats", Object.keys(stats).length, 2);
        same("days of visits", column(chart, 1), byDay.map((day) => grouped(day.visits.length)));
        same("days of orders", column(chart, 2), byDay.map((day) => grouped(day.orders.length)));
        same("sources", rankings["Where visits come from"], byCount(figures.visits, ({ embed }) => embed ?? "Direct"));
        same("first page", rankings["First page"], byCount(figures.visits, ({ entry }) => entry ?? "Unknown"));
    },
    fraud(same, { stats, events }, { previous, fraud, decisions, ...figures }) {
        const checked = grouped(fraud.Passed + fraud.Review + fraud.Blocked);
        same("Passed", stats[`Passed, of ${checked} checked orders`], [percentText(figures.passRate), pointsText(figures.passRate, previous.passRate)]);
        same("In review", stats["In review"], countOf(fraud.Review, previous.fraud.Review));
        same("Blocked", stats.Blocked, countOf(fraud.Blocked, previous.fraud.Blocked));
        same("number of stats", Object.keys(stats).length, 3);
        same("latest decisions", events.map(digits), decisions.slice(0, 8).map((order) => digits(moneyText(order.totalAmountMinor, order.currency))));
    },
};

/** Names of the API are sorted before they become words, so that equal counts can stand in another order. */
const sorted = (list) => list?.toSorted(([a], [b]) => (a < b ? -1 : 1));

/** An amount that the API has written, in its own form. */
const digits = (text) => text.replaceAll(/[^\d.]/g, "");

/** The totals of the list, of some statuses (at night, of all of them), and of each period. */
async function checkOrders(comparison, page, { timeZone }, { orders }) {
    const today = dayOf(Date.now(), timeZone);
    const lists = [
        ["", orders],
        ...some(Object.keys(words), 2).map((status) => [`status=${status}`, orders.filter((order) => order.status === status)]),
        ...some(Object.keys(payments), 2).map((payment) => [`payment=${payment}`, orders.filter(({ paymentStatus }) => paymentStatus === payment)]),
        ...SHOWN_PERIODS.map((days) => {
            const from = daysBefore(today, days - 1);
            return [`from=${from}&to=${today}`, orders.filter(({ createdAt }) => dayOf(createdAt, timeZone) >= from)];
        }),
    ];
    for (const [query, counted] of lists) {
        await follow(page, `/orders?${query}`, "merchant-orders");
        const { range, tables } = await readPage(page);
        const first = counted.toSorted(newest(({ createdAt }) => createdAt)).slice(0, 20);
        comparison.same(`orders ${query}`, range, counted.length ? `1–${first.length} of ${grouped(counted.length)}` : undefined);
        comparison.same(`amounts of orders ${query}`, column(tables.Orders ?? [], 4), amountsOf(first, "totalAmountMinor"));
    }
}

/** What is owed, each payout with its settlements, and the list of settlements. */
async function checkPayouts(comparison, page, { currency }, { settlements, payouts }) {
    await follow(page, "/payouts", "payouts");
    const shown = await readPage(page);
    const codes = currenciesOf(settlements, currency);
    comparison.same("owed", shown.owed, codes.map((code) => {
        const { payable, later, inProgress, held } = countOwed(settlements, code);
        const amounts = [payable + later + inProgress, payable, later, inProgress, ...(held > 0n ? [held] : [])];
        return [`Owed to you in ${code}`, ...amounts.map((amount) => moneyText(amount, code, { code: codes.length > 1 }))];
    }));
    const made = payouts.map((payout) => ({ payout, all: settlements.filter(({ payoutBatchId }) => payoutBatchId === payout.id) }));
    const net = ({ payout, all }) => sum(all, "netAmountMinor", payout.currency);
    const isMixed = new Set(payouts.map((one) => one.currency)).size > 1;
    comparison.same("amounts of payouts", column(shown.tables.Payouts, 4), made.map((one) => moneyText(net(one), one.payout.currency, { code: isMixed })));
    comparison.same("settlements of payouts", column(shown.tables.Payouts, 3), made.map(({ all }) => grouped(all.length)));
    for (const one of made) {
        const amount = moneyText(net(one), one.payout.currency);
        await follow(page, `/payouts/${one.payout.id}`, "payouts/");
        await page.getByRole("heading", { level: 1, name: amount }).waitFor();
        await page.getByText(`${one.all.length} settlement${one.all.length === 1 ? "" : "s"}`, { exact: true }).waitFor();
        const { tables, stats } = await readPage(page);
        const [gross, fee] = ["grossAmountMinor", "feeAmountMinor"].map((field) => moneyText(sum(one.all, field, one.payout.currency), one.payout.currency));
        comparison.same(`sums of ${amount}`, Object.values(stats).map(([figure]) => figure), [gross, fee, amount]);
        const amounts = one.all.map((settlement) => moneyText(settlement.netAmountMinor, settlement.currency));
        comparison.same(`settlements of ${amount}`, column(tables.Settlements, 4).toSorted(), amounts.toSorted());
    }
    await follow(page, "/payouts?tab=settlements", "settlements");
    const list = await readPage(page);
    const first = settlements.toSorted(newest(({ eligibleAt }) => eligibleAt)).slice(0, 25);
    comparison.same("settlements", list.range, `1–${first.length} of ${grouped(settlements.length)}`);
    const amounts = (field) => amountsOf(first, field);
    comparison.same("gross", column(list.tables.Settlements, 3), amounts("grossAmountMinor"));
    comparison.same("net", column(list.tables.Settlements, 5), amounts("netAmountMinor"));
    const fees = amounts("feeAmountMinor"); // beside its terms
    comparison.same("fees", column(list.tables.Settlements, 4).map((text, i) => text.slice(0, fees[i].length)), fees);
}
