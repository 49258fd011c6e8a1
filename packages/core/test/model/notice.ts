// The behaviour and expectations of lock owners after an earlier owner died.

import type { Words } from '@sluice/model';
import { HEALTH } from '../../src/kernel/layout.ts';
import { CONSISTENT } from '../../src/kernel/states.ts';
import type { OwnedLock } from '../../src/locks/owned-lock.ts';
import { visit } from './office-bodies.ts';
import type { ShadowUser } from './office-world.ts';
import { holdsAt, semaphoreAddress, TREASURE } from './places.ts';
import { DIED_HOLDING } from './witness.ts';

interface Repairable {
  markConsistent(): void;
  release(): void;
}

/**
 * Changes both words that an owned lock protects. The agent may die between the two writes. The words agree unless
 * there is a notice. There is a notice if and only if an owner died that knew that it was the owner. `enter` returns
 * whether the agent got the lock.
 */
export function changeBoth(
  shadowUser: ShadowUser,
  lock: Pick<OwnedLock, 'unlock'>,
  enter: () => boolean,
  weight = 1,
): void {
  const { ctx, core } = shadowUser;
  const { words } = ctx;
  try {
    if (!enter()) return;
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
    inherit(shadowUser, (error as { guard?: Repairable }).guard, weight);
    return;
  }
  ctx.assert(!isMourned(words), 'an owner died, and the next one was not told');
  const [first, second] = [words.get32(TREASURE), words.get32(TREASURE + 4)];
  ctx.assert(first === second, `the words are ${first} and ${second}, and no agent was told why`);
  words.put32(TREASURE, first + 1);
  visit(shadowUser, weight);
  words.put32(TREASURE + 4, words.get32(TREASURE));
  lock.unlock();
}

function inherit(shadowUser: ShadowUser, guard: Repairable | undefined, weight: number): void {
  const { ctx } = shadowUser;
  ctx.assert(guard !== undefined, 'the heir has no guard');
  ctx.assert(isMourned(ctx.words), 'there is notice, but no agent died that knew that it was the owner');
  for (const at of FATES) if (ctx.words.get32(at) === DIED_HOLDING) ctx.words.put32(at, 0);
  ctx.words.put32(TREASURE + 4, ctx.words.get32(TREASURE));
  visit(shadowUser, weight, 1);
  guard?.markConsistent();
  guard?.release();
}

/** Checks that at the end an agent was told of the death, or the notice waits for the next owner. */
export function checkNotice(words: Words): string | undefined {
  const untold = isMourned(words);
  const healthy = words.load32(semaphoreAddress(0) + HEALTH) === CONSISTENT;
  if (untold && healthy) return 'an owner died, and no agent will be told';
  return !untold && !healthy ? 'there is notice of a death that was none' : undefined;
}

/** Returns whether an owner died that knew that it was the owner, and no agent was told. */
export function isMourned(words: Words): boolean {
  return FATES.some((at) => words.get32(at) === DIED_HOLDING);
}

const FATES = [0, 1, 2, 3].map((agent) => holdsAt(agent));
