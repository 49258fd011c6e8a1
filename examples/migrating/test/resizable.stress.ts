// Tests weights, values, cancels and waits for an unlock like those of async-mutex: the same cases with async-mutex and
// with an adapter.

import * as asyncMutex from 'async-mutex';
import { expect, test } from 'vitest';
import { Semaphore } from './over-resizable.ts';
import { CASES, type Case, type Weighted } from './resizable-cases.ts';

async function play({ permits, play: act }: Case, make: (permits: number) => Weighted): Promise<string> {
  const logged: string[] = [];
  await act(make(permits), (what) => logged.push(String(what)));
  return logged.join(' ');
}

test.each(CASES)('async-mutex and a ResizableSemaphore: $name', async (each) => {
  expect(await play(each, (permits) => new asyncMutex.Semaphore(permits))).toBe(each.logged);
  expect(await play(each, (permits) => new Semaphore(permits))).toBe(each.logged);
});
