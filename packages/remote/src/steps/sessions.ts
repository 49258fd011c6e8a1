// Sessions and their leases.
//
// 1. One lease covers everything that a session holds and waits for. There is no other expiry.
// 2. Each step of any session ends up to four sessions whose leases have ended. Their waits leave the lines, and their
//    permits go to the next waiters.
// 3. A step of an older generation is refused. After a connection broke, it may still deliver a step that its session
//    has sent again or given up. An `acquire` after its `cancel` would leave an abandoned waiter in line.

import { grant } from './line.ts';
import { keepUnused, keepUnusedRounds, sweepKey } from './primitives.ts';
import { dropFromRounds } from './rounds.ts';
import { sessionOf, type LineRecord, type SessionState, type State } from './state.ts';
import { round3, type Step } from './step.ts';

const MOST_AT_ONCE = 4;
/** How far one step may advance the clock while there is no session: no lease could end. */
const WEEK_MS = 604_800_000;

/** When the first lease of any session ends. Steps until then end none. */
function findFirst(state: State): void {
  let first = Infinity;
  for (const { ends } of state.sessions.values()) first = Math.min(first, ends);
  if (first !== Infinity) state.first = first;
}

/** Renews a lease. Returns the ms until the first lease of any session ends. */
export function renew(step: Step, session: SessionState, lease: number): number {
  session.ends = round3(step.now + lease);
  findFirst(step.state);
  return Math.max(0, Math.ceil(step.state.first - step.now));
}

function dropFromLine(step: Step, name: string, line: LineRecord, session: string): void {
  for (let i = line.waiters.length - 1; i >= 0; i--)
    if (line.waiters[i]?.session === session) line.waiters.splice(i, 1);
  let held = 0;
  for (const [id, { n }] of line.grants) {
    if (sessionOf(id) !== session) continue;
    line.grants.delete(id);
    held += n;
  }
  line.sessions.delete(session);
  if (!line.signal) line.free += held;
  if (line.sessions.size === 0) {
    keepUnused(step, name, line);
  } else {
    grant(step, line);
    sweepKey(step, name, line);
  }
}

/** Ends a session: everything that it holds goes to the next waiters. */
export function drop(step: Step, id: string): void {
  const { state } = step;
  const session = state.sessions.get(id);
  if (session === undefined) return;
  state.sessions.delete(id);
  // In a fixed order: the tokens of what is granted now are the same on every engine.
  for (const name of [...session.uses].sort()) {
    const line = state.lines.get(name);
    if (line !== undefined) dropFromLine(step, name, line, id);
    const rounds = state.rounds.get(name);
    if (rounds === undefined) continue;
    dropFromRounds(step, rounds, id);
    rounds.sessions.delete(id);
    if (rounds.sessions.size === 0) keepUnusedRounds(step, name, rounds);
  }
  // No lease is left that a jump of the clock could end, so the time until the next session counts in full.
  if (state.sessions.size === 0) state.cap = WEEK_MS;
}

/** Ends sessions whose leases have ended. */
export function reap(step: Step): void {
  const { state, now } = step;
  if (now < state.first) return;
  for (const id of endedAt(state, now).slice(0, MOST_AT_ONCE)) drop(step, id);
  findFirst(state);
}

/** The sessions whose leases have ended, in that order. */
export function endedAt(state: State, now: number): string[] {
  return inOrder(state)
    .filter(([, { ends }]) => ends <= now)
    .map(([id]) => id);
}

/** The sessions in the order in which their leases end. */
export function inOrder({ sessions }: State): [string, SessionState][] {
  return [...sessions].sort(([a, { ends: x }], [b, { ends: y }]) => x - y || (a < b ? -1 : 1));
}
