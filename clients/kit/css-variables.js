// How styles learn what only a script knows, such as the colours of a merchant.

import { directive, Directive, nothing } from "/kit/vendor/lit.js";

/** Sets custom properties of an element: the page's policy forbids style attributes. */
export const cssVariables = directive(
  class extends Directive {
    /** @param {Record<string, string>} _variables */
    render(_variables) {
      return nothing;
    }

    /**
     * @param {{element: HTMLElement}} part
     * @param {[Record<string, string>]} variables
     */
    update({ element }, [variables]) {
      for (const [name, value] of Object.entries(variables)) element.style.setProperty(name, value);
      return nothing;
    }
  },
);
