// Counts the agents that a release wakes: several agents of one thread block, each in the sleep of the previous one.

import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { vi } from 'vitest';
import { openAs, secondAgent } from '../../../../core/test/support/second-agent.ts';
import type { Member, MemberClass } from './members.ts';

const SLEEPERS = 5;

/** Releases one permit while five agents block for one each. */
export function wokenByAPost(
  Member: MemberClass,
  create = (arena: Arena): Member => Member.create(0, { arena }),
): number {
  const arena = Arena.create({ maxPages: 16, policy: { spinMicros: 0 } });
  const sem = create(arena);
  const asleep: number[] = [];
  let woken = 0;
  vi.spyOn(contextOf(arena).parking, 'notify').mockImplementation((address, count = Infinity) => {
    const there = Math.min(count, asleep.filter((word) => word === address).length);
    woken += there;
    return there;
  });
  const post = (): void => sem.release();
  const blockAll = Array.from({ length: SLEEPERS }).reduce<() => void>(
    (next) => blocking(Member, arena, sem.handle, asleep, next),
    post,
  );
  blockAll();
  return woken;
}

function blocking(
  Member: MemberClass,
  arena: Arena,
  handle: Parameters<MemberClass['from']>[0],
  asleep: number[],
  next: () => void,
): () => void {
  const own = secondAgent(arena);
  const sem = openAs(own, handle, (theirs) => Member.from(theirs, { policy: { spinMicros: 0 } }));
  let slept = false;
  vi.spyOn(contextOf(own).parking, 'wait').mockImplementation((address) => {
    if (slept) return 'timed-out';
    slept = true;
    asleep.push(address);
    next();
    return 'ok';
  });
  return () => void sem.tryAcquire(1, 900);
}
