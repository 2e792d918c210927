// Lets the till open without a connection: see worker.js.

const WORKER = "/worker.js";

export async function keepForOffline() {
  // Missing where the page is not from https or this machine.
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  const { controller } = serviceWorker;
  // Without a worker, the till works as long as it has a connection.
  await serviceWorker.register(trusted(WORKER)).catch(() => {});
  // A new worker keeps the files by itself.
  controller?.postMessage("keep");
}

/**
 * The page's policy refuses plain text as the address of a script.
 *
 * @param {string} url
 * @returns {string}
 */
function trusted(url) {
  // Not in every browser yet, and unknown to the types.
  /** @type {any} */
  const trustedTypes = Reflect.get(globalThis, "trustedTypes");
  if (!trustedTypes) return url;
  return trustedTypes.createPolicy("till-worker", { createScriptURL: () => url }).createScriptURL("");
}
