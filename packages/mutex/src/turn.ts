// A turn at a mutex: the time for which agents that run may lock it again while others wait. Its successor measures it.

import { mayRetry, OFFICE, RACED, type Patrol, type Place } from '@sluice/core/internal';
import type { MutexKernel } from './kinds.ts';
import { DUE, SUCCEEDS, SUCCEEDS_SINCE } from './kernel/layout.ts';

/** How long a turn takes, at most: about fifty times the cost of waking the next agent. */
export const TURN_MS = 0.5;

/** What a waiter does that has become the successor: it sleeps until the turn is over, at most, and ends it. */
export function turnsAt({ context: { kernel, words, parking }, address }: Place): Patrol {
  const steps = kernel as MutexKernel;
  return {
    atEnd: true,
    nap(element) {
      if (words.get32(element + SUCCEEDS) === 0 || (words.load32(address + OFFICE + 4) & DUE) !== 0) return Infinity;
      // As a number of 32 bits, whose differences are right across the wrap. 0 means that it is not known yet.
      const now = (parking.now() * 1000) | 1;
      const since = words.get32(element + SUCCEEDS_SINCE);
      if (since === 0) words.put32(element + SUCCEEDS_SINCE, now);
      return since === 0 ? TURN_MS : Math.max(0, TURN_MS - ((now - since) | 0) / 1000);
    },
    look(element) {
      for (let tries = 1; steps.endTurn(element) === RACED; tries++) mayRetry(tries);
    },
  };
}
