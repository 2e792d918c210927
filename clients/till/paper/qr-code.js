// Draws a QR code: dark on white in every theme, or scanners could not read it.

import { html, nothing } from "/kit/vendor/lit.js";
import { encodeQR } from "/kit/vendor/qr.js";
import { forCustomers } from "../shell/text.js";
import { View } from "../shell/view.js";

const BORDER = 3; // modules

class QrCode extends View {
  static properties = { text: { attribute: false }, label: { attribute: false } };

  constructor() {
    super();
    this.text = "";
    /** The id of a message to the customer. */
    this.label = "qr-gift-card";
  }

  render() {
    if (!this.text) return nothing;
    const rows = encodeQR(this.text, "raw", { border: BORDER, ecc: "medium" });
    const modules = rows
      .map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join(""))
      .join("");
    return html` <svg
      class="qr"
      viewBox="0 0 ${rows.length} ${rows.length}"
      role="img"
      aria-label=${forCustomers().t(this.label)}
      shape-rendering="crispEdges"
    >
      <path d="M0 0h${rows.length}v${rows.length}H0z" fill="#fff" />
      <path d=${modules} fill="#000" />
    </svg>`;
  }
}

customElements.define("till-qr", QrCode);
