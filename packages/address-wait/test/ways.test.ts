// Behaviour that all ways to wait for a condition share.

import { Arena, TimeoutError } from '@sluice/core';
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { SharedWord } from '../src/index.ts';
import { ASYNC_WAYS, WAYS } from './support/ways.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

const ENGINES = ['wasm', 'js'] as const;

function freshArena(engine: 'wasm' | 'js' = 'wasm'): Arena {
  return Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets: 2 } });
}

/** Checks that no element is in a chain or queue, and that every claimed element is free or kept by this agent. */
function expectNobody(arena: Arena): void {
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
}

describe.each(ENGINES)('engine %s', (engine) => {
  describe.each(WAYS)('$name', ({ wait, signal }) => {
    test('a wait returns at once when its condition holds', () => {
      const arena = freshArena(engine);
      const word = SharedWord.create(1, { arena });
      expect(wait(word, 1)).toBe(true);
      expectNobody(arena);
    });

    test('several waits that time out in a row leave nothing behind', () => {
      const arena = freshArena(engine);
      const word = SharedWord.create(0, { arena });
      for (let time = 0; time < 40; time++) expect(wait(word, 1, time % 3)).toBe(false);
      signal(word);
      expectNobody(arena);
      // Each wait gave its element back: the arena has as many as at the beginning.
      expect(arena.inspect().elements.total).toBeLessThanOrEqual(16);
    });

    test('a signal with no waiters has no effect', () => {
      const word = SharedWord.create(0, { arena: freshArena(engine) });
      for (let time = 0; time < 5; time++) signal(word);
      expect(wait(word, 1, 1)).toBe(false);
    });
  });

  describe.each(ASYNC_WAYS)('$name, async', ({ waitAsync, signal }) => {
    test('all async waits resolve after the signal', async () => {
      const arena = freshArena(engine);
      const word = SharedWord.create(0, { arena });
      const waits = Array.from({ length: 10 }, () => waitAsync(word, 1));
      word.store(1);
      signal(word);
      await Promise.all(waits);
      expectNobody(arena);
    });

    test('an async wait keeps waiting after a wake-up when its condition does not hold', async () => {
      const word = SharedWord.create(0, { arena: freshArena(engine) });
      let over = false;
      const waiting = waitAsync(word, 2).then(() => (over = true));
      for (const value of [1, 3, 4]) {
        const other = waitAsync(word, value);
        word.store(value);
        signal(word);
        // The signal wakes both waits.
        await other;
        expect(over).toBe(false);
      }
      word.store(2);
      signal(word);
      await waiting;
    });

    test('an async wait that times out rejects with a TimeoutError, and the other waiters are still woken', async () => {
      const arena = freshArena(engine);
      const word = SharedWord.create(0, { arena });
      const [first, short, last] = [waitAsync(word, 1), waitAsync(word, 1, { timeout: 2 }), waitAsync(word, 1)];
      await expect(short).rejects.toBeInstanceOf(TimeoutError);
      word.store(1);
      signal(word);
      await Promise.all([first, last]);
      expectNobody(arena);
    });

    test('an aborted wait rejects with the reason itself and leaves no listener', async () => {
      const word = SharedWord.create(0, { arena: freshArena(engine) });
      const controller = new AbortController();
      const others = [waitAsync(word, 1), waitAsync(word, 1)];
      const waiting = waitAsync(word, 1, { signal: controller.signal });
      const last = waitAsync(word, 1);
      controller.abort('enough');
      await expect(waiting).rejects.toBe('enough');
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      word.store(1);
      signal(word);
      await Promise.all([...others, last]);
    });

    test('a wait with an aborted signal rejects at once', async () => {
      const arena = freshArena(engine);
      const word = SharedWord.create(0, { arena });
      await expect(waitAsync(word, 1, { signal: AbortSignal.abort('before') })).rejects.toBe('before');
      expectNobody(arena);
    });

    test('a thousand aborted waits leave the arena unchanged', async () => {
      const arena = freshArena(engine);
      const word = SharedWord.create(0, { arena });
      const patient = waitAsync(word, 1);
      for (let round = 0; round < 100; round++) {
        const controller = new AbortController();
        const waits = Array.from({ length: 10 }, () =>
          waitAsync(word, 1, { signal: controller.signal }).catch((reason: unknown) => reason),
        );
        controller.abort('enough');
        expect(new Set(await Promise.all(waits))).toEqual(new Set(['enough']));
      }
      word.store(1);
      signal(word);
      await patient;
      expectNobody(arena);
      expect(arena.inspect().elements.total).toBeLessThanOrEqual(32);
    });
  });
});
