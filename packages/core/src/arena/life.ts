// The liveness token: how one agent finds out whether another still exists, at once and without its help.
//
// Each agent has some async waits pending on a word of its record. An engine drops the waits of a thread that has ended,
// so `notify` on that word answers 1 for an agent that exists, also when it sleeps or spins, and 0 for one that is gone.
// Each question uses up one wait, and the agent puts a new one in its place when its event loop turns. That the engine
// drops them is not promised by the language: one that does not would answer 1 for the dead, which recovers nobody but
// harms nobody either.

import { AGENT_ARMED, AGENT_LIFE } from '../kernel/layout.ts';
import type { Seat } from './seat.ts';

export type Life = 'alive' | 'dead' | 'unknown';

/** Questions that an agent can answer while its event loop stands still. */
export const ARMED_WAITS = 16;
/** In AGENT_ARMED: this engine's answers cannot be relied on. */
const UNRELIABLE = -1;

/** Makes an agent that has just joined answer. */
export function arm(seat: Seat): void {
  const { words, agent } = seat;
  // Weakly: the waits stay pending as long as the thread lives, and must not keep the arena's memory that long.
  const self = new WeakRef(seat);
  for (let wait = 0; wait < ARMED_WAITS; wait++) armOne(seat, self);
  if (!answersRight(seat)) words.store32(agent + AGENT_ARMED, UNRELIABLE);
}

function armOne(seat: Seat, self: WeakRef<Seat>): void {
  const { words, parking, agent } = seat;
  if (words.load32(agent + AGENT_ARMED) === UNRELIABLE) return;
  const used = parking.waitAsync(agent + AGENT_LIFE, 0);
  // After the wait is pending, never before: a count that is too high would declare a living agent dead.
  if (used !== undefined) words.add32(agent + AGENT_ARMED, 1);
  void used?.then(() => {
    const alive = self.deref();
    if (alive !== undefined) armOne(alive, self);
  });
}

/** The self-test: an armed word answers 1, one that nobody waits on answers 0. */
function answersRight(seat: Seat): boolean {
  return probe(seat, seat.agent) === 'alive' && seat.parking.notify(seat.agent + AGENT_ARMED, 1) === 0;
}

/**
 * Asks whether the agent of a record exists. Only for whoever has the right to recover it (takeOver): then no other
 * question is under way, and the record does not become another agent's meanwhile.
 */
export function probe({ words, parking }: Seat, record: number): Life {
  if (words.load32(record + AGENT_ARMED) <= 0) return 'unknown';
  words.add32(record + AGENT_ARMED, -1);
  return parking.notify(record + AGENT_LIFE, 1) === 1 ? 'alive' : 'dead';
}
