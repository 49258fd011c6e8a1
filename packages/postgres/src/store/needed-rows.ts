// What steps read of their namespace, beside its clock.
//
// 1. A step on a primitive reads that primitive and its own session. Its messages go to sessions by their names, so it
//    needs no other one.
// 2. The end of a session reads everything that the session uses. Every step may end sessions whose leases have ended:
//    that is known only when the clock has been read (./load.ts).

import type { ShapedStep } from '@sluice/remote/steps';

export interface Needs {
  readonly names: Set<string>;
  readonly sessions: Set<string>;
  allSessions: boolean;
  /** The sessions whose primitives are read. */
  readonly usersOf: Set<string>;
  /** The beginnings of names whose primitives are read, if a session uses them. */
  readonly prefixes: Set<string>;
  /** Whether all primitives are read that a session uses. */
  allUses: boolean;
}

/** Steps that look at every session: at its lease, or at its label. */
const OF_ALL: readonly string[] = ['attach', 'beat', 'detach', 'look', 'sessions', 'keys', 'gauge', 'survey'];
/** Steps whose first argument is no name. */
const WITHOUT_NAME: readonly string[] = ['attach', 'beat', 'detach', 'mine', 'sessions', 'keys'];
/** Steps that also read the mark of a cache, and the place of its name among their arguments. */
const MARKS: ReadonlyMap<string, number> = new Map([
  ['fetch', 5],
  ['keep', 2],
  ['peek', 1],
  ['remove', 1],
]);
/** The words of an entry of a heartbeat: name, sequence, permits, holds. */
const ENTRY = 4;

export function needsOf(steps: readonly ShapedStep[]): Needs {
  const needs: Needs = {
    names: new Set(),
    sessions: new Set(),
    allSessions: false,
    usersOf: new Set(),
    prefixes: new Set(),
    allUses: false,
  };
  for (const step of steps) add(needs, step);
  return needs;
}

function add(needs: Needs, { operation, session, args }: ShapedStep): void {
  needs.sessions.add(session);
  if (OF_ALL.includes(operation)) needs.allSessions = true;
  const mark = MARKS.get(operation);
  if (mark !== undefined) needs.names.add(String(args[mark]));
  if (!WITHOUT_NAME.includes(operation)) needs.names.add(String(args[0]));
  else if (operation === 'beat') for (let at = 1; at < args.length; at += ENTRY) needs.names.add(String(args[at]));
  else if (operation === 'detach' || operation === 'mine') needs.usersOf.add(session);
  else if (operation === 'keys') needs.prefixes.add(String(args[0]));
  else if (operation === 'sessions') needs.allUses = true;
  else if (operation === 'attach' && args[3] !== undefined) needs.usersOf.add(String(args[3]));
}
