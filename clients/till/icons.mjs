// Draws the icons that icon.svg cannot stand in for: `node clients/till/icons.mjs` writes them beside this file.
// Their background reaches the edges: systems cut the corners as they like.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

const SIZES = { "apple-touch-icon.png": 180, "icon-192.png": 192, "icon-512.png": 512 };
const [INK, CARD] = [
  [0x11, 0x19, 0x20],
  [0x70, 0xc7, 0xed],
];
const SAMPLES = 4; // for each pixel, in both directions

/** The colour at a point of icon.svg, whose sides are 64. */
function colorAt(x, y) {
  const isOn = (left, top, width, height, radius) => {
    const dx = Math.max(left + radius - x, x - (left + width - radius), 0);
    const dy = Math.max(top + radius - y, y - (top + height - radius), 0);
    return dx * dx + dy * dy <= radius * radius;
  };
  const isStripe = isOn(12, 25, 40, 4, 0);
  const isLine = isOn(16.5, 36.5, 13, 3, 1.5);
  return isOn(12, 19, 40, 26, 5) && !isStripe && !isLine ? CARD : INK;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

function png(size) {
  const pixels = Buffer.alloc(size * (1 + size * 3));
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const sum = [0, 0, 0];
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
        const x = ((column + ((sample % SAMPLES) + 0.5) / SAMPLES) * 64) / size;
        const y = ((row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) * 64) / size;
        colorAt(x, y).forEach((value, channel) => (sum[channel] += value));
      }
      sum.forEach(
        (value, channel) =>
          (pixels[row * (1 + size * 3) + 1 + column * 3 + channel] = Math.round(value / SAMPLES ** 2)),
      );
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2], 8); // 8 bits a channel, RGB
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

for (const [name, size] of Object.entries(SIZES)) writeFileSync(join(import.meta.dirname, name), png(size));
