// What the words of a lightweight, a multilane or a priority semaphore say when no agent is in the middle of a step:
// invariants of box.ts, multilane.ts and levels.ts, and that each permit is somewhere, and in one place only.

import type { Words } from '@sluice/model';
import * as layout from '../../../core/src/kernel/layout.ts';
import { ABANDONED, GRANTED, LINKED, PARKED, QUEUED } from '../../../core/src/kernel/states.ts';
import { agentAt, elementAt, entryAt, insideAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import { visits } from '../../src/kernel/lane-order.ts';
import {
  DEALER,
  DEALT_BITS,
  FLAG_BOX,
  FLAG_DEALT,
  FLAG_LEVELS,
  FLAG_SHUFFLED,
  FLAG_TOKENS,
  LEVEL_WAITERS,
  LEVELS,
  UNDEALT,
} from '../../src/kernel/layout.ts';

const {
  AGENT_DUTY,
  AGENT_DUTY_COUNT,
  AGENT_DUTY_FROM,
  AGENT_DUTY_LEFT,
  AT,
  BLOCK_TAG,
  CAPACITY,
  RELEASED_FOR_OTHERS,
  ENTRY_HELD,
} = layout;
const { FLAGS, GATE, GRANT, LEAVING, LIMIT, OWNER, SEM, TICKET, TO } = layout;

export const FRONT = semaphoreAddress(0);
export const behind = (index: number): number => semaphoreAddress(1 + index);

/** What there is in the world. */
export interface Extent {
  readonly agents: number;
  readonly elements: number;
}

/** A line behind the front, and the waiters in it. */
interface Line {
  readonly tokens: boolean;
  readonly grant: number;
  readonly ticket: number;
  /** Elements of counted waiters, and of cancelled tickets whose permit comes all the same: strays. */
  readonly counted: number;
  /** Elements of tickets that are no longer counted and not yet passed over. */
  readonly uncounted: number;
  /** Permits that were given there and not taken. */
  readonly promised: number;
}

const counter = (words: Words, at: number): number => Number(words.load64(at));

function lineAt(words: Words, index: number, { elements }: Extent): Line {
  const line = behind(index);
  const tokens = (words.get32(line + FLAGS) & FLAG_TOKENS) !== 0;
  const [grant, ticket] = [counter(words, line + GRANT), counter(words, line + TICKET)];
  let [counted, uncounted, promised] = [0, 0, tokens ? grant : Math.max(0, grant - ticket)];
  for (let at = 0; at < elements; at++) {
    const element = elementAt(at);
    if (words.get32(element + SEM) !== line) continue;
    const gate = words.load32(element + GATE);
    if (gate !== QUEUED && gate !== LINKED && gate !== PARKED && gate !== GRANTED && gate !== ABANDONED) continue;
    if (words.get32(element + LEAVING) === 0) counted += 1;
    else uncounted += 1;
    if (!tokens && counter(words, element + AT) < grant) promised += 1;
  }
  return { tokens, grant, ticket, counted, uncounted, promised };
}

/** Permits that agents hold, by their own records. */
function held(words: Words, { agents }: Extent): number {
  let sum = 0;
  for (let agent = 0; agent < agents; agent++) sum += counter(words, entryAt(agent, 0) + ENTRY_HELD);
  return sum - counter(words, FRONT + RELEASED_FOR_OTHERS);
}

/** How many of the numbers from `from` on, `count` of them, are of that lane. */
function share(words: Words, from: bigint, count: number, lane: number): number {
  const bits = words.get32(FRONT + DEALT_BITS);
  const shuffled = words.get32(FRONT + FLAGS) & FLAG_SHUFFLED;
  const [low, high] = [from, from + BigInt(count)].map((number) =>
    visits(Number(BigInt.asIntN(32, number)), lane, bits, shuffled),
  );
  return (((high ?? 0) - (low ?? 0)) << bits) >> bits;
}

/** Posts that a lane has still to get: all that stands in agents' records. */
function pending(words: Words, lane: number, { agents }: Extent): number {
  let sum = 0;
  for (let agent = 0; agent < agents; agent++) {
    const record = agentAt(agent);
    if (words.get32(record + AGENT_DUTY) !== FRONT || lane >= words.get32(record + AGENT_DUTY_LEFT)) continue;
    sum += share(words, words.get64(record + AGENT_DUTY_FROM), words.get32(record + AGENT_DUTY_COUNT), lane);
  }
  return sum;
}

/** What is wrong, when no agent is in the middle of a step and the semaphore is open. */
export function faultOf(words: Words, lanes: number, extent: Extent): string | undefined {
  for (let agent = 0; agent < extent.agents; agent++) if (words.get32(insideAt(agent)) !== 0) return undefined;
  if (words.load32(FRONT + BLOCK_TAG) !== tagOf(0)) return undefined;
  if ((words.get32(FRONT + FLAGS) & FLAG_LEVELS) !== 0) return faultOfLevels(words, extent);
  return (words.get32(FRONT + FLAGS) & FLAG_BOX) !== 0 ? faultOfBox(words, extent) : faultOfLanes(words, lanes, extent);
}

function faultOfBox(words: Words, extent: Extent): string | undefined {
  const count = counter(words, FRONT + GRANT);
  const inner = lineAt(words, 0, extent);
  if (words.load64(FRONT + TICKET) !== 0n) return 'an agent drew a ticket at the box office';
  const expected = Math.max(0, -count) + inner.promised;
  if (inner.counted !== expected)
    return `${inner.counted} are counted and wait, where the count is ${count} and ${inner.promised} permits are inside`;
  return conserved(words, held(words, extent), Math.max(0, count), inner.promised);
}

function faultOfLevels(words: Words, extent: Extent): string | undefined {
  const count = counter(words, FRONT + GRANT);
  const undealt = words.load32(behind(0) + UNDEALT);
  if (words.load64(FRONT + TICKET) !== 0n) return 'an agent drew a ticket at the box office';
  if (words.load32(behind(0) + DEALER) !== 0) return 'an agent deals while none is in the middle of a step';
  if (undealt < 0) return `${undealt} permits are undealt`;
  let [counted, promised] = [0, 0];
  for (let level = 0; level < LEVELS; level++) {
    const line = lineAt(words, level, extent);
    const waiters = words.load32(behind(level) + LEVEL_WAITERS);
    if (line.counted !== waiters + line.promised)
      return `${line.counted} wait in level ${level}, where ${waiters} are counted and ${line.promised} permits were dealt`;
    counted += waiters;
    promised += line.promised;
  }
  if (counted !== Math.max(0, -count) + undealt)
    return `${counted} are counted in the levels, where the count is ${count} and ${undealt} permits are undealt`;
  return conserved(words, held(words, extent), Math.max(0, count), promised + undealt);
}

/** Whether a permit is undealt though an agent waits for one, and no agent is to deal it. */
export function isForgotten(words: Words): boolean {
  if ((words.get32(FRONT + FLAGS) & FLAG_LEVELS) === 0) return false;
  return words.load32(behind(0) + UNDEALT) !== 0;
}

function faultOfLanes(words: Words, lanes: number, extent: Extent): string | undefined {
  const [posts, arrivals] = [words.load64(FRONT + GRANT), words.load64(FRONT + TICKET)];
  const more = Number(posts - arrivals);
  let promised = 0;
  for (let lane = 0; lane < lanes; lane++) {
    const line = lineAt(words, lane, extent);
    const missing = pending(words, lane, extent);
    // Tickets less permits, or waiters less tokens: the same as arrivals less posts.
    const behindHand = line.tokens ? line.counted - line.grant : line.ticket - line.grant - line.uncounted;
    const expected = missing - share(words, arrivals, more, lane);
    if (behindHand !== expected)
      return `lane ${lane} is ${behindHand} permits short, where its numbers say ${expected}`;
    promised += line.promised + missing;
  }
  return conserved(words, held(words, extent), Math.max(0, more), promised - Math.max(0, more));
}

/**
 * Tickets given up that are where they may stay: their permits come all the same, or others stand before and behind
 * them.
 */
export interface Remains {
  readonly strays: number;
  readonly tombstones: number;
  /** One that should not be there any more. */
  readonly forgotten?: string;
}

/** What is left when no agent goes on. */
export function remains(words: Words, { elements }: Extent): Remains {
  let [strays, tombstones, forgotten] = [0, 0, undefined as string | undefined];
  for (let at = 0; at < elements; at++) {
    const element = elementAt(at);
    const line = words.get32(element + SEM);
    if (words.load32(element + OWNER) === 0 || words.load32(element + GATE) !== ABANDONED) continue;
    const [ticket, grant] = [counter(words, element + AT), counter(words, line + GRANT)];
    const stray = (words.get32(line + FLAGS) & FLAG_DEALT) !== 0 && words.get32(element + LEAVING) === 0;
    const last = stray
      ? words.load64(FRONT + TICKET) - words.get64(element + TO) === 1n
      : counter(words, line + TICKET) === ticket + 1;
    const due =
      stray && (words.get32(line + FLAGS) & FLAG_TOKENS) === 0 ? grant > ticket : stray ? grant > 0 : grant >= ticket;
    if (stray) strays += 1;
    else tombstones += 1;
    if (last || due) forgotten = `a ${stray ? 'stray' : 'tombstone'} is forgotten`;
  }
  return { strays, tombstones, ...(forgotten === undefined ? {} : { forgotten }) };
}

function conserved(words: Words, taken: number, free: number, promised: number): string | undefined {
  const there = counter(words, FRONT + CAPACITY);
  const bound = words.get32(FRONT + LIMIT);
  if (bound !== 0 && free > bound) return `${free} permits are free, more than the bound`;
  const sum = taken + free + promised;
  return sum === there
    ? undefined
    : `${taken} permits are held, ${free} free and ${promised} promised, where there are ${there}`;
}
