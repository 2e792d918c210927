/** The part of a card's code that may be shown. @param {string | null | undefined} code */
export function maskCode(code) {
  return code ? `•••• ${code.slice(-4)}` : "••••";
}
