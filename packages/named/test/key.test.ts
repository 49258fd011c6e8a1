import { expect, test } from 'vitest';
import { encodeText } from '../../core/src/platform/utf8.ts';
import { checkKey, hashOf, labelOf, MAX_UNITS } from '../src/table/key.ts';
import { alike } from './support/alike.ts';

test('the hash is FNV-1a', () => {
  // From the authors' list of results, as unsigned numbers.
  expect(['', 'a', 'foobar'].map((key) => hashOf(key) >>> 0)).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  expect(hashOf('liquid')).toBe(hashOf('costarring'));
});

test('different keys can have the same hash and length', () => {
  const [first, second] = alike();
  expect([first === second, first.length, second.length, hashOf(first) === hashOf(second)]).toEqual([
    false,
    2,
    2,
    true,
  ]);
});

test.each([
  ['', 'k', 'k'],
  ['accounts', 'k', 'accounts: k'],
  ['', 'é'.repeat(30), 'é'.repeat(30)],
  ['', 'é'.repeat(31), `${'é'.repeat(28)}…`],
  ['', `${'a'.repeat(56)}😀b`, `${'a'.repeat(56)}…`],
  ['a'.repeat(60), 'k', `${'a'.repeat(57)}…`],
])('the name of the lock of a key of %j, %j, is %j', (owner, key, label) => {
  expect(labelOf(owner, key)).toBe(label);
});

test('the name of a lock has no half of a surrogate pair, even if a long key is cut', () => {
  expect([labelOf('', 'a\ud83d'), labelOf('\udc00', 'k'), labelOf('', '😀')]).toEqual(['a\ufffd', '\ufffd: k', '😀']);
  for (let length = 0; length < 130; length++)
    expect(/\p{Surrogate}/u.test(labelOf('', `${'a'.repeat(length)}${'😀'.repeat(100)}`))).toBe(false);
});

test('the name of a lock fits into its block, whatever the key is', () => {
  for (const unit of ['a', 'é', '語', '😀', '\ud800', '\0']) {
    for (let length = 0; length < 100; length++)
      expect(encodeText(labelOf('', unit.repeat(length))).length).toBeLessThanOrEqual(60);
  }
});

test('a key is a string of at most 4096 code units', () => {
  expect(checkKey('The key', 'a'.repeat(MAX_UNITS))).toHaveLength(MAX_UNITS);
  expect(() => checkKey('The key', 'a'.repeat(MAX_UNITS + 1))).toThrow(
    new RangeError('The key may have at most 4096 UTF-16 code units: received 4097 ("aaaaaaaaaaaaaaaaaaaa"...)'),
  );
  expect(() => checkKey('The key', 7)).toThrow(new TypeError('The key must be a string: received 7'));
});
