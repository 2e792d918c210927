// Faults of the upstreams: presets as switches, and whatever else is set.

import { DOUBLE_CLICK, once } from "/kit/once.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { getText, send } from "../control.js";
import { LivePage, skeleton } from "../live-page.js";

/** @typedef {{target: string, match: string, kind: string, times: number | "always", value?: number | string}} Fault */

/** The first fault that matches a call wins, so narrow ones stand before wide ones.
 * @type {{group: string, id: string, title: string, effect: string, fault: Fault}[]} */
const PRESETS = [
  {
    group: "Card network",
    id: "redeem-lost",
    title: "Redemptions go through, the answer is lost",
    effect: "The till shows an unknown outcome until the operation is looked up.",
    fault: { target: "card-network", match: "POST /v1/cards/redeem", kind: "after", times: "always" },
  },
  {
    group: "Card network",
    id: "issue-lost",
    title: "Cards are issued, the answer is lost",
    effect: "A sale stays open until the operation is looked up.",
    fault: { target: "card-network", match: "POST /v1/cards/issue", kind: "after", times: "always" },
  },
  {
    group: "Card network",
    id: "network-slow",
    title: "Slow by 3 seconds",
    effect: "Pages with data of the card network wait.",
    fault: { target: "card-network", match: "*", kind: "delay", value: 3000, times: "always" },
  },
  {
    group: "Card network",
    id: "network-fails",
    title: "Answers 503",
    effect: "Sales and lookups fail; reports still work.",
    fault: { target: "card-network", match: "*", kind: "status", value: 503, times: "always" },
  },
  {
    group: "Card network",
    id: "network-silent",
    title: "Never answers",
    effect: "Calls end with their timeouts.",
    fault: { target: "card-network", match: "*", kind: "timeout", times: "always" },
  },
  {
    group: "Identity verifier",
    id: "verifier-fails",
    title: "Answers 500",
    effect: "Applications are kept; verification is tried again later.",
    fault: { target: "verifier", match: "*", kind: "status", value: 500, times: "always" },
  },
  {
    group: "AWS",
    id: "writes-throttled",
    title: "DynamoDB throttles transactions",
    effect: "Writes are repeated, then fail.",
    fault: { target: "dynamodb", match: "TransactWriteItems", kind: "throttle", times: "always" },
  },
  {
    group: "AWS",
    id: "upload-fails",
    title: "S3 refuses uploads",
    effect: "Images and documents cannot be stored.",
    fault: { target: "s3", match: "PutObject", kind: "status", value: 503, times: "always" },
  },
  {
    group: "AWS",
    id: "mail-fails",
    title: "SES sends no mail",
    effect: "Mails wait and are tried again.",
    fault: { target: "ses", match: "*", kind: "throttle", times: "always" },
  },
];

const GROUPS = [...new Set(PRESETS.map(({ group }) => group))];

/** @extends {LivePage<Fault[]>} */
class FaultsPage extends LivePage {
  static properties = { ...LivePage.properties, problem: { state: true } };

  constructor() {
    super();
    this.problem = false;
    /** The last change. */
    this.changed = Promise.resolve();
    /** What the switches do, by the faults of their presets: each is its own opposite afterwards. */
    this.toggles = new Map(PRESETS.map(({ fault }) => [fault, once(() => this.toggle(fault), { rest: DOUBLE_CLICK })]));
    this.clear = once(() => this.change(() => []));
    this.removeFault = once((/** @type {Fault} */ fault) => this.change((all) => without(all, fault)));
  }

  get source() {
    return "/__local/faults";
  }

  /** After the change before: each begins with what that one has set.
   * @param {(faults: Fault[]) => Fault[]} change */
  change(change) {
    return (this.changed = this.changed.then(() => this.replace(change)));
  }

