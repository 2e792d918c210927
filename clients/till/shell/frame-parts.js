// Parts of the till's frame that the first screen does not show.

import { html, nothing } from "/kit/vendor/lit.js";
import { money } from "./formats.js";
import { languageMenu } from "./language-menu.js";
import { areSignalsOn, setSignals } from "./presence.js";
import { around, t } from "./text.js";
import { cardRef, icon } from "./view.js";

/** @typedef {import("../till.js").Till} Till */
/** @typedef {import("../till.js").Entry} Entry */

/**
 * A late answer. It never takes the screen away.
 *
 * @param {Entry} entry
 * @param {() => void} onDismiss
 */
export function notice({ call, note, outcome }, onDismiss) {
  const amount = html`<bdi>${money(Number(note.amount), String(note.currency))}</bdi>`;
  const isDone = outcome?.kind === "done";
  const text =
    call === "redeem"
      ? around(isDone ? "late-redeem-done" : "late-redeem-failed", { amount, card: cardRef(String(note.ref)) })
      : around(isDone ? "late-issue-done" : "late-issue-failed", { amount });
  return html` <div class="notice ${isDone ? "ok" : "bad"}">
    ${icon(isDone ? "done" : "refused")}
    <p>${text}</p>
    <button type="button" class="button quiet" @click=${onDismiss}>${t("dismiss")}</button>
  </div>`;
}

/** @param {Till} till */
export function noJournalNotice({ hasNoJournal }) {
  return hasNoJournal
    ? html` <div class="notice bad">
        ${icon("warning")}
        <p>${t("no-journal")}</p>
      </div>`
    : nothing;
}

/**
 * The till was unpaired, but its access has not ended.
 *
 * @param {Till} till
 */
export function revokedNotice({ cannotRevoke }) {
  return cannotRevoke
    ? html` <div class="notice warn">
        ${icon("warning")}
        <p>${t("not-revoked")}</p>
      </div>`
    : nothing;
}

/**
 * @param {NonNullable<Till["moving"]>} moving
 * @param {boolean} isSlow
 */
export function callOnItsWay({ call, amount, currency }, isSlow) {
  const shown = html`<bdi>${money(amount, currency)}</bdi>`;
  return html` <div class="screen outcome" role="status">
    <div class="stack grow">
      <div class="seal busy">${icon("unknown")}</div>
      <h1 tabindex="-1">${around(call === "redeem" ? "moving-redeem" : "moving-issue", { amount: shown })}</h1>
      <p class="lead">${isSlow ? t(call === "redeem" ? "moving-slow-redeem" : "moving-slow-issue") : html`&nbsp;`}</p>
    </div>
  </div>`;
}

/**
 * @param {Till} till
 * @param {() => void} close
 */
export function aboutDialog(till, close) {
  const { till: self, merchant } = till.pairing ?? {};
  const isOpen = !till.mayUnpair;
  const unpair = () => {
    close();
    void till.unpair();
  };
  return html` <h2 id="about-title" dir="auto">${self?.name}</h2>
    <div class="stack">
      <p class="muted" dir="auto">${[self?.storeName, merchant?.name].filter(Boolean).join(", ")}</p>
      <p>${t(isOpen ? "menu-open-calls" : "menu-unpairing")}</p>
      ${languageMenu()}
      <label class="check"
        ><input
          type="checkbox"
          .checked=${areSignalsOn()}
          @change=${(/** @type {{target: HTMLInputElement}} */ { target }) => setSignals(target.checked)}
        />
        ${t("menu-signals")}</label
      >
    </div>
    <footer>
      <button type="button" class="button" @click=${close}>${t("close")}</button>
      ${isOpen ? nothing : html`<button type="button" class="button danger" @click=${unpair}>${t("menu-unpair", { till: self?.name ?? "" })}</button>`}
    </footer>`;
}
