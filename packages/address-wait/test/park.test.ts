// The promises of park and unpark to agents of one thread.

import { Arena, MisuseError, Region } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { AGENT_PERMIT } from '../../core/src/kernel/layout.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { park, parkAsync, unpark } from '../src/index.ts';

const turns = (): Promise<void> => new Promise((later) => setImmediate(later));

describe.each(['wasm', 'js'] as const)('park (%s)', (engine) => {
  const ours = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const theirs = secondAgent(ours);
  const expectNoWaiter = (): void => expect(ours.inspect().elements).toMatchObject({ waiting: 0 });

  test('an unpark() before park() lets one park() return at once', () => {
    expect(unpark(theirs, ours.agentId)).toBe(true);
    expect(unpark(theirs, ours.agentId)).toBe(true);
    expect([park(ours), park(ours, 0), park(ours, 2)]).toEqual([true, false, false]);
    expectNoWaiter();
  });

  test('unpark() ends the wait of the agent with that id, and of no other', async () => {
    const ended: string[] = [];
    const waits = [parkAsync(ours).then(() => ended.push('ours')), parkAsync(theirs).then(() => ended.push('theirs'))];
    await turns();
    expect(ended).toEqual([]);
    unpark(ours, theirs.agentId);
    await waits[1];
    expect(ended).toEqual(['theirs']);
    unpark(ours, ours.agentId);
    await Promise.all(waits);
    expectNoWaiter();
  });

  test('each permit ends one of several waits of an agent', async () => {
    let ended = 0;
    const waits = [1, 2, 3].map(() => parkAsync(ours).then(() => (ended += 1)));
    for (let permit = 1; permit <= 3; permit++) {
      unpark(theirs, ours.agentId);
      while (ended < permit) await turns();
      expect(ended).toBe(permit);
    }
    await Promise.all(waits);
    expectNoWaiter();
  });

  test('writes before unpark() are visible after park(), even if the permit was there already', () => {
    const words = Region.create(4, { arena: ours }).int32;
    for (let round = 1; round <= 100; round++) {
      unpark(theirs, ours.agentId);
      words[0] = round;
      unpark(theirs, ours.agentId);
      expect([park(ours), words[0]]).toEqual([true, round]);
    }
  });

  test('a wait that times out or is aborted takes no permit', async () => {
    const controller = new AbortController();
    const gone = parkAsync(ours, { signal: controller.signal });
    const late = parkAsync(ours, { timeout: 1 });
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    await expect(late).rejects.toMatchObject({ name: 'TimeoutError', code: 'SLUICE_TIMEOUT' });
    unpark(theirs, ours.agentId);
    expect([park(ours, 0), park(ours, 0)]).toEqual([true, false]);
    expectNoWaiter();
  });

  test('unpark() of an agent that is not in the arena returns false', () => {
    const gone = secondAgent(ours);
    const { agentId } = gone;
    gone.leave();
    expect([unpark(ours, agentId), unpark(ours, 1_000_000)]).toEqual([false, false]);
    expect(() => park(gone, 0)).toThrow(MisuseError);
    expect(() => unpark(gone, ours.agentId)).toThrow(MisuseError);
  });

  test('park() ignores the permit of an earlier agent of the record, and unpark() replaces it', () => {
    const { words, agent, id } = contextOf(ours);
    words.store32(agent + AGENT_PERMIT, id - 1);
    expect(park(ours, 0)).toBe(false);
    unpark(theirs, id);
    expect(park(ours, 0)).toBe(true);
    // A later agent has the record and a permit: a late unpark of its predecessor leaves both alone.
    words.store32(agent + AGENT_PERMIT, id + 1);
    expect([unpark(theirs, id), words.load32(agent + AGENT_PERMIT)]).toEqual([false, id + 1]);
    words.store32(agent + AGENT_PERMIT, 0);
  });

  test.each<readonly [call: string, use: () => unknown, error: string, says: string]>([
    ['park({})', () => park({} as never), 'TypeError', 'The arena must be an Arena'],
    ['park(arena, -1)', () => park(ours, -1), 'RangeError', 'The timeout must be 0 ms or more: received -1'],
    ['park(arena, "5")', () => park(ours, '5' as never), 'TypeError', 'The timeout must be a number'],
    ['parkAsync({})', () => parkAsync({} as never), 'TypeError', 'The arena must be an Arena'],
    ['parkAsync(arena, 5)', () => parkAsync(ours, 5 as never), 'TypeError', 'The options must be an object'],
    ['unpark({}, 1)', () => unpark({} as never, 1), 'TypeError', 'The arena must be an Arena'],
    ['unpark(arena, 0)', () => unpark(ours, 0), 'RangeError', 'The agent id must be a whole number from 1'],
    ['unpark(arena, "1")', () => unpark(ours, '1' as never), 'TypeError', 'The agent id must be a number'],
  ])('%s is refused', async (_call, use, error, says) => {
    const failure = await Promise.resolve()
      .then(use)
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ name: error });
    expect(String(failure)).toContain(says);
  });
});
