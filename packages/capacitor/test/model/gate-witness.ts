// The witness. It records, beside the code under test, which agent each kernel step lets in or out. It checks that at
// most B agents are inside, that none is inside at an opening, and that at most B - 1 agents overtake a waiter.

import type { Context, Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { AGENT_DUTY, AGENT_STRIDE, BLOCK_TAG, ENTRY_LINE, LINE, TICKET } from '../../../core/src/kernel/layout.ts';
import { ABANDONED, FOREIGN, CANCELLED_LEFT_BEHIND, CANCELLED, TAKEN } from '../../../core/src/kernel/states.ts';
import { agentAt, holdsAt, insideAt } from '../../../core/test/model/places.ts';
import { comes, enters, leaves, waits } from './arrivals.ts';
import type { ElementAddress } from '../../../core/src/kernel/addresses.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';

/** The properties of the gate that the witness needs. */
export interface Watched {
  /** The gate's address, and those of its lines. */
  readonly address: number;
  readonly lines: readonly number[];
  readonly limit: number;
  readonly agents: number;
  /**
   * With lanes a later agent may get the place of an agent that has no ticket yet. So "later" means: began its arrival
   * later.
   */
  readonly lanes: boolean;
  readonly tally: number;
  /** Whether an admitted agent counts as served. False if another lock decides the order. */
  readonly decides: boolean;
}

/** The step that an agent is in the middle of, if that step arrives or cancels. */
const within = new WeakMap<Context, 'arrive' | 'leave' | undefined>();

/** A body runs from its start again. The last run may have been stopped anywhere. */
export function beginAnew(ctx: Context): void {
  within.delete(ctx);
}

/** The memory, with a watch on tickets and on the opening. */
export function watchTickets(words: Words, ctx: Context, gate: Omit<Watched, 'limit' | 'decides'>): Words {
  const { words: seam, index } = ctx;
  const { address: home, agents, lanes, lines, tally } = gate;
  const tickets = lines.map((line) => line + TICKET);
  const draw = (address: number): void => {
    if (tickets.includes(address)) waits(seam, index, !lanes);
  };
  // Others may go ahead of the agent from this operation on, not from the end of the step.
  const leave = (isOut: boolean): void => {
    if (isOut && within.get(ctx) === 'leave') leaves(seam, index);
  };
  return {
    ...words,
    load32: (address) => {
      const found = words.load32(address);
      // Not before the first operation: until that is performed, the step may not have begun.
      if (lanes && address === home + BLOCK_TAG && within.get(ctx) === 'arrive') comes(seam, index);
      return found;
    },
    put32: (address, value) => {
      if (address === agentAt(index) + AGENT_DUTY && value !== 0)
        ctx.assert(seam.get32(address) === 0, 'an opening begins before the last one has ended');
      if (address === tally) ctx.assert(!isAnybodyInside(seam, agents), 'the gate opens while an agent is inside');
      words.put32(address, value);
    },
    store32: (address, value) => {
      words.store32(address, value);
      leave(value === ABANDONED);
    },
    cas32: (address, expected, value) => {
      const found = words.cas32(address, expected, value);
      leave(found === expected && value === ABANDONED);
      return found;
    },
    add64: (address, delta) => {
      const found = words.add64(address, delta);
      draw(address);
      return found;
    },
    cas64: (address, expected, value) => {
      const found = words.cas64(address, expected, value);
      if (found !== expected || !tickets.includes(address)) return found;
      if (BigInt.asIntN(64, value - expected) > 0n) draw(address);
      else leave(true);
      return found;
    },
  };
}

function isAnybodyInside(words: Words, agents: number): boolean {
  for (let agent = 0; agent < agents; agent++) if (words.get32(holdsAt(agent)) > 0) return true;
  return false;
}

const ARRIVE = ['acquire', 'tryAcquire', 'arriveInLane', 'tryArriveInLane'];

/** The steps. They record each agent that goes in and out. */
export function watchSteps(kernel: Kernel, ctx: Context, gate: Watched): Kernel {
  const { words, index } = ctx;
  const isOurs = (element: ElementAddress): boolean => gate.lines.includes(words.get32(element + LINE));
  const add = (agent: number, more: number): void =>
    words.put32(holdsAt(agent), Math.max(0, words.get32(holdsAt(agent)) + more));
  const goIn = (result: number): number => {
    within.set(ctx, undefined);
    if (result === TAKEN) {
      add(index, 1);
      if (gate.decides) enters(ctx, index, gate.limit);
    } else if (result === CANCELLED || result === CANCELLED_LEFT_BEHIND) leaves(words, index);
    return result;
  };
  const forDead = (record: number, inside: number): void => {
    const agent = (record - agentAt(0)) / AGENT_STRIDE;
    if (inside > 0) add(agent, -1);
    leaves(words, agent);
  };
  type Step = (...args: number[]) => number;
  const wrap = (name: string, step: Step): Step => {
    if (ARRIVE.includes(name)) {
      return (...args) => {
        within.set(ctx, 'arrive');
        return goIn(step(...args));
      };
    }
    switch (name) {
      case 'poll':
        return (...args) => (isOurs(asElement(args[0] ?? 0)) ? goIn(step(...args)) : step(...args));
      case 'cancelWait':
      case 'cancelLaneWait':
        return (...args) => {
          if (args[3] === 1) {
            forDead(args[0] ?? 0, 0);
            return step(...args);
          }
          const ours = isOurs(asElement(args[1] ?? 0));
          within.set(ctx, ours ? 'leave' : undefined);
          return ours ? goIn(step(...args)) : step(...args);
        };
      case 'departCapacitor':
        return (...args) => {
          add(index, -1);
          // The agent may still not get the lock behind the gate.
          if (!gate.decides) leaves(words, index);
          const result = step(...args);
          if (result === FOREIGN) add(index, 1);
          return result;
        };
      case 'cancelQueuedWait':
        return (...args) => {
          if (args[3] === 1) forDead(args[0] ?? 0, 0);
          return step(...args);
        };
      case 'releaseForDeadOwner':
      case 'releaseQueuedForDeadOwner':
        return (...args) => {
          words.put32(insideAt(((args[0] ?? 0) - agentAt(0)) / AGENT_STRIDE), 0);
          return step(...args);
        };
      case 'departCapacitorForDead':
        return (...args) => {
          const [record = 0, entry = 0] = args;
          if (words.get32(entry + ENTRY_LINE) === gate.address) forDead(record, Number(words.get64(entry)));
          return step(...args);
        };
      default:
        return step;
    }
  };
  const steps = Object.entries(kernel) as [string, Step][];
  return Object.fromEntries(steps.map(([name, step]) => [name, wrap(name, step)])) as unknown as Kernel;
}
