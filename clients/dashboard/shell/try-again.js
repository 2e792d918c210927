// A button that waits as long as the API asks for. The countdown is seen, never spoken.

import { html, nothing, render } from "/kit/vendor/lit.js";

class TryAgain extends HTMLElement {
  connectedCallback() {
    const until = Date.now() + Number(this.getAttribute("seconds")) * 1000;
    const retry = () => this.dispatchEvent(new Event("retry"));
    const draw = () => {
      const left = Math.ceil((until - Date.now()) / 1000);
      const wait = left > 90 ? `${Math.ceil(left / 60)} min` : `${left} s`;
      const countdown = left > 0 ? html`<span aria-hidden="true"> in ${wait}</span>` : nothing;
      render(
        html`<button class="button" type="button" ?disabled=${left > 0} @click=${retry}>Try again${countdown}</button>`,
        this,
      );
      if (left <= 0) clearInterval(this.timer);
    };
    this.timer = setInterval(draw, 1000);
    draw();
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }
}
customElements.define("try-again", TryAgain);
