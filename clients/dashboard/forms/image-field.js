// A field for an image, which everybody can see once it is stored.

import { html, nothing } from "/kit/vendor/lit.js";
import { api } from "../shell/api.js";
import { change } from "../shell/change.js";

const MAX_BYTES = 4 * 1024 * 1024;

/** Larger than any card is shown, on any screen. */
const LONGEST_SIDE = 1600;

/**
 * A photograph with sides of at most 1,600 pixels. Whatever cannot be scaled, or would move no more, stays as it is.
 * @param {File} file
 */
export async function scaled(file) {
  if (!["image/png", "image/jpeg", "image/webp"].includes(file.type)) return file;
  const start = new TextDecoder("latin1").decode(await file.slice(0, 1000).arrayBuffer());
  const isAnimated = /acTL|ANIM/.test(start);
  const picture = isAnimated ? null : await createImageBitmap(file).catch(() => null);
  const scale = picture ? LONGEST_SIDE / Math.max(picture.width, picture.height) : 1;
  if (!picture || scale >= 1) return file;
  const canvas = new OffscreenCanvas(Math.ceil(picture.width * scale), Math.ceil(picture.height * scale));
  const context = canvas.getContext("2d");
  if (!context) return file;
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const smaller = await canvas.convertToBlob({ type: file.type, quality: 0.85 });
  const isBetter = smaller.type === file.type && smaller.size < file.size;
  return isBetter ? new File([smaller], file.name, { type: file.type }) : file;
}

/** Why a file is not sent; empty if it is. @param {File} file */
export const imageError = (file) => (file.size > MAX_BYTES ? "The file is too large. Choose one of at most 4 MB." : "");

/** Stores an image: its address to keep, and where this page sees it. @param {File} file @returns {Promise<{kept: string, seen: string}>} */
export async function storeImage(file) {
  const form = new FormData();
  form.set("file", file);
  const { data } = await change(() =>
    api.POST("/api/bff/offers/media", { body: { file: "" }, bodySerializer: () => form }),
  );
  return { kept: data.urlImage, seen: data.previewUrl };
}

/**
 * @param {object} view
 * @param {string} view.name
 * @param {string} view.label
 * @param {string} view.without what stands for it
 * @param {boolean} view.image whether there is one
 * @param {boolean} view.busy
 * @param {string} view.error
 * @param {(file: File) => void} view.upload
 * @param {() => void} view.removeImage
 * @param {unknown} [view.preview]
 */
export function imageField({ name, label, without, image, busy, error, upload, removeImage, preview = nothing }) {
  /** @param {Event} event */
  const chosen = (event) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const file = input.files?.[0];
    if (file) upload(file);
  };
  const remove = html`<button class="button" type="button" @click=${removeImage}>
    Remove the ${label.toLowerCase()}
  </button>`;
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <div class="drop">
      ${preview}
      <input
        id=${name}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        @change=${chosen}
        aria-describedby=${`${name}-hint`}
      />
      <span class="hint faint small" id=${`${name}-hint`} role="status">
        ${busy ? `The ${label.toLowerCase()} is being stored.` : `PNG, JPEG, GIF or WebP, at most 4 MB. ${without}`}
      </span>
      ${image ? remove : nothing}
    </div>
    ${error ? html`<span class="error" role="alert">${error}</span>` : nothing}
  </div>`;
}
