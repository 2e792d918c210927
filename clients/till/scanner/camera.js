// Reads codes from the camera: with the browser's own detector where there is one, else with a decoder loaded on demand.

import { html } from "/kit/vendor/lit.js";
import { t } from "../shell/text.js";
import { icon } from "../shell/view.js";

const INTERVAL = 150; // milliseconds between two looks
const WIDTH = 480; // of the picture that is decoded; enough for a code that fills a third of it

export class CodeCamera {
  error = "";
  video = Object.assign(document.createElement("video"), { muted: true, playsInline: true });
  #isStopped = false;
  #onCode;
  #onChange;

  /** @param {{onCode: (code: string) => void, onChange: () => void}} options */
  constructor({ onCode, onChange }) {
    this.#onCode = onCode;
    this.#onChange = onChange;
  }

  async start() {
    try {
      this.video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      if (this.#isStopped) return this.stop();
      await this.video.play();
      const read = await createReader();
      while (!this.#isStopped) {
        const code = await read(this.video);
        if (code && !this.#isStopped) return this.#onCode(code);
        await new Promise((resolve) => setTimeout(resolve, INTERVAL));
      }
    } catch {
      if (this.#isStopped) return;
      this.error = t("camera-failed");
      this.#onChange();
    }
  }

  /** @param {() => void} onType the code is typed instead */
  step(onType) {
    this.video.setAttribute("aria-label", t("camera-label"));
    return html` <div class="screen">
      <div class="stack grow">
        <h1 tabindex="-1">${t("camera-title")}</h1>
        ${
          this.error
            ? html`<div class="notice bad" role="alert">
                ${icon("warning")}
                <p>${this.error}</p>
              </div>`
            : html`<div class="lens">${this.video}</div>
                <p class="muted" role="status">${t("camera-hint")}</p>`
        }
      </div>
      <div class="actions">
        <button type="button" class="button large ${this.error ? "primary" : ""}" @click=${onType}>
          ${t("camera-type")}
        </button>
      </div>
    </div>`;
  }

  stop() {
    this.#isStopped = true;
    if (this.video.srcObject instanceof MediaStream) this.video.srcObject.getTracks().forEach((track) => track.stop());
  }
}

/** @returns {Promise<(video: HTMLVideoElement) => Promise<string | null>>} */
async function createReader() {
  // Not in every browser yet, and unknown to the types.
  /** @type {any} */
  const Detector = Reflect.get(globalThis, "BarcodeDetector");
  if (Detector && (await Detector.getSupportedFormats()).includes("qr_code")) {
    const detector = new Detector();
    return async (video) => (await detector.detect(video))[0]?.rawValue ?? null;
  }
  const { decodeQR } = await import("/kit/vendor/qr.js");
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return async (video) => {
    if (!context || video.videoWidth === 0) return null;
    canvas.width = WIDTH;
    canvas.height = Math.round((WIDTH * video.videoHeight) / video.videoWidth);
    context.drawImage(video, 0, 0, canvas.width, canvas.height);
    try {
      return decodeQR(context.getImageData(0, 0, canvas.width, canvas.height));
    } catch {
      return null; // no code in this picture
    }
  };
}
