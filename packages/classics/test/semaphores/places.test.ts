// Waits that are cancelled in mid-queue leave elements in proportion to the pending waits, and no permit is lost.

import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { turn as turnOfLoop } from '../../../core/test/support/turn.ts';
import { oneIn, Session } from '@sluice/harness';
import { describe, expect, test } from 'vitest';
import { compact, MIN_LEFT_BEHIND } from '../../../core/src/agent/compaction.ts';
import { GATE, LEAVING } from '../../../core/src/kernel/layout.ts';
import { ChainSemaphore, LightweightSemaphore } from '../../src/index.ts';
import type { MemberKernel } from '../../src/semaphores/family-kernel.ts';
import { TICKETED } from './support/crash-members.ts';
import './support/kinds.ts';

const LEFT = 'left';
const engines = ['wasm', 'js'] as const;

interface Permits {
  readonly available: number;
  readonly waiting: number;
  acquireAsync(permits?: number, options?: { signal?: AbortSignal }): Promise<void>;
  release(permits?: number): void;
  inspect(): { readonly abandoned: number };
}

/** Semaphores with one line and tickets: alone, and inside a lightweight semaphore. */
const KINDS: readonly (readonly [string, (arena: Arena) => Permits])[] = [
  ...TICKETED.map((Member) => [Member.name, (arena: Arena) => Member.create(0, { arena })] as const),
  ...(['semaphore', 'ticket', 'chain'] as const).map(
    (inner) =>
      [
        `LightweightSemaphore over ${inner}`,
        (arena: Arena) => LightweightSemaphore.create(0, { arena, inner }),
      ] as const,
  ),
];

describe.each(oneIn(2, KINDS))('%s', (name, create) => {
  test.each(engines)(
    '10,000 async waits that are aborted in mid-queue leave few elements, and none after the next release (%s)',
    async (engine) => {
      const arena = Arena.create({ policy: { buckets: 16 }, engine: engineNamed(engine) });
      const sem = create(arena);
      const first = sem.acquireAsync();
      const controllers = Array.from({ length: 10 }, () => new AbortController());
      const waits = Array.from({ length: 10_000 }, (_wait, at) =>
        sem.acquireAsync(1, { signal: (controllers[at % 10] as AbortController).signal }).catch(() => LEFT),
      );
      const patient = sem.acquireAsync();
      for (const controller of controllers) controller.abort();
      await Promise.all(waits);
      expect(sem.waiting).toBe(2);
      // Every tenth wait at a time: no two are neighbours until the last tenth.
      expect(sem.inspect().abandoned).toBeLessThanOrEqual(4 * MIN_LEFT_BEHIND);
      compact(contextOf(arena));
      expect(sem.inspect().abandoned).toBeLessThanOrEqual(2);
      sem.release(2);
      await first;
      await patient;
      expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
      expect(sem.available).toBe(0);
    },
  );

  test('random aborted waits lose no permit', async () => {
    const arena = Arena.create({ policy: { buckets: 4 } });
    const sem = create(arena);
    const session = new Session(`places, ${name}`);
    const { random } = session;
    const most = name.startsWith('Lightweight') ? 1 : 4;
    const waits: { permits: number; controller: AbortController; state: 'waits' | 'has' | typeof LEFT }[] = [];
    let given = 0;
    for (let turn = 0; turn < 4000; turn++) {
      const what = random.below(100);
      if (what < 45) {
        const wait = {
          permits: random.between(1, most),
          controller: new AbortController(),
          state: 'waits' as 'waits' | 'has' | typeof LEFT,
        };
        waits.push(wait);
        sem.acquireAsync(wait.permits, { signal: wait.controller.signal }).then(
          () => (wait.state = 'has'),
          () => (wait.state = LEFT),
        );
      } else if (what < 88) {
        const under = waits.filter(({ state }) => state === 'waits').slice(-300);
        if (under.length > 0) random.pick(under).controller.abort();
      } else if (what < 94) {
        const permits = random.between(1, 6);
        sem.release(permits);
        given += permits;
      } else compact(contextOf(arena));
      if (random.chance(20)) await new Promise((resolve) => setImmediate(resolve));
    }
    await turnOfLoop();
    const waiting = waits.filter(({ state }) => state === 'waits');
    compact(contextOf(arena));
    expect(sem.inspect().abandoned).toBeLessThanOrEqual(2 * waiting.length + 2);
    const missing = waiting.reduce((sum, { permits }) => sum + permits, 0);
    if (missing > 0) sem.release(missing);
    const held = (): number =>
      waits.filter(({ state }) => state === 'has').reduce((sum, { permits }) => sum + permits, 0);
    while (waits.some(({ state }) => state === 'waits')) await turnOfLoop();
    expect(sem.available).toBe(given + missing - held());
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
    session.done(waits.length, 'waits');
  });
});

test('a merge takes only tombstones that are in the line with the given tag', async () => {
  const arena = Arena.create();
  const sem = ChainSemaphore.create(0, { arena });
  const first = sem.acquireAsync();
  const controller = new AbortController();
  const left = sem.acquireAsync(1, { signal: controller.signal }).catch(() => LEFT);
  const last = sem.acquireAsync();
  controller.abort();
  await left;
  const { agent, words, kernel } = contextOf(arena);
  const { address, tag } = { address: sem.handle.address, tag: words.load32(sem.handle.address) };
  const before = words.load32(address + 48);
  expect([words.load32(before + GATE), words.get32(before + LEAVING)]).toEqual([5, 1]);
  (kernel as MemberKernel).beginMerge(agent, address as never, tag + 1);
  expect(words.load32(address + 48)).toBe(before);
  sem.release(2);
  await Promise.all([first, last]);
});
