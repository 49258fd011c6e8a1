// A blocking call behind an async wait of the same agent, which could not settle while the agent is blocked.

import { Arena, DeadlockError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { BoundedBuffer } from '../src/index.ts';
import { ENGINES } from './support/kinds.ts';
import { expectQuiet } from './support/rest.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

describe.each(ENGINES)('%s', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 8 });
  const other = secondAgent(arena);

  function create(): { ours: BoundedBuffer<number>; theirs: BoundedBuffer<number> } {
    const ours = BoundedBuffer.create({ arena, codec: 'int32', capacity: 1 });
    return { ours, theirs: openAs(other, ours.handle, (handle) => BoundedBuffer.from<number>(handle)) };
  }

  test('the blocking call throws a DeadlockError and leaves the queue, and the async waits stay', async () => {
    const { ours, theirs } = create();
    const pop = ours.popAsync();
    for (const call of [() => ours.pop(), () => ours.popMany(), () => ours.tryPop(Infinity)])
      expect(call).toThrow(DeadlockError);
    expect(ours.inspect().consumers).toHaveLength(1);
    theirs.push(1);
    expect(await pop).toBe(1);
    ours.push(2);
    const push = ours.pushAsync(3);
    for (const call of [() => ours.push(4), () => ours.pushMany([4]), () => ours.tryPush(4, Infinity)])
      expect(call).toThrow(DeadlockError);
    expect(ours.inspect().producers).toHaveLength(1);
    expect(theirs.pop()).toBe(2);
    await push;
    expect(ours.pop()).toBe(3);
    expectQuiet(ours);
  });

  test('every instance of the buffer in this agent knows of the wait', async () => {
    const { ours, theirs } = create();
    const pop = ours.popAsync();
    expect(() => BoundedBuffer.from<number>(ours.handle).pop()).toThrow(DeadlockError);
    theirs.push(1);
    expect(await pop).toBe(1);
    expectQuiet(ours);
  });

  test('a call does not throw on the other side, with a timeout, for waits of other agents, or after the wait has ended', async () => {
    const { ours, theirs } = create();
    const pop = ours.popAsync();
    expect([ours.tryPop(2), theirs.tryPop(2)]).toEqual([undefined, undefined]);
    ours.push(1);
    expect(await pop).toBe(1);
    const gone = ours.popAsync({ timeout: 1 }).catch((failure: unknown) => failure);
    expect(await gone).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    ours.push(2);
    expect(ours.pop()).toBe(2);
    expectQuiet(ours);
  });

  test('the blocking call also throws behind a wait that was granted its value and has not run yet', async () => {
    const { ours, theirs } = create();
    const pop = ours.popAsync();
    theirs.push(1);
    expect(() => ours.pop()).toThrow(DeadlockError);
    expect(await pop).toBe(1);
    expectQuiet(ours);
  });

  test('an agent that blocks on its own buffer gets no DeadlockError, because another agent may serve it', () => {
    const { ours } = create();
    ours.push(1);
    expect([ours.tryPush(2, 1), ours.pop(), ours.tryPop(1)]).toEqual([false, 1, undefined]);
    expectQuiet(ours);
  });
});