  /** Replaces what is set. What was set since the last look is part of it.
   * @param {(faults: Fault[]) => Fault[]} change */
  async replace(change) {
    try {
      await send("POST", this.source, change(JSON.parse(await getText(this.source))));
      this.problem = false;
      await this.refresh();
    } catch {
      this.problem = true;
    }
  }

  /** @param {Fault} preset */
  toggle(preset) {
    return this.change((faults) => {
      if (isIn(preset, faults)) return without(faults, preset);
      const presets = PRESETS.map(({ fault }) => fault).filter((fault) => fault === preset || isIn(fault, faults));
      return [...faults.filter((fault) => !isPreset(fault)), ...presets];
    });
  }

  render() {
    return html` <header class="head">
        <h1 tabindex="-1">Faults</h1>
        ${this.data?.length ? html`<button class="button" @click=${this.clear}>Switch all off</button>` : nothing}
      </header>
      <p class="muted">A fault makes calls of the functions fail, until it is switched off or used up.</p>
      ${this.renderFailure()}
      ${
        this.problem
          ? html`<p class="notice bad" role="alert">
              <span aria-hidden="true">✕</span
              ><span
                >It is not known whether the fault was set. Check that the local system runs, look at the switches, and
                try again.</span
              >
            </p>`
          : nothing
      }
      ${this.data === null ? skeleton() : this.renderFaults(this.data)}`;
  }

  /** @param {Fault[]} faults */
  renderFaults(faults) {
    const others = faults.filter((fault) => !isPreset(fault));
    const ofGroup = (/** @type {string} */ group) => PRESETS.filter((preset) => preset.group === group);
    return html`${
      others.length > 0
        ? section(
            "Set elsewhere",
            others.map((fault) => this.renderOther(fault)),
          )
        : nothing
    }
    ${GROUPS.map((group) =>
      section(
        group,
        ofGroup(group).map((preset) => this.renderPreset(preset, faults)),
      ),
    )}`;
  }

  /** @param {Fault} fault */
  renderOther(fault) {
    const name = `${fault.target} ${fault.match}`;
    return html`<li>
      <span><b class="mono wrap">${name}</b><span class="muted wrap">${describe(fault)}</span></span>
      <button class="button" aria-label="Remove ${name}" @click=${() => this.removeFault(fault)}>Remove</button>
    </li>`;
  }

  /** @param {(typeof PRESETS)[number]} preset @param {Fault[]} faults */
  renderPreset({ id, title, effect, fault }, faults) {
    return html`<li>
      <span><b id="title-${id}">${title}</b><span class="muted" id="effect-${id}">${effect}</span></span>
      <button
        class="switch"
        role="switch"
        aria-checked=${isIn(fault, faults)}
        aria-labelledby="title-${id}"
        aria-describedby="effect-${id}"
        @click=${this.toggles.get(fault)}
      ></button>
    </li>`;
  }
}

/** @param {string} title @param {unknown[]} rows */
function section(title, rows) {
  return html`<h2>${title}</h2>
    <ul class="panel switches">
      ${rows}
    </ul>`;
}

/** @param {Fault} one @param {Fault} other */
const isSame = (one, other) =>
  one.target === other.target &&
  one.match === other.match &&
  one.kind === other.kind &&
  one.value === other.value &&
  one.times === other.times;

/** @param {Fault} fault @param {Fault[]} faults */
const isIn = (fault, faults) => faults.some((other) => isSame(fault, other));

/** @param {Fault} fault */
const isPreset = (fault) =>
  isIn(
    fault,
    PRESETS.map((preset) => preset.fault),
  );

/** @param {Fault[]} faults @param {Fault} fault */
const without = (faults, fault) => faults.filter((other) => !isSame(other, fault));

/** @param {Fault} fault */
function describe({ kind, value, times }) {
  const what = value === undefined ? kind : `${kind} ${value}`;
  return times === "always" ? `${what}, each call` : `${what}, the next ${times === 1 ? "call" : `${times} calls`}`;
}

customElements.define("x-faults-page", FaultsPage);
