// The witness. It records, beside the code under test, the order of pushed values, which agent took which, and since
// when each agent is queued, and compares them with the buffer.

import type { Context, Words } from '@sluice/model';
import { AGENT_STRIDE, ENTRY_LINE, LINE, TICKET } from '../../../core/src/kernel/layout.ts';
import { SHUT, TAKEN } from '../../../core/src/kernel/states.ts';
import { agentAt, PULSE } from '../../../core/test/model/places.ts';
import { POSITION } from '../../src/kernel/layout.ts';
import type { BufferKernel } from '../../src/sides/kinds.ts';
import {
  ahead,
  ARRIVALS,
  endAt,
  isClosed,
  lastPlaceAt,
  lineAt,
  lineOf,
  placeAt,
  positionOf,
  puttingAt,
  SIDES,
  sideAt,
  tookAt,
  valueAt,
  wantsAt,
} from './buffer-places.ts';

export interface Watched {
  readonly agents: number;
  /** The positions at the start. */
  readonly origin: bigint;
  /** Whether to record since when each agent waits. */
  readonly line: boolean;
  /** Whether to compare the order of service. */
  readonly inOrder: boolean;
}

/** Heads that leave a side, and thereby admit the next head. */
const givingOn = new WeakMap<Context, boolean>();

/** The memory, with a watch on both positions and on tickets. */
export function watchWords(words: Words, ctx: Context, watched: Watched): Words {
  const { words: seam, index } = ctx;
  return {
    ...words,
    store64: (address, value) => {
      const side = SIDES.find((one) => address === sideAt(one) + POSITION);
      if (side !== undefined) {
        moves(seam, index, side, value, watched.origin);
        if (givingOn.get(ctx) === true) leavesAsHead(ctx, watched, lineAt(side));
      }
      words.store64(address, value);
    },
    add64: (address, delta) => {
      const ticket = words.add64(address, delta);
      const line = SIDES.map(lineAt).find((one) => address === one + TICKET);
      if (watched.line && line !== undefined) standsInLine(seam, index, line, ticket + delta, Number(delta));
      return ticket;
    },
  };
}

function moves(words: Words, agent: number, side: number, to: bigint, origin: bigint): void {
  const from = positionOf(words, side);
  const first = ahead(from, origin).values;
  const { values } = ahead(to, from);
  if (side === 1) {
    words.put32(tookAt(agent), values > 0 ? 1 + first : 0);
    return;
  }
  if (values <= 0) return;
  for (let n = 0; n < values; n++) words.put32(valueAt(first + n), words.get32(puttingAt(agent)) + n);
  words.put32(puttingAt(agent), 0);
}

function standsInLine(words: Words, agent: number, line: number, end: bigint, count: number): void {
  words.put32(ARRIVALS, 1 + words.get32(ARRIVALS));
  words.put32(placeAt(agent), words.get32(ARRIVALS));
  words.put32(lastPlaceAt(agent), words.get32(ARRIVALS));
  words.put32(lineOf(agent), line);
  words.put64(endAt(agent), BigInt.asIntN(64, end));
  words.put32(wantsAt(agent), count);
}

export function leavesLine(words: Words, agent: number): void {
  if (words.get32(placeAt(agent)) === 0) return;
  words.put32(placeAt(agent), 0);
  words.put32(lineOf(agent), 0);
  words.put64(endAt(agent), 0n);
  words.put32(wantsAt(agent), 0);
}

/** Returns the agents in that queue, longest first. */
export function waitersOf(words: Words, agents: number, line: number): readonly number[] {
  const all = [...Array(agents).keys()].filter((agent) => words.get32(lineOf(agent)) === line);
  return all.sort((a, b) => words.get32(placeAt(a)) - words.get32(placeAt(b)));
}

/** Checks that values follow the queue: the head is the longest waiter. */
function leavesAsHead(ctx: Context, { agents, line: isWatched, inOrder }: Watched, line: number): void {
  const { words, index } = ctx;
  if (!isWatched || isClosed(words)) return leavesLine(words, index);
  const [first = index] = waitersOf(words, agents, line);
  if (inOrder) ctx.assert(first === index, `agent ${index} was served before agent ${first}, which arrived earlier`);
  leavesLine(words, index);
}

