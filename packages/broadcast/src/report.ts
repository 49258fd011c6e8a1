// What `inspect` reports for a broadcast.

import type { Waiter } from '@sluice/core';
import {
  asBlock,
  FLAG_LAST,
  FLAGS,
  GRANT,
  readName,
  type Flow,
  type LineReport,
  type Place,
} from '@sluice/core/internal';
import {
  ENTERING,
  FIRST_MARK,
  MARK_AT,
  MARK_COUNT,
  MARK_OWNER,
  MARK_SHIFT,
  MARKS,
  RING_MASK,
  ROOM_BEFORE,
  STREAM_CLOSED,
} from './kernel/layout.ts';

export interface BroadcastReport {
  readonly kind: 'broadcast';
  readonly name: string;
  /** How many values are kept. */
  readonly capacity: number;
  readonly overflow: 'lag' | 'wait';
  /** How many values were published. */
  readonly published: number;
  readonly closed: boolean;
  /** The subscriptions that wait for a value. The next value admits all of them at once. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** With `overflow: 'wait'`: the publishers that wait for room, in the order in which they go on. */
  readonly publishers: readonly Omit<Waiter, 'permits'>[];
  /** With `overflow: 'wait'`: the subscriptions that publishers wait for. */
  readonly subscriptions: readonly RegisteredSubscription[];
}

/** A subscription to a broadcast with `overflow: 'wait'`. */
export interface RegisteredSubscription {
  /** The agent of its thread. */
  readonly agent: number;
  /** How many values it has not got yet. While it is `capacity` values behind, publishers wait for it. */
  readonly behind: number;
}

/** The line of a broadcast's values. `place`: its block, or that line. */
export function streamAt(place: Place): Place {
  const { context, address } = place;
  return (context.words.get32(address + FLAGS) & FLAG_LAST) !== 0
    ? place
    : { ...place, address: asBlock(address + ROOM_BEFORE) };
}

/** Whether the broadcast has marks: its publishers wait for slow subscriptions. */
export function hasMarksAt(stream: Place): boolean {
  return stream.context.words.get32(stream.address + MARKS) !== 0;
}

/** The position in the two halves of a word: exact up to 2^53. */
export function positionOf(low: number, high: number): number {
  return (high >>> 0) * 2 ** 31 + (low >>> 1);
}

/** How many values were published. */
export function publishedAt(place: Place): number {
  return positionIn(place, streamAt(place).address + GRANT);
}

function positionIn({ context: { words } }: Place, at: number): number {
  const word = words.load64(at);
  return positionOf(Number(BigInt.asIntN(32, word)), Number(BigInt.asIntN(32, word >> 32n)));
}

export function isClosedAt(place: Place): boolean {
  return (place.context.words.load32(streamAt(place).address + GRANT) & STREAM_CLOSED) !== 0;
}

export function capacityAt(place: Place): number {
  return 1 + place.context.words.get32(streamAt(place).address + RING_MASK);
}

/** The values as a subscription sees them that waits for the next one. */
export function flowOf(stream: Place): Flow {
  const { words } = stream.context;
  const published = (): number => words.load32(stream.address + GRANT) >>> 1;
  return { units: published, values: published, room: capacityAt(stream), still: stream.address + RING_MASK };
}

/** The subscriptions that have a mark. */
export function registeredAt(stream: Place): RegisteredSubscription[] {
  const { words } = stream.context;
  const count = words.get32(stream.address + MARK_COUNT);
  const marks = stream.address + words.get32(stream.address + MARKS) + FIRST_MARK;
  const found: RegisteredSubscription[] = [];
  for (let n = 0; n < count; n++) {
    const mark = marks + (n << MARK_SHIFT);
    const agent = words.load32(mark + MARK_OWNER);
    // Read before the number of values, which only increases.
    const next = positionIn(stream, mark + MARK_AT);
    if (agent !== 0 && (words.load32(mark + MARK_AT) & ENTERING) === 0)
      found.push({ agent, behind: Math.max(0, publishedAt(stream) - next) });
  }
  return found;
}

/** Whether a subscription of that agent, which is the caller's, leaves no room for the next value. */
export function isFullFor(stream: Place, agent: number): boolean {
  const { words } = stream.context;
  const count = words.get32(stream.address + MARK_COUNT);
  const marks = stream.address + words.get32(stream.address + MARKS) + FIRST_MARK;
  for (let n = 0; n < count; n++) {
    const mark = marks + (n << MARK_SHIFT);
    if (
      words.load32(mark + MARK_OWNER) === agent &&
      publishedAt(stream) - positionIn(stream, mark + MARK_AT) >= capacityAt(stream)
    )
      return true;
  }
  return false;
}

export function reportBroadcast(place: Place, waiting: LineReport, publishing: LineReport): BroadcastReport {
  const stream = streamAt(place);
  const hasMarks = hasMarksAt(stream);
  const shown = ({ waiters }: LineReport): Omit<Waiter, 'permits'>[] =>
    waiters.map(({ agent, kind, since }) => ({ agent, kind, since }));
  return {
    kind: 'broadcast',
    name: readName(place.context.words, place.address),
    capacity: capacityAt(stream),
    overflow: hasMarks ? 'wait' : 'lag',
    published: publishedAt(stream),
    closed: isClosedAt(stream),
    waiters: shown(waiting),
    publishers: shown(publishing),
    subscriptions: hasMarks ? registeredAt(stream) : [],
  };
}
