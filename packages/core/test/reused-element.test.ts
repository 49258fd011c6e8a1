// Tests a step that reads an element after another wait has begun to use it.

import { expect, test } from 'vitest';
import { DRAWN, COUNT, LINE } from '../src/kernel/layout.ts';
import { isAtEnd } from '../src/kernel/roll-back.ts';
import { AtomicWords, boundTo } from '../src/kernel/words.ts';
import { asElement } from '../src/kernel/addresses.ts';

test('isAtEnd() of an element that waits on a word does not load 64 bits at the address of that word', () => {
  const words = new AtomicWords(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }));
  const element = 1024;
  // As `sleepOn` does, write the address of a 32-bit count.
  words.put32(element + LINE, 2048 + 52);
  words.put64(element + DRAWN, 3000n);
  words.put32(element + COUNT, 1);
  expect(boundTo(words, { isAtEnd }).isAtEnd(asElement(element))).toBe(true);
});
