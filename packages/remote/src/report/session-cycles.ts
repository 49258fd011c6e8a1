// Cycles of sessions: each waits for something that the next one holds.

import type { ReportedSession } from './report.ts';
import type { RemoteUse } from './remote-use.ts';

/** A wait in a cycle of sessions. */
export interface CycleWait extends ReportedSession {
  readonly waitsFor: { readonly kind: string; readonly name: string };
  /** The session that holds it: that of the next wait, or of the first. */
  readonly heldBy: string;
}

type Waits = ReadonlyMap<string, readonly CycleWait[]>;

/**
 * A session that holds a part of what it waits for has another task that will release it, so it waits for no other
 * session there.
 */
function waitsOf(primitives: readonly RemoteUse[]): Waits {
  const waits = new Map<string, CycleWait[]>();
  for (const { kind, name, holders, waiters } of primitives) {
    const heldBy = new Set(holders.map(({ session }) => session));
    const labels = new Map(waiters.map(({ session, label }) => [session, label]));
    for (const [session, label] of labels) {
      if (heldBy.has(session)) continue;
      const all = waits.get(session) ?? [];
      waits.set(session, all);
      for (const holder of heldBy) all.push({ session, label, waitsFor: { kind, name }, heldBy: holder });
    }
  }
  return waits;
}

/** Returns a shortest cycle through a session, from its own wait on, or `undefined`. */
function cycleThrough(first: string, waits: Waits): readonly CycleWait[] | undefined {
  const reached = new Map<string, readonly CycleWait[]>([[first, []]]);
  for (const [session, path] of reached) {
    for (const wait of waits.get(session) ?? []) {
      if (wait.heldBy === first) return [...path, wait];
      if (!reached.has(wait.heldBy)) reached.set(wait.heldBy, [...path, wait]);
    }
  }
  return undefined;
}

/** Returns a shortest cycle through each session that is in one, and each cycle once. */
export function cyclesOf(primitives: readonly RemoteUse[]): (readonly CycleWait[])[] {
  const waits = waitsOf(primitives);
  const cycles: (readonly CycleWait[])[] = [];
  const inCycle = new Set<string>();
  for (const first of [...waits.keys()].sort()) {
    if (inCycle.has(first)) continue;
    const cycle = cycleThrough(first, waits);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const { session } of cycle) inCycle.add(session);
  }
  return cycles;
}
