// The end of a buffer: producers throw, consumers take the remaining values.

import { Arena, ClosedError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import type { BoundedBuffer } from '../src/index.ts';
import { CASES, valuesOf } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

const ARENAS = { wasm: Arena.create({ maxPages: 64 }), js: Arena.create({ engine: engineNamed('js'), maxPages: 64 }) };
const OTHERS = { wasm: secondAgent(ARENAS.wasm), js: secondAgent(ARENAS.js) };

describe.each(CASES)('$title', ({ engine, create, from, ...kind }) => {
  const [first = 0, second, third] = valuesOf(kind, 0, 3);

  /** Two instances of one buffer, one per agent. */
  function make(capacity: number): { ours: BoundedBuffer<unknown>; theirs: BoundedBuffer<unknown> } {
    const ours = atEnd(create(ARENAS[engine], capacity), expectQuiet);
    return { ours, theirs: openAs(OTHERS[engine], ours.handle, from) };
  }

  async function expectEnded(...buffers: readonly BoundedBuffer<unknown>[]): Promise<void> {
    for (const buffer of buffers) {
      expect([buffer.closed, buffer.length]).toEqual([true, 0]);
      const { value } = kind;
      for (const call of [
        () => buffer.push(value(1)),
        () => buffer.tryPush(value(1)),
        () => buffer.tryPush(value(1), 1),
      ]) {
        expect(call).toThrow(ClosedError);
      }
      for (const call of [() => buffer.pop(), () => buffer.tryPop(), () => buffer.tryPop(1)])
        expect(call).toThrow(ClosedError);
      for (const wait of [buffer.pushAsync(value(1)), buffer.popAsync(), buffer.popAsync({ timeout: 0 })]) {
        await expect(wait).rejects.toThrow(ClosedError);
      }
    }
  }

  test('the values of a closed buffer can still be taken, then all calls throw', async () => {
    const { ours, theirs } = make(3);
    ours.pushMany([first, second, third]);
    theirs.close();
    expect(() => ours.push(first)).toThrow(ClosedError);
    await expect(theirs.pushAsync(first)).rejects.toThrow(ClosedError);
    expect([ours.length, ours.pop(), theirs.tryPop(), await ours.popAsync()]).toEqual([3, first, second, third]);
    await expectEnded(ours, theirs);
  });

  test('close() of an empty buffer ends the waits of consumers of all agents', async () => {
    const { ours, theirs } = make(1);
    const waits = [
      ours.popAsync(),
      theirs.popAsync(),
      ours.popManyAsync(),
      theirs.popAsync({ timeout: 60_000, ref: false }),
    ];
    const ended = Promise.allSettled(waits);
    await turn();
    expect(ours.inspect().consumers).toHaveLength(4);
    ours.close();
    for (const end of await ended) expect(end).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_CLOSED' } });
    await expectEnded(ours, theirs);
  });

  test('a call on a closed buffer throws ClosedError, and not DeadlockError, beside pending async calls of its agent', async () => {
    const { ours, theirs } = make(1);
    const pops = Promise.allSettled([ours.popAsync(), ours.popAsync()]);
    await turn();
    theirs.close();
    // In this turn the async calls are still pending.
    for (const call of [() => ours.pop(), () => ours.popMany(), () => ours.tryPop(), () => ours.tryPop(1)])
      expect(call).toThrow(ClosedError);
    for (const end of await pops) expect(end).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_CLOSED' } });
    const full = make(1);
    full.ours.push(first);
    const pushes = Promise.allSettled([full.ours.pushAsync(second), full.ours.pushAsync(third)]);
    await turn();
    full.theirs.close();
    for (const call of [() => full.ours.push(third), () => full.ours.tryPush(third), () => full.ours.tryPush(third, 1)])
      expect(call).toThrow(ClosedError);
    for (const end of await pushes)
      expect(end).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_CLOSED' } });
    // The remaining values still come out after the close.
    expect(full.theirs.pop()).toEqual(first);
    await expectEnded(ours, theirs, full.ours, full.theirs);
  });

  test('close() of a full buffer ends the waits of producers without adding their values', async () => {
    const { ours, theirs } = make(1);
    ours.push(first);
    const ended = Promise.allSettled([
      ours.pushAsync(second),
      theirs.pushManyAsync([second, third]),
      ours.pushAsync(third),
    ]);
    await turn();
    theirs.close();
    for (const end of await ended) expect(end).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_CLOSED' } });
    expect([ours.length, theirs.pop()]).toEqual([1, first]);
    await expectEnded(ours, theirs);
  });

  test('a second close() has no effect, and later calls find the buffer closed', async () => {
    const { ours, theirs } = make(2);
    ours.push(first);
    for (const buffer of [ours, theirs, ours]) buffer.close();
    const late = openAs(secondAgent(ARENAS[engine]), ours.handle, from);
    expect([late.closed, late.tryPop()]).toEqual([true, first]);
    late.close();
    await expectEnded(ours, theirs, late);
  });

  test('a value granted to a waiting consumer reaches it despite a close', async () => {
    const { ours, theirs } = make(2);
    const waits = [ours.popAsync(), ours.popAsync()];
    const ended = Promise.allSettled(waits);
    await turn();
    theirs.push(first);
    theirs.close();
    expect(await ended).toMatchObject([{ value: first }, { reason: { code: 'SLUICE_CLOSED' } }]);
    await expectEnded(ours, theirs);
  });

  test('a producer that was granted room before a close throws ClosedError', async () => {
    const { ours, theirs } = make(1);
    ours.push(first);
    const ended = Promise.allSettled([ours.pushAsync(second)]);
    await turn();
    expect(theirs.pop()).toEqual(first);
    theirs.close();
    expect(await ended).toMatchObject([{ reason: { code: 'SLUICE_CLOSED' } }]);
    await expectEnded(ours, theirs);
  });

  test('popMany() that waited returns only the values that are there, even if the buffer was closed meanwhile', async () => {
    const { ours, theirs } = make(4);
    const wait = ours.popManyAsync();
    await turn();
    theirs.push(first);
    theirs.close();
    expect([await wait, ours.length]).toEqual([[first], 0]);
  });
});
