// The choice of a role, or of single permissions. What somebody may not give is not offered.

import { html, nothing } from "/kit/vendor/lit.js";
import { mayGive, PERMISSIONS, ROLES } from "./powers.js";

/** @typedef {import("./powers.js").Powers} Powers */
/** @typedef {import("./powers.js").Role} Role */

/** What is chosen so far. */
export class PowersChoice {
  /** @param {Powers | undefined} powers */
  constructor(powers) {
    this.roles = ROLES.filter(([role]) => mayGive({ role, permissions: null }));
    this.permissions = new Set(powers?.permissions ?? []);
    const role = this.roles.find(([one]) => one === powers?.role)?.[0] ?? null;
    /** @type {Role | "CHOSEN" | null} */
    this.choice = role ?? (powers?.permissions || this.roles.length === 0 ? "CHOSEN" : null);
    this.error = "";
  }

  /** Null while nothing is chosen. @returns {Powers | null} */
  get powers() {
    if (this.choice === null) return null;
    if (this.choice !== "CHOSEN") return { role: this.choice, permissions: null };
    return this.permissions.size ? { role: null, permissions: [...this.permissions] } : null;
  }

  /** As requests name them; null, with an error to show, while nothing is chosen. */
  request() {
    const { powers } = this;
    this.error = powers ? "" : "Choose a role, or at least one permission.";
    if (!powers) return null;
    return powers.role ? { merchantTeamRole: powers.role } : { permissions: [...this.permissions] };
  }

  /** @param {Role | "CHOSEN"} choice */
  choose(choice) {
    this.choice = choice;
    this.error = "";
  }

  /** @param {string} permission @param {boolean} chosen */
  toggle(permission, chosen) {
    if (chosen) this.permissions.add(permission);
    else this.permissions.delete(permission);
    this.error = "";
  }
}

/** @param {PowersChoice} chosen @param {() => void} draw */
export function powersField(chosen, draw) {
  /** @param {Role | "CHOSEN"} value @param {string} word @param {string} text */
  const choice = (value, word, text) =>
    html`<label class="check">
      <input
        type="radio"
        name="powers"
        value=${value}
        .checked=${chosen.choice === value}
        aria-describedby=${chosen.error ? "powers-error" : nothing}
        @change=${() => {
          chosen.choose(value);
          draw();
        }}
      />
      <span>${word}<span class="small muted block">${text}</span></span>
    </label>`;
  return html`<fieldset class="powers" aria-invalid=${chosen.error ? "true" : "false"} tabindex="-1">
    <legend>Role</legend>
    ${chosen.roles.map(([role, word, text]) => choice(role, word, text))}
    ${choice("CHOSEN", "Chosen permissions", "Only what you tick")}
    ${chosen.choice === "CHOSEN" ? checklist(chosen, draw) : nothing}
    ${chosen.error ? html`<p class="error" id="powers-error" role="alert">${chosen.error}</p>` : nothing}
  </fieldset>`;
}

/**
 * @param {Pick<PowersChoice, "permissions" | "toggle">} chosen
 * @param {() => void} draw
 * @param {readonly string[]} [without] permissions that are not offered
 */
export function checklist(chosen, draw, without = []) {
  const offered = PERMISSIONS.filter(
    ([permission]) => !without.includes(permission) && mayGive({ role: null, permissions: [permission] }),
  );
  return html`<div class="checklist" role="group" aria-label="Permissions">
    ${offered.map(
      ([permission, word, reads, changes]) =>
        html`<label class="check">
          <input
            type="checkbox"
            value=${permission}
            .checked=${chosen.permissions.has(permission)}
            @change=${(/** @type {Event} */ event) => {
              chosen.toggle(permission, /** @type {HTMLInputElement} */ (event.target).checked);
              draw();
            }}
          />
          <span>${word}<span class="small muted block">${[reads, changes].filter(Boolean).join(". ")}</span></span>
        </label>`,
    )}
  </div>`;
}
