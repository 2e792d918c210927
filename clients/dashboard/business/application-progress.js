// Where an application is that has been sent: what to do next, and what follows.

import { html, nothing } from "/kit/vendor/lit.js";
import { icon } from "../shell/icons.js";

const STATUSES = ["SUBMITTED", "KYB_IN_PROGRESS", "DECISION_PENDING"];

/** @param {import("../shell/store.js").Schemas["Company"]} company */
export function progress(company) {
  const now = Math.max(1, STATUSES.indexOf(company.status));
  const steps = [
    ["Sent", "The platform has received your application."],
    [
      "Verification",
      now === 1 ? verification(company.verifierSessionUrl) : "The directors have proved their identity.",
    ],
    ["Decision", now === 2 ? "The platform decides. This can take a few working days." : "Then the platform decides."],
    ["Open", "Your shop opens and tills can be paired. This page updates by itself."],
  ];
  return html`<section class="panel">
    <ol class="timeline">
      ${steps.map(([title, text], i) => step({ title, text, now, i }))}
    </ol>
  </section>`;
}

/** @param {{title: unknown, text: unknown, now: number, i: number}} view */
function step({ title, text, now, i }) {
  return html`<li class=${i < now ? "past" : i === now ? "now" : ""} aria-current=${i === now ? "step" : nothing}>
    ${icon(i < now ? "done" : i === now ? "info" : "open")}
    <div>
      <b>${title}</b>
      <div class="muted text">${text}</div>
    </div>
  </li>`;
}

/** @param {string | null} link */
function verification(link) {
  if (!link) return html`<p role="status">The verification is being prepared. Its link appears here in a moment.</p>`;
  return html`<p>Next, the directors prove their identity. Have an identity document at hand.</p>
    <p><a class="button primary" href=${link} target="_blank" rel="noopener">Start the verification</a></p>
    <p class="small">Come back to this page when it is done.</p>`;
}
