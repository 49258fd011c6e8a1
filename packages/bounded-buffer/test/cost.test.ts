// The cost of a call: kernel steps, wake-ups, and the cache lines that it touches.

import { describe, expect, test, vi } from 'vitest';
import type { Deed } from '../../core/test/support/crash.ts';
import { turn } from '../../core/test/support/turn.ts';
import { BLOCK_LINE } from '../../core/src/kernel/layout.ts';
import { Scene, SCENES, WAYS, type Member } from './support/scene.ts';

vi.mock('../../core/src/kernel/kernel.ts', async (original) =>
  (await import('../../core/test/support/crash.ts')).crashingKernels(await original()),
);
/** The addresses that steps write and read, while a test records them. */
const touched = vi.hoisted(() => ({ written: new Set<number>(), read: new Set<number>() }));
vi.mock('../../core/src/kernel/words.ts', async (original) => {
  const { crashingWords } = await import('../../core/test/support/crash.ts');
  const actual = crashingWords(await original());
  class WatchedWords extends actual.AtomicWords {}
  const names = [
    'load32',
    'load64',
    'get32',
    'get64',
    'store32',
    'store64',
    'put32',
    'put64',
    'add32',
    'add64',
    'cas32',
    'cas64',
  ] as const;
  for (const name of [...names, 'exchange32'] as const) {
    const plain = Reflect.get(actual.AtomicWords.prototype, name) as (...args: unknown[]) => unknown;
    const list = /^(load|get)/.test(name) ? touched.read : touched.written;
    Object.defineProperty(WatchedWords.prototype, name, {
      value(this: unknown, address: number, ...rest: unknown[]) {
        list.add(address);
        return plain.call(this, address, ...rest);
      },
    });
  }
  return { ...actual, AtomicWords: WatchedWords };
});
vi.mock('../../core/src/agent/parking.ts', async (original) =>
  (await import('../../core/test/support/crash.ts')).crashingParking(await original()),
);

/** Returns the addresses of that kind of access. */
function deedsOf({ life }: Member, kinds: readonly Deed[], act: () => unknown): readonly string[] {
  life.count(kinds, Infinity);
  act();
  return life.deeds;
}

describe.each(SCENES)('$title', ({ way, engine }) => {
  test('while no agent waits, a call for one int32 makes one kernel call, any other call makes two, and none notifies', async () => {
    const scene = new Scene(engine, way, 4);
    const [member, other] = [scene.join(), scene.join()];
    const { buffer } = member;
    other.buffer.push(0);
    const TWO = ['enterSide', 'commitSide'];
    const one = (step: string): readonly string[] => (way.name === 'int32' ? [step] : TWO);
    const calls: readonly (readonly [call: () => unknown, steps: readonly string[]])[] = [
      [() => buffer.push(1), one('passInt32')],
      [() => buffer.tryPush(2), one('passInt32')],
      [() => void buffer.pushAsync(3), TWO],
      [() => buffer.pop(), one('passInt32')],
      [() => buffer.tryPop(), one('passInt32')],
      [() => void buffer.popAsync(), TWO],
      [() => void buffer[Symbol.asyncIterator]().next(), TWO],
    ];
    for (const [call, steps] of calls) {
      expect(deedsOf(member, ['step', 'parking'], call)).toEqual(steps);
      await turn();
    }
  });

  test('while no agent waits, a call for many values makes one kernel call more than a call for one', () => {
    const scene = new Scene(engine, way, 4);
    const { buffer } = scene.first;
    const steps = ['enterSide', 'countSideUnits', 'commitSide'];
    expect(deedsOf(scene.first, ['step', 'parking'], () => buffer.pushMany([1, 2, 3, 4]))).toEqual(steps);
    expect(deedsOf(scene.first, ['step', 'parking'], () => buffer.popMany())).toEqual(steps);
  });

  test('each served waiter costs one wake-up, and waiters that still wait cost none', async () => {
    const scene = new Scene(engine, way, 4);
    const [giver, ...takers] = scene.joinAll(4) as [Member, ...Member[]];
    const waits = takers.map(({ buffer }) => scene.wait(buffer.popAsync()));
    await scene.world.settle();
    expect(deedsOf(giver, ['parking'], () => giver.buffer.push(1))).toEqual(['notify']);
    await scene.world.settle();
    expect(waits.filter(({ outcome }) => outcome !== 'waits')).toHaveLength(1);
    // The second waiter wakes the third after it has taken its value.
    expect(deedsOf(giver, ['parking'], () => giver.buffer.pushMany([2, 3, 4]))).toEqual(['notify']);
    await scene.world.settle();
    expect(waits.map(({ outcome }) => outcome)).toEqual([{ got: 1 }, { got: 2 }, { got: 3 }]);
    expect(deedsOf(giver, ['parking'], () => giver.buffer.push(5))).toEqual([]);
  });
});

test('producers write to no word of the consumers, and load their position only when the room that they know of is used up', () => {
  const [way] = WAYS;
  if (way === undefined) throw new Error('there is no way to create a buffer');
  const { buffer } = new Scene('js', way, 4).first;
  const { address } = buffer.handle;
  const lines = (all: ReadonlySet<number>): Set<number> =>
    new Set([...all].filter((at) => at >= address).map((at) => Math.floor((at - address) / BLOCK_LINE)));
  // The ring is behind these cache lines.
  const RING = 7;
  const expectTouched = (act: () => unknown, own: number, other: number, looks: boolean): void => {
    touched.written.clear();
    touched.read.clear();
    act();
    expect([...lines(touched.written)].filter((line) => line < RING)).toEqual([own]);
    expect(lines(touched.read).has(other)).toBe(looks);
  };
  const [PRODUCERS, CONSUMERS] = [1, 2];
  for (let round = 0; round < 3; round++) {
    // A producer knows from the start that the buffer is empty.
    for (let n = 0; n < 4; n++) expectTouched(() => buffer.push(1), PRODUCERS, CONSUMERS, n === 0 && round > 0);
    for (let n = 0; n < 4; n++) expectTouched(() => buffer.pop(), CONSUMERS, PRODUCERS, n === 0);
  }
});
