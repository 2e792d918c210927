// Copying to the clipboard, which a browser may refuse.

/**
 * Copies a text. If the browser does not allow it, selects it in its field, for the keyboard.
 * @param {string} text
 * @param {Element | null} field
 * @returns {Promise<string>} what to say
 */
export async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    if (field instanceof HTMLTextAreaElement) field.select();
    return "Press Ctrl+C or ⌘C to copy it.";
  }
}