/**
 * Checks a newcomer that is served: no agent that was queued at that moment or before may still wait, at the head of the line or
 * without.
 */
function checkNewcomer(ctx: Context, agents: number, line: number, place: number): void {
  const { words, index } = ctx;
  if (place === 0 || isClosed(words)) return;
  for (const agent of waitersOf(words, agents, line)) {
    const before = words.get32(placeAt(agent)) <= place;
    ctx.assert(agent === index || !before, `agent ${index} was served before agent ${agent}, which arrived earlier`);
  }
}

type Step = (...args: number[]) => number;

/** The steps. They record each agent that is served, and each that leaves its queue. */
export function watchLines(kernel: BufferKernel, ctx: Context, { agents, inOrder }: Watched): BufferKernel {
  const { words, index } = ctx;
  const lines = SIDES.map(lineAt);
  const comes = (step: Step, passes: (result: number) => boolean): Step =>
    function coming(...args) {
      const line = lineAt(args[0] === sideAt(0) ? 0 : 1);
      // Only then is it certain which agent was queued first.
      words.load32(PULSE);
      const place = words.get32(ARRIVALS);
      const result = step(...args);
      if (passes(result)) checkNewcomer(ctx, agents, line, place);
      return result;
    };
  const wrap = (name: string, step: Step): Step => {
    switch (name) {
      case 'enterSide':
        return inOrder ? comes(step, (result) => result >= 0) : step;
      case 'passInt32': {
        const served = inOrder ? comes(step, (result) => result >= 0) : step;
        return (...args) => {
          givingOn.set(ctx, false);
          return served(...args);
        };
      }
      case 'lookAtSide':
        return inOrder ? (...args) => (args[4] === 1 ? step : comes(step, (result) => result >= 0))(...args) : step;
      case 'poll':
        return (...args) => {
          const line = words.get32((args[0] ?? 0) + LINE);
          const result = step(...args);
          if (lines.includes(line) && result === SHUT) leavesLine(words, index);
          return result;
        };
      case 'enqueueAtSide':
        return (...args) => {
          const result = step(...args);
          if (words.get32(lineOf(index)) !== 0) words.put32(wantsAt(index), args[4] ?? 0);
          return result;
        };
      case 'commitSide':
        return (...args) => {
          givingOn.set(ctx, args[5] === 1);
          return step(...args);
        };
      case 'release':
        return (...args) => {
          if (lines.includes(args[0] ?? 0)) leavesLine(words, index);
          return step(...args);
        };
      case 'cancelWait':
        return (...args) => {
          if (!lines.includes(words.get32((args[1] ?? 0) + LINE))) return step(...args);
          if (args[3] === 1) {
            leavesLine(words, ((args[0] ?? 0) - agentAt(0)) / AGENT_STRIDE);
            return step(...args);
          }
          const at = [placeAt, lineOf, wantsAt].map((word) => [word(index), words.get32(word(index))] as const);
          const end = words.get64(endAt(index));
          leavesLine(words, index);
          const result = step(...args);
          // It became the head first: it is still queued.
          if (result === TAKEN && words.get32(placeAt(index)) === 0) {
            for (const [word, value] of at) words.put32(word, value);
            words.put64(endAt(index), end);
          }
          return result;
        };
      case 'restore':
        return (...args) => {
          const dead = ((args[0] ?? 0) - agentAt(0)) / AGENT_STRIDE;
          const line = words.get32((args[1] ?? 0) + ENTRY_LINE);
          if (lines.includes(line) && words.get32(lineOf(dead)) === line) leavesLine(words, dead);
          return step(...args);
        };
      default:
        return step;
    }
  };
  const steps = Object.entries(kernel) as [string, Step][];
  return Object.fromEntries(steps.map(([name, step]) => [name, wrap(name, step)])) as unknown as BufferKernel;
}
