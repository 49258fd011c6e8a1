// The accounts of a lightweight or a multilane semaphore when no agent is in the middle of a step: the invariants of
// box-office.ts and multilane.ts, and that each permit is in exactly one place.

import type { Words } from '@sluice/model';
import * as layout from '../../../../core/src/kernel/layout.ts';
import { ABANDONED } from '../../../../core/src/kernel/states.ts';
import { agentAt, elementAt } from '../../../../core/test/model/places.ts';
import {
  behind,
  conserved,
  counter,
  FRONT,
  isQuiet,
  lineAt,
  type Extent,
} from '../../../../semaphores/test/model/front-accounts.ts';
import { visits } from '../../../src/semaphores/kernel/lane-order.ts';
import { DEALT_BITS, FLAG_BOX, FLAG_DEALT, FLAG_SHUFFLED, FLAG_TOKENS } from '../../../src/semaphores/kernel/layout.ts';

const {
  AGENT_DUTY,
  AGENT_DUTY_COUNT,
  AGENT_DUTY_FROM,
  AGENT_DUTY_LEFT,
  DRAWN,
  FLAGS,
  GATE,
  GRANT,
  LEAVING,
  OWNER,
  LINE,
  TICKET,
  POST_END,
} = layout;

const hasTokens = (words: Words, index: number): boolean => (words.get32(behind(index) + FLAGS) & FLAG_TOKENS) !== 0;

/** Returns how many of `count` numbers from `from` on belong to that lane. */
function share(words: Words, from: bigint, count: number, lane: number): number {
  const bits = words.get32(FRONT + DEALT_BITS);
  const shuffled = words.get32(FRONT + FLAGS) & FLAG_SHUFFLED;
  const [low, high] = [from, from + BigInt(count)].map((number) =>
    visits(Number(BigInt.asIntN(32, number)), lane, bits, shuffled),
  );
  return (((high ?? 0) - (low ?? 0)) << bits) >> bits;
}

/** Returns the posts that a lane has still to get: those in agents' records. */
function pending(words: Words, lane: number, { agents }: Extent): number {
  let sum = 0;
  for (let agent = 0; agent < agents; agent++) {
    const record = agentAt(agent);
    if (words.get32(record + AGENT_DUTY) !== FRONT || lane >= words.get32(record + AGENT_DUTY_LEFT)) continue;
    sum += share(words, words.get64(record + AGENT_DUTY_FROM), words.get32(record + AGENT_DUTY_COUNT), lane);
  }
  return sum;
}

/** Returns the faults when no agent is in the middle of a step and the semaphore is open. */
export function faultOf(words: Words, lanes: number, extent: Extent): string | undefined {
  if (!isQuiet(words, extent)) return undefined;
  return (words.get32(FRONT + FLAGS) & FLAG_BOX) !== 0 ? faultOfBox(words, extent) : faultOfLanes(words, lanes, extent);
}

function faultOfBox(words: Words, extent: Extent): string | undefined {
  const count = counter(words, FRONT + GRANT);
  const inner = lineAt(words, 0, extent, hasTokens(words, 0));
  if (words.load64(FRONT + TICKET) !== 0n) return 'an agent drew a ticket at the box office';
  const expected = Math.max(0, -count) + inner.promised;
  if (inner.counted !== expected)
    return `${inner.counted} waiters are counted, but the count is ${count} and ${inner.promised} permits are inside`;
  return conserved(words, extent, Math.max(0, count), inner.promised);
}

function faultOfLanes(words: Words, lanes: number, extent: Extent): string | undefined {
  const [posts, arrivals] = [words.load64(FRONT + GRANT), words.load64(FRONT + TICKET)];
  const more = Number(posts - arrivals);
  let promised = 0;
  for (let lane = 0; lane < lanes; lane++) {
    const tokens = hasTokens(words, lane);
    const line = lineAt(words, lane, extent, tokens);
    const missing = pending(words, lane, extent);
    // Tickets less permits, or waiters less tokens: both equal arrivals less posts.
    const behindHand = tokens ? line.counted - line.grant : line.ticket - line.grant - line.uncounted;
    const expected = missing - share(words, arrivals, more, lane);
    if (behindHand !== expected) return `lane ${lane} is ${behindHand} permits short, expected ${expected}`;
    promised += line.promised + missing;
  }
  return conserved(words, extent, Math.max(0, more), promised - Math.max(0, more));
}

/**
 * Cancelled tickets that may stay where they are: their permits still come, or other tickets are before and behind
 * them.
 */
export interface Remains {
  readonly strays: number;
  readonly tombstones: number;
  /** A cancelled ticket that should not be there any more. */
  readonly forgotten?: string;
}

/** Returns the faults when no agent continues. */
export function remains(words: Words, { elements }: Extent): Remains {
  let [strays, tombstones, forgotten] = [0, 0, undefined as string | undefined];
  for (let at = 0; at < elements; at++) {
    const element = elementAt(at);
    const line = words.get32(element + LINE);
    if (words.load32(element + OWNER) === 0 || words.load32(element + GATE) !== ABANDONED) continue;
    const [ticket, grant] = [counter(words, element + DRAWN), counter(words, line + GRANT)];
    const stray = (words.get32(line + FLAGS) & FLAG_DEALT) !== 0 && words.get32(element + LEAVING) === 0;
    const last = stray
      ? words.load64(FRONT + TICKET) - words.get64(element + POST_END) === 1n
      : counter(words, line + TICKET) === ticket + 1;
    const due =
      stray && (words.get32(line + FLAGS) & FLAG_TOKENS) === 0 ? grant > ticket : stray ? grant > 0 : grant >= ticket;
    if (stray) strays += 1;
    else tombstones += 1;
    if (last || due) forgotten = `a ${stray ? 'stray' : 'tombstone'} is forgotten`;
  }
  return { strays, tombstones, ...(forgotten === undefined ? {} : { forgotten }) };
}
