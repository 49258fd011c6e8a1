// Packs WebAssembly bytes as printable text. Repeated bytes remain repeated text, so that compression finds them.
//
// The digits of the text are the 86 characters from '(' to '~' without the backslash. A byte plus PACK_SHIFT, modulo
// 256, is one digit (2 + the sum) if the sum is below 84. Otherwise it is two digits, 0 or 1 first. kernel/pack.mjs
// writes the text.

const BACKSLASH = 92;
const FIRST_DIGIT = 40;
const DIGITS = 86;
const SHORT = DIGITS - 2;
const PACK_SHIFT = 2;

/**
 * Returns the bytes of a text that `pack` made. It reads character codes, because strings of one character would cost
 * more than the rest of a start.
 */
export function unpack(text: string): Uint8Array<ArrayBuffer> {
  const { length: end } = text;
  const bytes = new Uint8Array(end);
  let length = 0;
  for (let at = 0; at < end; length++) {
    const digit = digitAt(text, at++);
    // The assignment reduces the value modulo 256.
    bytes[length] = (digit < 2 ? SHORT + digit * DIGITS + digitAt(text, at++) : digit - 2) - PACK_SHIFT;
  }
  return bytes.subarray(0, length);
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code - FIRST_DIGIT - (code > BACKSLASH ? 1 : 0);
}
