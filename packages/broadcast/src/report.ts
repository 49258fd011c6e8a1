// The report of a broadcast, which `inspect` returns.

import type { Waiter } from '@sluice/core';
import { asBlock, FLAG_LAST, FLAGS, GRANT } from '@sluice/core/format';
import { readName, type Flow, type BlockRef } from '@sluice/core/internal';
import { withoutPermits, AgentTitles, type LineReport } from '@sluice/core/report';
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
  /** The number of values that are kept. */
  readonly capacity: number;
  readonly overflow: 'lag' | 'wait';
  /** The number of published values. */
  readonly published: number;
  readonly closed: boolean;
  /** The subscriptions that wait for a value. The next value admits all of them at once. */
  readonly waiters: readonly Omit<Waiter, 'permits'>[];
  /** With `overflow: 'wait'`: the publishers that wait for room, in the order in which they will be served. */
  readonly publishers: readonly Omit<Waiter, 'permits'>[];
  /** With `overflow: 'wait'`: the subscriptions that publishers wait for. */
  readonly subscriptions: readonly RegisteredSubscription[];
}

/** A subscription to a broadcast with `overflow: 'wait'`. */
export interface RegisteredSubscription {
  /** The agent of its thread. */
  readonly agent: number;
  /** How messages name the agent, such as "agent 3 (thread 5, resizer)". */
  readonly title: string;
  /** The number of values that it has not got yet. While this is `capacity`, publishers wait. */
  readonly behind: number;
}

/** Returns the line of a broadcast's values. `ref` is its block, or that line. */
export function streamAt(ref: BlockRef): BlockRef {
  const { context, address } = ref;
  return (context.words.get32(address + FLAGS) & FLAG_LAST) !== 0
    ? ref
    : { ...ref, address: asBlock(address + ROOM_BEFORE) };
}

/** Whether the broadcast has marks: its publishers wait for slow subscriptions. */
export function hasMarksAt(stream: BlockRef): boolean {
  return stream.context.words.get32(stream.address + MARKS) !== 0;
}

/** Returns the position from the two halves of a word. Exact up to 2^53. */
export function positionOf(low: number, high: number): number {
  return (high >>> 0) * 2 ** 31 + (low >>> 1);
}

/** Returns the number of published values. */
export function publishedAt(ref: BlockRef): number {
  return positionIn(ref, streamAt(ref).address + GRANT);
}

function positionIn({ context: { words } }: BlockRef, at: number): number {
  const word = words.load64(at);
  return positionOf(Number(BigInt.asIntN(32, word)), Number(BigInt.asIntN(32, word >> 32n)));
}

export function isClosedAt(ref: BlockRef): boolean {
  return (ref.context.words.load32(streamAt(ref).address + GRANT) & STREAM_CLOSED) !== 0;
}

export function capacityAt(ref: BlockRef): number {
  return 1 + ref.context.words.get32(streamAt(ref).address + RING_MASK);
}

/** Returns the flow of values for a subscription that waits for the next one. */
export function flowOf(stream: BlockRef): Flow {
  const { words } = stream.context;
  const published = (): number => words.load32(stream.address + GRANT) >>> 1;
  return { units: published, values: published, room: capacityAt(stream), still: stream.address + RING_MASK };
}

/** Returns the subscriptions that have a mark. */
export function registeredAt(stream: BlockRef): Omit<RegisteredSubscription, 'title'>[] {
  const { words } = stream.context;
  const count = words.get32(stream.address + MARK_COUNT);
  const marks = stream.address + words.get32(stream.address + MARKS) + FIRST_MARK;
  const found: Omit<RegisteredSubscription, 'title'>[] = [];
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

/** Whether a subscription of the calling agent leaves no room for the next value. */
export function isFullFor(stream: BlockRef, agent: number): boolean {
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

export function reportBroadcast(ref: BlockRef, waiting: LineReport, publishing: LineReport): BroadcastReport {
  const stream = streamAt(ref);
  const hasMarks = hasMarksAt(stream);
  const shown = ({ waiters }: LineReport): Omit<Waiter, 'permits'>[] => waiters.map(withoutPermits);
  const titles = new AgentTitles(ref.context.words);
  return {
    kind: 'broadcast',
    name: readName(ref.context.words, ref.address),
    capacity: capacityAt(stream),
    overflow: hasMarks ? 'wait' : 'lag',
    published: publishedAt(stream),
    closed: isClosedAt(stream),
    waiters: shown(waiting),
    publishers: shown(publishing),
    subscriptions: hasMarks ? registeredAt(stream).map((one) => ({ ...one, title: titles.of(one.agent) })) : [],
  };
}
