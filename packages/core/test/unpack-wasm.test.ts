import { expect, test } from 'vitest';
import { Session } from '@sluice/harness';
import { pack } from '../kernel/pack.mjs';
import { unpack } from '../src/kernel/unpack-wasm.ts';

test('unpack() restores every byte and every pair of bytes from the packed text', () => {
  const bytes = new Uint8Array(2 * 256 * 256);
  for (let pair = 0; pair < 256 * 256; pair++) bytes.set([pair >> 8, pair & 0xff], 2 * pair);
  const text = pack(bytes);
  expect(text).toMatch(/^[(-[\]-~]*$/);
  expect(Buffer.from(unpack(text)).equals(bytes)).toBe(true);
  for (let byte = 0; byte < 256; byte++) expect([...unpack(pack(new Uint8Array([byte])))]).toEqual([byte]);
});

test('unpack() restores random bytes of any length from the packed text', () => {
  const session = new Session('packed bytes');
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, () => session.random.below(256));
    expect([...unpack(pack(bytes))]).toEqual([...bytes]);
  }
  session.done(300);
});
