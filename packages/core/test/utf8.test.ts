import { Session } from '@sluice/harness';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { decodeText, decodeWithoutPlatform, encodeText, encodeWithoutPlatform } from '../src/platform/utf8.ts';

const TEXTS = [
  '',
  'a',
  '%',
  '%41',
  '\0',
  '\ufeffmark',
  'é',
  '漢',
  '😀',
  '\ud800',
  '\udc00a',
  'a\ud83d',
  '\ud83d\ud83d\ude00',
  '\uffff',
  '\u{10ffff}',
];

describe.each([
  ['with the platform’s encoder', encodeText, decodeText],
  ['without an encoder of the platform', encodeWithoutPlatform, decodeWithoutPlatform],
])('text in UTF-8, %s', (_, encode, decode) => {
  test.each(TEXTS)('%j is encoded as by TextEncoder, and decoded', (text) => {
    expect(encode(text)).toEqual(new TextEncoder().encode(text));
    expect(decode(encode(text))).toBe(
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text)),
    );
  });

  test('random text is encoded as by TextEncoder, and decoded', () => {
    const session = new Session('texts in UTF-8');
    const { random } = session;
    const COUNT = 2000;
    for (let n = 0; n < COUNT; n++) {
      const units = Array.from({ length: random.below(12) }, () =>
        random.below(2) === 0 ? random.below(256) : 0xd700 + random.below(0x900),
      );
      const text = String.fromCharCode(...units);
      expect(encode(text), session.seed.toString()).toEqual(new TextEncoder().encode(text));
      expect(decode(encode(text)), session.seed.toString()).toBe(text.replace(/\p{Surrogate}/gu, '\ufffd'));
    }
    session.done(COUNT);
  });

  test.each([63, 64, 65, 200])(
    'a text of %i characters is encoded as by TextEncoder, with and without a last character that is not ASCII',
    (length) => {
      for (const last of ['a', '\x7f', '\x80', '漢', '\ud800']) {
        const text = 'x'.repeat(length - 1) + last;
        expect(encode(text)).toEqual(new TextEncoder().encode(text));
      }
    },
  );

  test('bytes that are not UTF-8 are decoded without an error', () => {
    expect(decode(Uint8Array.of(65, 0xff, 66))).toBe('A\ufffdB');
  });
});

describe('on a platform without encoder and decoder', () => {
  afterEach(() => void vi.unstubAllGlobals());

  test('text is encoded and decoded', () => {
    for (const name of ['TextEncoder', 'TextDecoder']) vi.stubGlobal(name, undefined);
    expect(decodeText(encodeText('漢 😀'))).toBe('漢 😀');
  });
});
