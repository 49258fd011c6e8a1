// A closed limit, and functions whose slot cannot be released.

import { Arena, hasCode, Semaphore } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { createLimit } from '../src/index.ts';
import { attachAs } from './support/agents.ts';
import { Gate, Stage, turns } from './support/gate.ts';

const arena = Arena.create({ maxPages: 32 });

describe('a limit closed while functions run', () => {
  test('can be freed when the functions of all agents have ended, and returns all of its memory', async () => {
    const other = secondAgent(arena);
    createLimit(1, { arena }).free();
    const before = arena.inspect().used;
    const limit = createLimit(3, { arena });
    const theirs = attachAs(other, limit.handle);
    const stage = new Stage();
    const calls = [limit(stage.play, 'a'), limit(stage.play, 'b'), theirs(stage.play, 'c')];
    await turns();
    theirs.close();
    await stage.end('a', 'c');
    expect([limit.inspect().activeCount, limit.inspect().state]).toEqual([1, 'closed']);
    expect(() => limit.free()).toThrow('is in use and cannot be freed');
    await stage.end('b');
    expect([await Promise.all(calls), limit.inspect().activeCount]).toEqual([['a', 'b', 'c'], 0]);
    limit.free();
    expect(arena.inspect().used).toBe(before);
  });

  test('a limit over a given semaphore reports no running functions once they have ended', async () => {
    const semaphore = Semaphore.create(2, { arena });
    const limit = createLimit(semaphore);
    const stage = new Stage();
    const call = limit(stage.play, 'a');
    await turns();
    semaphore.close();
    expect(limit.inspect().activeCount).toBe(1);
    await stage.end('a');
    expect([await call, limit.inspect().holders]).toEqual(['a', []]);
  });
});

test('setting the concurrency of a closed limit throws and takes no slot', () => {
  const limit = createLimit(2, { arena });
  limit.close();
  for (const concurrency of [1, 9]) {
    let failure: unknown;
    try {
      limit.concurrency = concurrency;
    } catch (error) {
      failure = error;
    }
    expect(hasCode(failure, 'SLUICE_CLOSED')).toBe(true);
    expect(String(failure)).toContain('is closed. The concurrency was not changed.');
  }
  expect([limit.concurrency, limit.inspect().activeCount]).toEqual([2, 0]);
  limit.free();
});

describe('a slot that cannot be released', () => {
  /** What other code does to the semaphore while the function runs. */
  const CASES: readonly (readonly [string, (semaphore: Semaphore) => void])[] = [
    ['since other code released it', (semaphore) => semaphore.release()],
    [
      'since it was freed',
      (semaphore) => {
        semaphore.close();
        semaphore.free();
      },
    ],
    [
      'since it was freed and another semaphore reuses its memory',
      (semaphore) => {
        semaphore.free();
        for (let count = 0; count < 8; count++) Semaphore.create(1, { arena });
      },
    ],
  ];

  test.each(CASES)('%s: the call still settles with the result or the error of its function', async (_, happens) => {
    for (const fails of [false, true]) {
      const semaphore = Semaphore.create(1, { arena, max: 1 });
      const limit = createLimit(semaphore);
      const gate = new Gate();
      const call = limit(async () => {
        await gate.passed;
        if (fails) throw new Error('its own');
        return 'its own';
      }).catch((failure: unknown) => failure);
      await turns();
      happens(semaphore);
      gate.open();
      expect(await call).toEqual(fails ? new Error('its own') : 'its own');
      expect(limit.activeCount).toBe(0);
    }
  });

  test('is held by no agent after another agent has released it', async () => {
    const semaphore = Semaphore.create(1, { arena, max: 1 });
    const limit = createLimit(semaphore);
    const stage = new Stage();
    const call = limit(stage.play, 'a');
    await turns();
    semaphore.release();
    await stage.end('a');
    await call;
    expect([semaphore.available, semaphore.inspect().holders]).toEqual([1, []]);
    expect(await limit(() => 'next')).toBe('next');
  });
});
