// Exports: a CSV file of a period, put together in the background.

import { html, nothing } from "/kit/vendor/lit.js";
import { dateKeyOf, daysBefore } from "/kit/time.js";
import { api, call } from "./api.js";
import { dialog, field, refusal, valuesOf } from "./forms.js";
import { formatCount } from "./parts.js";
import { store } from "./store.js";

/** @typedef {import("./store.js").Schemas["Export"]} Export */

/** @param {"orders" | "redemptions" | "settlements"} kind */
export function exportButton(kind) {
  return html`<button class="button" type="button" @click=${() => openExport(kind)}>Export</button>`;
}

/** @param {"orders" | "redemptions" | "settlements"} kind */
function openExport(kind) {
  const to = dateKeyOf(Date.now(), store.timeZone);
  const from = daysBefore(to, 29);
  /** @type {Export | null} */
  let made = null;
  /** @type {unknown} */
  let problem = null;
  let busy = false;
  let open = true;
  return dialog(`Export ${kind}`, (close, draw) => {
    /** @param {SubmitEvent} event */
    async function start(event) {
      event.preventDefault();
      if (busy) return;
      const values = valuesOf(/** @type {HTMLFormElement} */ (event.target));
      busy = true;
      problem = null;
      draw();
      try {
        const { data } = await call(() =>
          api.POST("/api/bff/exports", { body: { kind, from: values.from ?? from, to: values.to ?? to } }),
        );
        await follow(data.id);
      } catch (error) {
        problem = error;
      }
      busy = false;
      draw();
    }
    /** @param {string} id */
    async function follow(id) {
      for (let pause = 500; open; pause = Math.min(pause * 1.5, 5000)) {
        const { data } = await call(() => api.GET("/api/bff/exports/{id}", { params: { path: { id } } }));
        if (data.status !== "RUNNING") {
          made = data;
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
    if (made) {
      return made.status === "READY" && made.url
        ? html`<p role="status">
              The file is ready: ${formatCount(made.rows ?? 0)} rows. The link works for 10 minutes.
            </p>
            <footer>
              <button class="button" type="button" @click=${() => close()}>Close</button
              ><a class="button primary" href=${made.url} download>Download</a>
            </footer>`
        : html`<p role="alert">The export failed. Nothing was changed. Try it again later.</p>
            <footer><button class="button" type="button" @click=${() => close()}>Close</button></footer>`;
    }
    return html`<form @submit=${start}>
      <p class="muted">A CSV file. Both days are included, in the time zone of your business.</p>
      <div class="two">
        ${field({ name: "from", label: "From", type: "date", value: from, required: true })}${field({ name: "to", label: "To", type: "date", value: to, required: true })}
      </div>
      ${refusal(problem, "The export was not started.")}${busy ? html`<p role="status" class="muted">The file is being put together.</p>` : nothing}
      <footer>
        <button class="button" type="button" @click=${() => close()}>Cancel</button
        ><button class="button primary" aria-busy=${busy ? "true" : "false"}>Export ${kind}</button>
      </footer>
    </form>`;
  }).then(() => {
    open = false;
  });
}
