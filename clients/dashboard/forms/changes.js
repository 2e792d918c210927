// What was typed into the fields of a form and is not saved yet.

export class Changes {
  /** @type {Record<string, string>} */
  #typed = {};

  get any() {
    return Object.keys(this.#typed).length > 0;
  }

  /** @param {string} name */
  get(name) {
    return this.#typed[name];
  }

  /** @param {string} name @param {string} value @param {string} saved */
  set(name, value, saved) {
    if (value === saved) delete this.#typed[name];
    else this.#typed[name] = value;
  }

  /** Those of these fields that were changed, as they are sent. @param {readonly string[]} names @returns {Record<string, string>} */
  of(names) {
    const changed = names.filter((name) => this.#typed[name] !== undefined);
    return Object.fromEntries(changed.map((name) => [name, this.#typed[name]?.trim() ?? ""]));
  }

  /** What was sent is saved. What was typed meanwhile stays. @param {Record<string, string>} sent */
  saved(sent) {
    for (const [name, value] of Object.entries(sent)) if (this.#typed[name]?.trim() === value) delete this.#typed[name];
  }
}
