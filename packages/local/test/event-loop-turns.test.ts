// Tests that calls of the serving process let its event loop turn, so that the other members get their answers.

import { expect, test } from 'vitest';
import { makeOpen } from './support/spaces.ts';

test('a loop of calls in the serving process lets the other members in', async () => {
  const open = makeOpen();
  const serving = (await open()).mutex('a');
  const other = (await open()).mutex('b');
  const entered: string[] = [];
  const call = other.runAsync(() => entered.push('other'));
  while (entered.length === 0) await serving.runAsync(() => undefined);
  await call;
  expect(entered).toEqual(['other']);
});

test.each(['the member that serves', 'another member'])(
  'a loop of calls through a limit of %s lets timers run',
  async (which) => {
    const open = makeOpen();
    const spaces = [await open(), await open()];
    const limit = (which === 'another member' ? spaces[1] : spaces[0])?.limit('jobs', 2);
    const fired: string[] = [];
    setTimeout(() => fired.push('timer'), 0);
    while (fired.length === 0) await limit?.(() => 1);
    expect(fired).toEqual(['timer']);
  },
);

test('a loop of tries lets the holder of a capacitor go on', async () => {
  const capacitor = (await makeOpen()()).capacitor('c');
  const order: string[] = [];
  let enter = (): void => undefined;
  const entered = new Promise<void>((resolve) => (enter = resolve));
  const holder = capacitor.runAsync(async () => {
    enter();
    await new Promise((resolve) => setTimeout(resolve, 0));
    order.push('holder');
  });
  await entered;
  const waiter = capacitor.runAsync(() => order.push('waiter'));
  while (!(await capacitor.tryLock()));
  order.push('loop');
  await capacitor.unlock();
  await Promise.all([holder, waiter]);
  expect(order[0]).toBe('holder');
  expect(order.toSorted()).toEqual(['holder', 'loop', 'waiter']);
});
