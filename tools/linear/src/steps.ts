// The operations of a history that the search must place, and the times at which each value entered and left the queue.

import type { Operation, QueueSpec } from './history.ts';

export interface Step {
  readonly index: number;
  readonly operation: Operation;
  readonly began: number;
  readonly ended: number;
  readonly values: readonly number[];
  /** For a pending push: the number of its values that certainly went in, because they came out. Otherwise all. */
  readonly needed: number;
  readonly isPending: boolean;
  /** Whether the step has no effect and only tells the state. */
  readonly isLook: boolean;
  /**
   * Whether the step is a pop that overlaps a look at a full queue. Such a pop may have to be placed later than its
   * values allow.
   */
  isWatched: boolean;
}

/** The bounds that the calls give for the times at which a value went in and came out. */
export interface Life {
  readonly value: number;
  readonly push: Operation;
  readonly pop: Operation | undefined;
  /** The earliest time at which the value may have come out. `Infinity` if it never came out. */
  readonly leftFrom: number;
  /** The time at which the value had certainly come out. `Infinity` if that is not certain at any time. */
  readonly leftBy: number;
  readonly units: number;
  /** The value before it in the same pop: it lay directly before this value in the queue. */
  readonly follows: number | undefined;
  readonly followedBy: number | undefined;
}

export interface History {
  readonly operations: readonly Operation[];
  readonly lives: ReadonlyMap<number, Life>;
  readonly room: number;
  readonly unitsOf: (value: number) => number;
  /** The refusals that tell the state, and the number of refusals that prove nothing. */
  readonly refusals: readonly Operation[];
  readonly excused: number;
}

const one = (): number => 1;

/** Reads a history. Returns a text that says what is impossible if the operations contradict each other. */
export function readHistory(operations: readonly Operation[], { room, unitsOf = one }: QueueSpec): History | string {
  const pops = new Map<number, Operation>();
  for (const pop of operations) {
    if (pop.kind !== 'pop' || pop.outcome !== 'done') continue;
    for (const value of pop.values) {
      if (pops.has(value)) return `${value} came out twice`;
      pops.set(value, pop);
    }
  }
  const unknownPops = operations.filter(({ kind, outcome }) => kind === 'pop' && outcome === 'pending');
  const firstUnknown = Math.min(Infinity, ...unknownPops.map(({ began }) => began));
  const lives = new Map<number, Life>();
  for (const push of operations) {
    if (push.kind !== 'push' || (push.outcome !== 'done' && push.outcome !== 'pending')) continue;
    for (const value of push.values) {
      if (lives.has(value)) throw new TypeError(`The value ${value} was put in twice: the history says nothing.`);
      const pop = pops.get(value);
      const leftFrom = pop?.began ?? Math.max(firstUnknown, push.began);
      const at = pop?.values.indexOf(value) ?? 0;
      const [follows, followedBy] = [pop?.values[at - 1], pop?.values[at + 1]];
      const leftBy = pop?.ended ?? Infinity;
      lives.set(value, { value, push, pop, leftFrom, leftBy, units: unitsOf(value), follows, followedBy });
    }
  }
  for (const value of pops.keys()) if (!lives.has(value)) return `${value} came out and never went in`;
  const all = operations.filter(({ outcome }) => outcome === 'refused');
  const refusals = all.filter((refusal) => !hasCompany(refusal, operations) && !isBehindGivenUp(refusal, operations));
  return { operations, lives, room, unitsOf, refusals, excused: all.length - refusals.length };
}

/** Returns whether another call of the same side was in progress. A close belongs to the side of the pushes. */
function hasCompany(refusal: Operation, operations: readonly Operation[]): boolean {
  return operations.some((other) => {
    const isBeside = other !== refusal && other.began < refusal.ended && other.ended > refusal.began;
    return isBeside && (other.kind === 'pop') === (refusal.kind === 'pop');
  });
}

/**
 * Returns whether a cancelled call of the same side may still have had its place in the line. A call of the other side
 * removes that place, in another thread. If a later call of this side was done, the place was already removed.
 */
function isBehindGivenUp(refusal: Operation, operations: readonly Operation[]): boolean {
  const isBeside = ({ kind }: Operation): boolean => (kind === 'pop') === (refusal.kind === 'pop');
  const before = operations.filter((other) => isBeside(other) && other.ended < refusal.began);
  const lastDone = Math.max(-Infinity, ...before.filter(({ outcome }) => outcome === 'done').map(({ began }) => began));
  if (!before.some(({ outcome, ended }) => (outcome === 'refused' || outcome === 'gone') && ended > lastDone))
    return false;
  return operations.some((other) => !isBeside(other) && other.began < refusal.ended && other.ended > refusal.began);
}

/** Returns all operations that must be placed, ordered by their beginnings. */
export function stepsOf({ operations, lives, refusals }: History): Step[] {
  const fullLooks = refusals.filter(({ kind }) => kind === 'push');
  const others = operations.filter(({ outcome }) => outcome !== 'gone' && outcome !== 'refused');
  return [...others, ...refusals]
    .toSorted((a, b) => a.began - b.began)
    .map((operation, index) => {
      const { kind, outcome, values, began, ended } = operation;
      const isPending = outcome === 'pending';
      return {
        index,
        operation,
        began,
        ended,
        values,
        needed: isPending ? values.findLastIndex((value) => lives.get(value)?.pop !== undefined) + 1 : values.length,
        isPending,
        isLook: outcome === 'refused' || outcome === 'closed',
        isWatched: kind === 'pop' && fullLooks.some((look) => look.began < ended && look.ended > began),
      };
    });
}
