// What the clients import of Lit. The order of the lines is that of the bundle.
export { css, html, LitElement, noChange, nothing, render, svg } from "lit";
export { repeat } from "lit/directives/repeat.js";
export { live } from "lit/directives/live.js";
export { createRef, ref } from "lit/directives/ref.js";
export { keyed } from "lit/directives/keyed.js";
export { ifDefined } from "lit/directives/if-defined.js";
export { Directive, directive, PartType } from "lit/directive.js";
