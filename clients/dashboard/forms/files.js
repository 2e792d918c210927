// Files that are chosen and sent.

import { Problem } from "../shell/api.js";
import { change } from "../shell/change.js";

const MAX_BYTES = 4 * 1024 * 1024;

/** The file of the field, which can choose the same one again. @param {Event} event */
export function chosenFile({ target }) {
  if (!(target instanceof HTMLInputElement)) return undefined;
  const file = target.files?.[0];
  target.value = "";
  return file;
}

/**
 * @template T
 * @param {File} file
 * @param {(upload: {body: {file: string}, bodySerializer: () => FormData}) => Promise<{data?: T, error?: unknown, response: Response}>} send
 */
export async function sendFile(file, send) {
  if (file.size > MAX_BYTES) throw new Problem(413, null, null);
  const form = new FormData();
  form.set("file", file);
  return change(() => send({ body: { file: "" }, bodySerializer: () => form }));
}
