// Tests async calls at a seq-lock whose mutex another agent holds for longer than any call of a seq-lock does.

import { Arena, DEFAULT_POLICY } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openPrimitive } from '../../core/src/primitive/block.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { SeqLock } from '../src/index.ts';
import { SEQ_LOCK } from '../src/kinds.ts';
import { Writers } from '../src/writers.ts';
import { fill, numberIn } from './support/checksum.ts';
import './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('SeqLock (%s), while another agent holds its mutex', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const other = secondAgent(arena);

  function scene(): { ours: SeqLock; holder: Writers } {
    const ours = SeqLock.create({ arena, name: 'held', byteLength: 16, order: 'fifo' });
    ours.write((value) => fill(value, 1));
    const holder = new Writers(
      openAs(other, ours.handle, (handle) => openPrimitive(handle, SEQ_LOCK)),
      DEFAULT_POLICY,
    );
    holder.lock();
    return { ours, holder };
  }

  const CALLS = [
    ['writeAsync', (lock: SeqLock, options?: object) => lock.writeAsync((value) => fill(value, 2), options)],
    ['updateAsync', (lock: SeqLock, options?: object) => lock.updateAsync((value) => fill(value, 2), options)],
  ] as const;

  test.each(CALLS)('%s() that times out or is aborted writes nothing and leaves the line', async (_, call) => {
    const { ours, holder } = scene();
    const reason = new Error('mine');
    const controller = new AbortController();
    const aborted = call(ours, { signal: controller.signal });
    const late = [call(ours, { timeout: 0 }), call(ours, { timeout: 2 })];
    for (const wait of late)
      await expect(wait).rejects.toMatchObject({
        code: 'SLUICE_TIMEOUT',
        message: expect.stringContaining("SeqLock 'held' could not be locked within") as string,
      });
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    expect([ours.version, ours.read(numberIn), ours.inspect().waiters]).toEqual([1, 1, []]);
    holder.unlock();
    expect([ours.tryUpdate((value) => fill(value, 3)), ours.read(numberIn)]).toEqual([true, 3]);
  });

  test.each(CALLS)(
    '%s() ends in the turn in which it gets the mutex, so the next call of its agent finds the mutex free',
    async (_, call) => {
      const { ours, holder } = scene();
      const own = new Writers(openPrimitive(ours.handle, SEQ_LOCK), DEFAULT_POLICY);
      const calls = [call(ours), call(ours), call(ours)];
      expect(ours.inspect().waiters).toHaveLength(3);
      holder.unlock();
      // No microtask of this agent may find the mutex held by an async call of the same agent.
      let refused = 0;
      const poke = async (): Promise<void> => {
        for (let round = 0; round < 200; round++) {
          await Promise.resolve();
          if (own.owned) refused += 1;
        }
      };
      await Promise.all([poke(), ...calls]);
      expect([refused, ours.version, ours.inspect().waiters, ours.inspect().owner]).toEqual([0, 4, [], 0]);
    },
  );

  test('every form of read works', async () => {
    const { ours, holder } = scene();
    expect([
      ours.read(numberIn),
      numberIn(ours.read()),
      ours.tryRead(ours.read()),
      numberIn(await ours.readAsync()),
    ]).toEqual([1, 1, true, 1]);
    expect([
      ours.tryWrite(() => undefined),
      ours.tryWrite(() => undefined, 1),
      ours.tryUpdate(() => undefined, 1),
    ]).toEqual([false, false, false]);
    holder.unlock();
    ours.free();
  });

  test('free() throws while a write waits', async () => {
    const { ours, holder } = scene();
    const wait = ours.writeAsync((value) => fill(value, 5));
    expect(() => ours.free()).toThrow("SeqLock 'held' is in use and cannot be freed");
    holder.unlock();
    await wait;
    expect(ours.read(numberIn)).toBe(5);
    ours.free();
  });
});
