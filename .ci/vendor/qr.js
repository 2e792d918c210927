export { default as encodeQR } from "qr";
export { default as decodeQR } from "qr/decode.js";
