// What the clients use of vendor/qr.js.
export function encodeQR(
  text: string,
  output: "raw",
  options?: { border?: number; ecc?: "low" | "medium" | "quartile" | "high" },
): boolean[][];
export function encodeQR(
  text: string,
  output: "svg",
  options?: { border?: number; ecc?: "low" | "medium" | "quartile" | "high"; optimize?: boolean },
): string;
export function decodeQR(
  image: { width: number; height: number; data: Uint8Array | Uint8ClampedArray },
  options?: object,
): string;
