import { Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { decodeText, encodeText } from '../src/utf8.ts';

const TEXTS = ['', 'a', '%', '%41', '\0', '\ufeffmark', 'é', '漢', '😀', '\ud800', '\udc00a', 'a\ud83d', '\ud83d\ud83d\ude00', '\uffff', '\u{10ffff}'];

test.each(TEXTS)('%j is encoded as TextEncoder does it, and decoded', (text) => {
  expect(encodeText(text)).toEqual(new TextEncoder().encode(text));
  expect(decodeText(encodeText(text))).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text)));
});

test('any text is encoded as TextEncoder does it, and decoded', () => {
  const session = new Session('texts in UTF-8');
  const { random } = session;
  const COUNT = 2000;
  for (let n = 0; n < COUNT; n++) {
    const units = Array.from({ length: random.below(12) }, () => random.below(2) === 0 ? random.below(256) : 0xd700 + random.below(0x900));
    const text = String.fromCharCode(...units);
    expect(encodeText(text), session.seed.toString()).toEqual(new TextEncoder().encode(text));
    expect(decodeText(encodeText(text)), session.seed.toString()).toBe(text.replace(/\p{Surrogate}/gu, '\ufffd'));
  }
  session.done(COUNT);
});

test('bytes that are not UTF-8 are decoded without a failure', () => {
  expect(decodeText(Uint8Array.of(65, 0xff, 66))).toBe('A\ufffdB');
});
