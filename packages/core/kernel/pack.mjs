// @ts-check
// Bytes as text: the other half of src/kernel/unpack-wasm.ts.

const DIGITS = 86;
const SHORT = DIGITS - 2;
// Makes 0xfe and 0xff short, too: 0xfe begins each atomic instruction.
const PACK_SHIFT = 2;

/** Without quotes and backslashes. @param {Uint8Array} bytes */
export function pack(bytes) {
  let text = '';
  for (const byte of bytes) {
    const sum = (byte + PACK_SHIFT) & 0xff;
    text += sum < SHORT ? digit(sum + 2) : digit(Math.floor((sum - SHORT) / DIGITS)) + digit((sum - SHORT) % DIGITS);
  }
  return text;
}

/** @param {number} value */
function digit(value) {
  const code = 40 + value;
  return String.fromCharCode(code < 92 ? code : code + 1);
}
