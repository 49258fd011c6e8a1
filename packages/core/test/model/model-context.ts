// The real AgentContext over the explorer's memory, with its elements and entries.

import { AsyncWaits } from '../../src/agent/async-waits.ts';
import type { Context, Words } from '@sluice/model';
import type { AgentContext, LineState, LineTraits } from '../../src/agent/agent-context.ts';
import { ArenaFullError } from '../../src/api/errors.ts';
import type { Kernel } from '../../src/kernel/kernel.ts';
import { AGENT_STUB, BLOCK_LINE, GATE, OWNER } from '../../src/kernel/layout.ts';
import { TAKEN } from '../../src/kernel/states.ts';
import { LoopBudget } from '../../src/platform/loop-budget.ts';
import type { Parking } from '../../src/agent/parking.ts';
import { agentAt, elementAt, entryAt, semaphoreAddress } from './places.ts';
import { loopOf, notifyLoops } from './async-loop.ts';
import type { Core, Setup } from './setup.ts';
import type { ElementAddress, LineAddress } from '../../src/kernel/addresses.ts';

export interface Tools {
  readonly words: Words;
  readonly kernel: Kernel;
  readonly parking: Parking;
}

/**
 * Returns the class of contexts, once per world. Each run of a body makes a new context. A new class per run would cost
 * half of the total time.
 */
export function modelContext(core: Core, { elements, spares }: Required<Setup>): Core['AgentContext'] {
  const claimElement = ({ kernel, id }: AgentContext): ElementAddress => {
    for (let at = 0; at < elements; at++) if (kernel.claim(elementAt(at), id) === TAKEN) return elementAt(at);
    throw new ArenaFullError('The pool of elements is empty.');
  };
  return class ModelContext extends core.AgentContext {
    readonly #lineStates = new Map<LineAddress, LineState>();
    override keep(element: ElementAddress): void {
      if (spares) super.keep(element);
      else this.words.store32(element + OWNER, 0);
    }
    override lineState(
      block: LineAddress,
      tag: number,
      { recorded, ordered = true, timedChecks, line = this.semaphoreLine }: LineTraits,
    ): LineState {
      const known = this.#lineStates.get(block);
      if (known?.tag === tag) return known;
      const entry = recorded ? entryAt(this.id - 1, (block - semaphoreAddress(0)) / BLOCK_LINE) : 0;
      const made = { block, tag, entry, asyncWaits: new AsyncWaits(), ordered, timedChecks, line };
      this.#lineStates.set(block, made);
      return made;
    }
    override refuseSteps(): void {
      // Does nothing: all runs of this body share the steps.
    }
    constructor(...made: ConstructorParameters<Core['AgentContext']>) {
      super(...made);
      // A growing count would make equal states different.
      Object.defineProperty(this, 'parks', { get: () => 0, set: nothing });
      Object.assign(this.spares, { claim: () => claimElement(this) });
      // The real budget would depend on the real clock.
      Object.assign(this, { budget: NEVER_USED_UP });
      if (spares) return;
      const endWait: Kernel['endWait'] = (_, element) => {
        this.keep(element);
        return TAKEN;
      };
      Object.assign(this.waiting, { endWait });
    }
  };
}

function nothing(): void {
  // Not counted.
}

const NEVER_USED_UP = new LoopBudget(() => 0, nothing);

export function parkingOf(ctx: Context, async = false): Parking {
  return {
    wait: (address, expected, timeoutMs) => {
      if (address !== agentAt(ctx.index) + AGENT_STUB + GATE)
        return ctx.parking.wait(address, expected, timeoutMs !== Infinity);
      // An agent without an element sleeps only to let time pass.
      ctx.pause();
      return 'timed-out';
    },
    waitAsync: (address, expected) => loopOf(ctx)?.waitAsync(address, expected) as Promise<unknown> | undefined,
    notify: (address) => {
      // The agent may die before it wakes the waiter to which it gave a verdict.
      ctx.step('notify');
      if (async) notifyLoops(ctx, address);
      return ctx.parking.notify(address);
    },
    now: () => loopOf(ctx)?.now ?? 0,
    date: () => 0,
  };
}

/** Outside the kernel an agent may die before each of its writes. */
export function crashingWords(ctx: Context, words: Words): Words {
  const bound = (name: keyof Words): unknown => (words[name] as (...args: unknown[]) => unknown).bind(words);
  const mayCrash = (name: 'put32' | 'put64' | 'store32' | 'store64') => (address: number, value: never) => {
    ctx.step('write');
    words[name](address, value);
  };
  const reads = ['load32', 'load64', 'get32', 'get64', 'add32', 'add64', 'cas32', 'cas64', 'exchange32'] as const;
  const writes = ['put32', 'put64', 'store32', 'store64'] as const;
  return Object.fromEntries([
    ...reads.map((name) => [name, bound(name)]),
    ...writes.map((name) => [name, mayCrash(name)]),
  ]) as never;
}

/** Tells the explorer where each kernel step begins. */
export function stepping(kernel: Kernel, ctx: Context): Kernel {
  const entries = Object.entries(kernel) as [string, (...args: number[]) => number][];
  return Object.fromEntries(
    entries.map(([name, step]) => [
      name,
      (...args: number[]) => {
        ctx.step(name);
        return step(...args);
      },
    ]),
  ) as unknown as Kernel;
}
