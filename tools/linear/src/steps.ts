// The operations of a history that have to be placed, and what is known of each value's life.

import type { Operation, QueueSpec } from './history.ts';

export interface Step {
  readonly index: number;
  readonly operation: Operation;
  readonly began: number;
  readonly ended: number;
  readonly values: readonly number[];
  /** Pending: of the values so many are in for sure, since they came out; else all. */
  readonly needed: number;
  readonly isPending: boolean;
  /** Has no effect, and says what the state was. */
  readonly isLook: boolean;
  /** A pop that a look at a full queue overlaps: it may have to come later than it could. */
  isWatched: boolean;
}

/** When a value went in and when it came out, as far as the calls tell. */
export interface Life {
  readonly value: number;
  readonly push: Operation;
  readonly pop: Operation | undefined;
  /** When it may have come out first. Infinity: it did not. */
  readonly leftFrom: number;
  /** When it had come out for sure. Infinity: never. */
  readonly leftBy: number;
  readonly units: number;
  /** The values beside it in the pop that it came out with: so they lay beside it. */
  readonly follows: number | undefined;
  readonly followedBy: number | undefined;
}

export interface History {
  readonly operations: readonly Operation[];
  readonly lives: ReadonlyMap<number, Life>;
  readonly room: number;
  readonly unitsOf: (value: number) => number;
  /** Refusals that say what the state was, and how many say nothing. */
  readonly refusals: readonly Operation[];
  readonly excused: number;
}

const one = (): number => 1;

/** Puts in order what is known. A text: what cannot be, already. */
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

/** Whether another call of its side was going on: a close is of the side of those that push. */
function hasCompany(refusal: Operation, operations: readonly Operation[]): boolean {
  return operations.some((other) => {
    const isBeside = other !== refusal && other.began < refusal.ended && other.ended > refusal.began;
    return isBeside && (other.kind === 'pop') === (refusal.kind === 'pop');
  });
}

/**
 * Whether the place of a call of its side that gave up may still have been on its way out of the line. Another thread
 * takes it out, in a call on the other side. A call of this side that was done since then found the line without it.
 */
function isBehindGivenUp(refusal: Operation, operations: readonly Operation[]): boolean {
  const isBeside = ({ kind }: Operation): boolean => (kind === 'pop') === (refusal.kind === 'pop');
  const before = operations.filter((other) => isBeside(other) && other.ended < refusal.began);
  const lastDone = Math.max(-Infinity, ...before.filter(({ outcome }) => outcome === 'done').map(({ began }) => began));
  if (!before.some(({ outcome, ended }) => (outcome === 'refused' || outcome === 'gone') && ended > lastDone))
    return false;
  return operations.some((other) => !isBeside(other) && other.began < refusal.ended && other.ended > refusal.began);
}

/** All that has to be placed, by its beginning. */
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
