// Exports: a workbook or a CSV file of a period, put together in the background.

import { html, nothing } from "/kit/vendor/lit.js";
import { dateKeyOf, daysBefore } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { lookAgain } from "../shell/change.js";
import { creator } from "../shell/creator.js";
import { actionDialog, dialog, STAY } from "../forms/dialogs.js";
import { field } from "../forms/forms.js";
import { formatCount } from "../shell/parts.js";
import { store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas["Export"]} Export */
/** @typedef {"orders" | "redemptions" | "settlements"} Kind */
/** @typedef {import("../shell/store.js").Schemas["ExportFormat"]} Format */
/** As in the list of orders. @typedef {Pick<import("../shell/store.js").Schemas["NewExport"], "q" | "status" | "paymentStatus">} OrderFilter */

/**
 * What the page shows, so that the file has the same.
 * @typedef {object} Shown
 * @property {string} [from] a day
 * @property {string} [to]
 * @property {OrderFilter} [filter]
 * @property {string} [filterWords] the filter, for reading
 */

const MOST_DAYS = 366;
/** @type {readonly (readonly [Format, string])[]} */
const FORMATS = [
  ["xlsx", "Excel"],
  ["csv", "CSV, for programs"],
];
const TOO_MANY_ROWS = "An Excel file has at most 200,000 rows, and these are more. Export fewer days, or choose CSV.";

/** @param {Kind} kind @param {Shown} [shown] */
export function exportButton(kind, shown = {}) {
  return html`<button class="button" type="button" @click=${() => openExport(kind, shown)}>Export</button>`;
}

/** @param {Kind} kind @param {Shown} shown */
async function openExport(kind, shown) {
  const to = shown.to || dateKeyOf(Date.now(), store.timeZone);
  const from = shown.from || daysBefore(to, MOST_DAYS - 1);
  let error = "";
  let isRunning = false;
  let isOpen = true;
  const create = creator();
  const made = await actionDialog({
    title: `Export ${kind}`,
    verb: `Export ${kind}`,
    failed: "The export was not started.",
    content: () =>
      html`<p class="muted">Both days are included, in the time zone of your business.</p>
        ${kind === "settlements" ? html`<p class="muted">Includes what became owed on these days, whenever it is due.</p>` : nothing}
        ${shown.filterWords ? html`<p dir="auto">Only ${kind} as in the list: <b class="wrap">${shown.filterWords}</b></p>` : nothing}
        <div class="two">
          ${field({ name: "from", label: "From", type: "date", value: from, required: true, error })}${field({ name: "to", label: "To", type: "date", value: to, required: true })}
        </div>
        ${field({ name: "format", label: "File", options: FORMATS })}
        ${isRunning ? html`<p role="status" class="muted">The file is being prepared.</p>` : nothing}`,
    act: async (values) => {
      const period = { from: values.from ?? from, to: values.to ?? to };
      const format = values.format === "csv" ? "csv" : "xlsx";
      error = periodError(period);
      if (error) throw STAY;
      isRunning = true;
      try {
        return await whenMade(await startExport(create, kind, period, format, shown.filter), () => isOpen);
      } finally {
        isRunning = false;
      }
    },
  });
  isOpen = false;
  if (made) await offer(made);
}

/** @param {{from: string, to: string}} period */
function periodError({ from, to }) {
  if (from > to) return "Choose a first day that is not after the last one.";
  return daysBefore(to, MOST_DAYS - 1) > from ? `A file can cover at most ${MOST_DAYS} days.` : "";
}

/**
 * @param {ReturnType<typeof creator>} create
 * @param {Kind} kind
 * @param {{from: string, to: string}} period
 * @param {Format} format
 * @param {OrderFilter} [filter]
 * @returns {Promise<string>} the id of the export
 */
async function startExport(create, kind, period, format, filter = {}) {
  const body = {
    kind,
    ...period,
    format,
    ...filter,
    ...(kind === "settlements" && { by: /** @type {const} */ ("createdAt") }),
  };
  return (await create((params) => api.POST("/api/bff/exports", { params, body }))).data.id;
}

/** @param {string} id @param {() => boolean} isAwaited @returns {Promise<Export | undefined>} */
async function whenMade(id, isAwaited) {
  for (let pause = 500; isAwaited(); pause = Math.min(pause * 1.5, 5000)) {
    const answer = await call(() => api.GET("/api/bff/exports/{id}", { params: { path: { id } } })).catch(lookAgain);
    if (answer && answer.data.status !== "RUNNING") return answer.data;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** @param {Export} made */
function offer({ kind, status, url, rows, code }) {
  return dialog(`Export ${kind}`, (close) => {
    const isReady = status === "READY" && url;
    return html`${
        isReady
          ? html`<p role="status">The file is ready: ${formatCount(rows ?? 0)} rows. The link works for 10 minutes.</p>`
          : html`<p role="alert">
              ${code === "TOO_MANY_ROWS" ? TOO_MANY_ROWS : "The export failed. Nothing was changed. Try it again later."}
            </p>`
      }
      <footer>
        <button class="button" type="button" @click=${() => close()}>Close</button>
        ${isReady ? html`<a class="button primary" href=${url} download>Download</a>` : nothing}
      </footer>`;
  });
}
