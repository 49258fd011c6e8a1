// Records arrivals at the lock under test, within the operation that decides their order. The case fails if an agent is
// admitted out of turn.

import type { Context, Words } from '@sluice/model';
import { GATE, OFFICE, OWNER, TICKET } from '../../../core/src/kernel/layout.ts';
import { ownerOf } from '../../../core/src/kernel/owner-word.ts';
import { HANDED } from '../../../core/src/kernel/states.ts';
import { ABANDONED, LINKED, PROMISED, TAKEN } from '../../../core/src/kernel/states.ts';
import { elementAt, MAX_ELEMENTS, semaphoreAddress } from '../../../core/test/model/places.ts';
import { lastOf } from '../../src/kernel/queued.ts';
import type { LocksKernel } from '../../src/kinds.ts';
import type { ElementAddress } from '../../../core/src/kernel/addresses.ts';

export type Order = 'first' | 'last' | 'segments';

const LOCK = semaphoreAddress(0);
/**
 * Words in a line that no lock uses. They hold the waiters in order of arrival, four bits each; for 'segments' also the
 * detached waiters. A cancelled waiter keeps its place, marked, because it may come back to it.
 */
const ARRIVALS = semaphoreAddress(1);
const SEGMENT = ARRIVALS + 4;
const GONE = 8;

function read(words: Words, list: number): number[] {
  const agents: number[] = [];
  for (let left = words.get32(list); left !== 0; left >>>= 4) agents.push((left & 15) - 1);
  return agents;
}

/** Returns the waiters of a list that have not cancelled. */
function waiting(words: Words, list: number): number[] {
  return read(words, list).filter((agent) => agent + 1 < GONE);
}

function write(words: Words, list: number, agents: readonly number[]): void {
  words.put32(
    list,
    agents.reduceRight((all, agent) => (all << 4) | (agent + 1), 0),
  );
}

export function arrive(words: Words, agent: number): void {
  remove(words, agent + GONE);
  write(words, ARRIVALS, [...read(words, ARRIVALS), agent]);
}

function remove(words: Words, agent: number): void {
  for (const list of [ARRIVALS, SEGMENT]) {
    const all = read(words, list);
    if (all.includes(agent))
      write(
        words,
        list,
        all.filter((other) => other !== agent),
      );
  }
}

/** Replaces `from` by `to`. Returns whether `from` was there. */
function replace(words: Words, from: number, to: number): boolean {
  for (const list of [ARRIVALS, SEGMENT]) {
    const all = read(words, list);
    if (!all.includes(from)) continue;
    write(
      words,
      list,
      all.map((agent) => (agent === from ? to : agent)),
    );
    return true;
  }
  return false;
}

/** Checks that all arrivals were admitted. */
export function checkOrder(words: Words): string | undefined {
  const left = [...waiting(words, SEGMENT), ...waiting(words, ARRIVALS)];
  return left.length === 0 ? undefined : `agents ${left.join(', ')} arrived and were never admitted`;
}

/** The memory of a queued lock as agent `ctx` sees it. */
export function watchQueue(ctx: Context, words: Words, order: Order): Words {
  const admit = (agent: number): void => {
    const list = waiting(words, order === 'segments' ? SEGMENT : ARRIVALS);
    const turn = order === 'first' ? list[0] : list[list.length - 1];
    ctx.assert(turn === agent, `agent ${agent} is admitted in the turn of ${turn ?? 'none'}`);
    remove(words, agent);
  };
  const detach = (): void => {
    const left = waiting(words, SEGMENT);
    ctx.assert(left.length === 0, `the next segment is detached, but ${left.join(', ')} of the last one still wait`);
    write(words, SEGMENT, read(words, ARRIVALS));
    write(words, ARRIVALS, []);
  };
  const note = (before: bigint, after: bigint): void => {
    const [from, to] = [ownerOf(before), ownerOf(after)];
    if (from !== to) {
      if (to === HANDED) admit(promised(words));
      else ctx.assert(checkOrder(words) === undefined, 'the lock is or was free, but agents wait');
    } else if (isArrival(ctx, words, lastOf(after))) arrive(words, ctx.index);
    else if (order === 'segments' && lastOf(before) !== 0 && lastOf(after) === 0) detach();
  };
  return {
    ...words,
    cas64: (address, expected, value) => {
      const found = words.cas64(address, expected, value);
      if (address === LOCK + OFFICE && found === expected) note(expected, value);
      else if (isTombstoneOf(ctx, expected) && found === expected) {
        ctx.assert(
          replace(words, ctx.index + GONE, ctx.index),
          `agent ${ctx.index} came back to a place that it does not have`,
        );
      }
      return found;
    },
    cas32: (address, expected, value) => {
      const found = words.cas32(address, expected, value);
      if (expected === LINKED && value === ABANDONED && found === LINKED)
        replace(words, words.get32(address - GATE) - 1, words.get32(address - GATE) - 1 + GONE);
      return found;
    },
  };
}

/** The owner and the gate of an element that this agent left behind. */
function isTombstoneOf({ index }: Context, word: bigint): boolean {
  return word === (BigInt(ABANDONED) << 32n) + BigInt(index + 1);
}

/** The agent to which the owner is about to hand over. -1: none. */
function promised(words: Words): number {
  const elements = [...Array(MAX_ELEMENTS).keys()].map((index) => elementAt(index));
  const element = elements.find((at) => words.get32(at + GATE) === PROMISED);
  return element === undefined ? -1 : words.get32(element + OWNER) - 1;
}

/** False if its tombstone is the last element again, because later ones were removed. */
function isArrival({ index }: Context, words: Words, element: ElementAddress): boolean {
  return element !== 0 && words.get32(element + OWNER) === index + 1 && words.get32(element + GATE) === LINKED;
}

/** As `watchQueue`, for a ticket lock. */
export function watchTickets(ctx: Context, words: Words): Words {
  return {
    ...words,
    add64: (address, delta) => {
      const found = words.add64(address, delta);
      if (address === LOCK + TICKET && delta === 1n) arrive(words, ctx.index);
      return found;
    },
  };
}

/** A waiter counts as cancelled when it begins to cancel. */
export function watchTurns(kernel: LocksKernel, ctx: Context): LocksKernel {
  const { words, index } = ctx;
  const admit = <Result extends number>(result: Result): Result => {
    const turn = read(words, ARRIVALS)[0] ?? index;
    if (result === TAKEN) {
      ctx.assert(turn === index, `agent ${index} is admitted in the turn of ${turn}`);
      remove(words, index);
    }
    return result;
  };
  return {
    ...kernel,
    lockTicket: (...args) => admit(kernel.lockTicket(...args)),
    enqueueAtTicketLock: (...args) => admit(kernel.enqueueAtTicketLock(...args)),
    poll: (...args) => admit(kernel.poll(...args)),
    cancelWait: (...args) => {
      const [, element, , dead] = args;
      remove(words, dead === 0 ? index : words.get32(element + OWNER) - 1);
      return kernel.cancelWait(...args);
    },
  };
}
