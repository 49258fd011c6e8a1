// UTF-8 without `TextEncoder` and `TextDecoder`: Jest's jsdom environment and audio worklets have neither.

/** Encodes as `TextEncoder` does: a lone surrogate becomes U+FFFD. */
export function encodeText(text: string): Uint8Array {
  const escaped = encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
  const bytes = escaped.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}

/** Decodes what `encodeText` returned. If the bytes are not valid UTF-8, each byte above 127 becomes U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : '\ufffd')).join('');
  }
}
