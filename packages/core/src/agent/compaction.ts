// Keeps the number of tombstones in proportion to the waits under way (../kernel/merge-tombstones.ts).

import {
  AGENT_GATHER,
  AGENT_GATHERED,
  DRAWN,
  COUNT,
  ELEMENT_STRIDE,
  HEADER_BUCKET_MASK,
  HEADER_TOP,
  MODE,
  NEXT,
  LINE,
} from '../kernel/layout.ts';
import { AGAIN, IDLE } from '../kernel/states.ts';
import type { AgentAddress, ElementAddress, NotifyAddress } from '../kernel/addresses.ts';
import { asElement } from '../kernel/addresses.ts';
import type { Words } from '../kernel/words.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { corrupt } from '../memory/corrupt.ts';

/** An agent that has left fewer tombstones behind does not gather, because gathering visits every bucket. */
export const MIN_LEFT_BEHIND = 256;
/** An agent visits about this many elements for each tombstone that it has left behind since it last gathered. */
const VISITS_PER_TOMBSTONE = 16;
const MAX_PERMITS = 2 ** 31 - 1;
const HIGH = 2 ** 32;

/** The agent that gathers. */
export interface Gatherer {
  readonly words: Words;
  readonly kernel: Kernel;
  readonly agent: AgentAddress;
  /** The tombstones that it has left behind since it last merged them, and the number at which it merges them. */
  leftBehind: number;
  gatherAt: number;
  finishWalk(): void;
  /** Merges tombstones in the chains that only kinds walk. Returns the number of visited elements and blocks. */
  compactKinds(): number;
  notify(element: NotifyAddress): void;
}

/** A gathered tombstone. Only this agent can reach it. */
interface Tombstone {
  readonly element: ElementAddress;
  /** Its ticket, relative to the ticket of the first gathered tombstone of its line. */
  readonly ticket: number;
  permits: number;
}

/**
 * The gathered tombstones of one line, and the halves of the first tombstone's ticket. All tombstones of the line have
 * the same tag: while an element is in use, the memory of its freed line is not reused (references.ts).
 */
interface Line {
  readonly high: number;
  readonly low: number;
  readonly tombstones: Tombstone[];
}

/**
 * Counts an element that stays behind after a cancelled wait, and merges tombstones if necessary. Call it after the
 * walk.
 */
export function noteLeftBehind(context: Gatherer): void {
  context.leftBehind += 1;
  if (context.leftBehind >= context.gatherAt) compact(context);
}

/** Merges neighbouring tombstones in all lines. Call it only while the agent has nothing in flight. */
export function compact(context: Gatherer): void {
  context.leftBehind = 0;
  const visits = gatherAll(context);
  for (const { tombstones } of gathered(context.words, context.agent)) mergeLine(context, tombstones);
  context.finishWalk();
  context.gatherAt = Math.max(MIN_LEFT_BEHIND, Math.floor((visits + context.compactKinds()) / VISITS_PER_TOMBSTONE));
}

/** Gathers the tombstones of all lines. Returns the approximate number of visited elements. */
function gatherAll(context: Gatherer): number {
  const { words, kernel, agent } = context;
  const buckets = words.get32(HEADER_BUCKET_MASK) + 1;
  words.put32(agent + AGENT_GATHER, buckets + 1);
  let steps = 0;
  for (; words.get32(agent + AGENT_GATHER) !== 0; steps++) {
    const next = kernel.walk(agent);
    if (next !== AGAIN && next !== IDLE) context.notify(next);
    // If other agents push meanwhile, an element may be visited again, but rarely.
    if (steps > 16 * mostElements(words) + buckets) throw corrupt('a list of waiters has no end');
  }
  return Math.max(0, steps - buckets);
}

/** Throws an error about `problem` if a list of `elements` elements must contain a cycle. */
export function checkLength(words: Words, elements: number, problem = 'a list of tombstones has no end'): void {
  if (elements > mostElements(words)) throw corrupt(problem);
}

function mostElements(words: Words): number {
  return words.load32(HEADER_TOP) / ELEMENT_STRIDE;
}

function gathered(words: Words, agent: AgentAddress): Iterable<Line> {
  const lines = new Map<number, Line>();
  let count = 0;
  for (
    let element = asElement(words.get32(agent + AGENT_GATHERED));
    element !== 0;
    element = asElement(words.get32(element + NEXT))
  ) {
    checkLength(words, (count += 1));
    const address = words.get32(element + LINE);
    const [low, high] = [words.get32(element + DRAWN), words.get32(element + DRAWN + 4)];
    let line = lines.get(address);
    if (line === undefined) lines.set(address, (line = { high, low, tombstones: [] }));
    // Read the ticket in halves: a 64-bit read would create a BigInt. The difference of the high halves may wrap.
    const ticket = ((high - line.high) | 0) * HIGH + (low >>> 0) - (line.low >>> 0);
    line.tombstones.push({ element, ticket, permits: words.get32(element + COUNT) });
  }
  return lines.values();
}

/**
 * Merges each run of neighbours, except its last tombstone, into one tombstone. The last tombstone records how many
 * permits the merged tombstone has.
 */
function mergeLine({ words, kernel, agent }: Gatherer, tombstones: Tombstone[]): void {
  tombstones.sort((one, other) => one.ticket - other.ticket);
  let first: Tombstone | undefined;
  let last: Tombstone | undefined;
  for (const next of tombstones) {
    if (first === undefined || last === undefined || !follows(last, next)) {
      note(words, first, last);
      first = next;
    } else if (last !== first) {
      if (first.permits + last.permits > MAX_PERMITS) first = last;
      else {
        first.permits += last.permits;
        kernel.mergeTombstones(agent, first.element, last.element);
      }
    }
    last = next;
  }
  note(words, first, last);
}

/** Returns whether `next` stands in line directly behind `last`. */
function follows(last: Tombstone, next: Tombstone): boolean {
  return last.ticket + last.permits === next.ticket;
}

function note(words: Words, first: Tombstone | undefined, last: Tombstone | undefined): void {
  if (first !== undefined && last !== undefined && last !== first && first.permits > 1)
    words.put32(last.element + MODE, first.permits);
}
