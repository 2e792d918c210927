// A field for an image, which everybody can see once it is stored.

import { html, nothing } from "/kit/vendor/lit.js";
import { api } from "../shell/api.js";
import { chosenFile, sendFile } from "./files.js";

/** Larger than any card is shown, on any screen. */
const LONGEST_SIDE = 1600;

/**
 * A photograph with sides of at most 1,600 pixels. Whatever cannot be scaled, or would move no more, stays as it is.
 * @param {File} file
 */
async function scaled(file) {
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

/** Stores an image: its address to keep, and where this page sees it. @param {File} file @returns {Promise<{kept: string, seen: string}>} */
export async function storeImage(file) {
  const { data } = await sendFile(await scaled(file), (upload) => api.POST("/api/bff/offers/media", upload));
  return { kept: data.urlImage, seen: data.previewUrl };
}

/**
 * @param {object} view
 * @param {string} view.name
 * @param {string} view.label
 * @param {string} view.without what stands for it
 * @param {boolean} view.image whether there is one
 * @param {boolean} view.busy
 * @param {unknown} view.refused why the last one was not stored
 * @param {(file: File) => void} view.upload
 * @param {() => void} view.removeImage
 * @param {unknown} [view.preview]
 */
export function imageField({ name, label, without, image, busy, refused, upload, removeImage, preview = nothing }) {
  /** @param {Event} event */
  const chosen = (event) => {
    const file = chosenFile(event);
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
    ${refused}
  </div>`;
}
