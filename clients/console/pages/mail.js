// Mails as they would look at their receivers, newest first.

import { html, keyed, nothing } from "/kit/vendor/lit.js";
import { LivePage, skeleton, timeOfDay } from "../live-page.js";

/** @typedef {{to: string[], subject: string, text: string | null, html: string | null, sentAt: string}} Mail */

/** @extends {LivePage<Mail[]>} */
class MailPage extends LivePage {
  static properties = { ...LivePage.properties, chosen: { state: true }, asText: { state: true } };

  constructor() {
    super();
    /** @type {number | null} index of the mail in the order of sending; null is the newest */
    this.chosen = null;
    this.asText = false;
  }

  get source() {
    return "/__local/mail";
  }

  render() {
    return html`<h1 tabindex="-1">Mail</h1>
      ${this.renderFailure()} ${this.data === null ? skeleton() : this.renderMails(this.data)}`;
  }

  /** @param {Mail[]} mails */
  renderMails(mails) {
    const current = this.chosen ?? mails.length - 1;
    const mail = mails[current];
    if (!mail)
      return html`<div class="panel empty">
        <b>No mail yet</b>
        <p>Sign-in codes, invitations and notices appear here. None of them leaves this machine.</p>
      </div>`;
    return html`<div class="split">
      <ul class="panel mails" aria-label="Mails">
        ${mails
          .map(
            (each, index) =>
              html`<li>
                <button aria-pressed=${index === current} @click=${() => (this.chosen = index)}>
                  <b class="truncate" dir="auto">${each.subject}</b>
                  <span class="faint"
                    ><span class="truncate">${each.to.join(", ")}</span><span>${timeOfDay(each.sentAt)}</span></span
                  >
                </button>
              </li>`,
          )
          .toReversed()}
      </ul>
      <article class="panel mail" aria-labelledby="subject">
        <header>
          <div>
            <h2 id="subject" class="wrap" dir="auto">${mail.subject}</h2>
            <p class="faint wrap">To ${mail.to.join(", ")}</p>
          </div>
          ${
            mail.html
              ? html`<div class="segmented" role="group" aria-label="Format">
                  <button aria-pressed=${!this.asText} @click=${() => (this.asText = false)}>Mail</button>
                  <button aria-pressed=${this.asText} @click=${() => (this.asText = true)}>Text</button>
                </div>`
              : nothing
          }
        </header>
        ${this.asText || !mail.html ? html`<pre class="text">${linked(mail.text ?? "")}</pre>` : renderFrame(current, mail)}
      </article>
    </div>`;
  }
}

/** A document of no origin: it may open its links in new tabs, and nothing else. Each mail has a frame of its own, as a new
 * address of one frame would be a step of the browser's history.
 * @param {number} number @param {Mail} mail */
const renderFrame = (number, { subject }) =>
  keyed(
    number,
    html`<iframe
      title=${subject}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      src="/__local/mail/${number}/html"
    ></iframe>`,
  );

/** Text with its web addresses as links. @param {string} text */
const linked = (text) =>
  text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((part, index) => (index % 2 === 1 ? html`<a href=${part} target="_blank" rel="noopener">${part}</a>` : part));

customElements.define("x-mail-page", MailPage);
