// UTF-8. Jest's jsdom environment and audio worklets have neither `TextEncoder` nor `TextDecoder`. There, this file
// uses only what the language has.

let encoder: TextEncoder | undefined;
let decoder: TextDecoder | undefined;

/**
 * The length in bytes up to which a loop over ASCII is faster than a call of the platform. V8 keeps an array of so few
 * bytes without a buffer of its own.
 */
const SHORT = 64;

/** Encodes as `TextEncoder` does: a lone surrogate becomes U+FFFD. */
export function encodeText(text: string): Uint8Array {
  if (text.length > SHORT) return encodeAny(text);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return encodeAny(text);
    bytes[at] = code;
  }
  return bytes;
}

function encodeAny(text: string): Uint8Array {
  if (typeof TextEncoder === 'undefined') return encodeWithoutPlatform(text);
  encoder ??= new TextEncoder();
  return encoder.encode(text);
}

/**
 * Decodes what `encodeText` returned. Bytes that are not valid UTF-8 become U+FFFD. `bytes` must not be shared memory.
 */
export function decodeText(bytes: Uint8Array): string {
  if (typeof TextDecoder === 'undefined') return decodeWithoutPlatform(bytes);
  decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes);
}

export function encodeWithoutPlatform(text: string): Uint8Array {
  const escaped = encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
  const bytes = escaped.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}

export function decodeWithoutPlatform(bytes: Uint8Array): string {
  try {
    return decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : '\ufffd')).join('');
  }
}
