// What follows the waits and the holds of this thread: statistics, channels, the check of the order of locks.

import type { AgentContext, BlockRef } from '@sluice/core/internal';
import type { WaitEnding } from '@sluice/core/report';
import type { UsedPrimitive } from './used-primitive.ts';

/** How a call acquires: it blocks for as long as it takes, or at most for a time, or it is async. */
export type Manner = 'blocking' | 'timed' | 'async';

/** The function that a `runAsync` runs. */
export type Body = (...args: unknown[]) => unknown;

/** A contended wait of this thread. */
export interface ObservedWait {
  /** Counts the waits of this thread. */
  readonly id: number;
  readonly primitive: UsedPrimitive;
  readonly how: 'blocking' | 'async';
  /** ms on the clock of `parking.now`. */
  readonly began: number;
}

/** A recovery by this thread. */
export interface ObservedReclaim {
  readonly id: number;
  readonly context: AgentContext;
  /** The dead agent, and its title. */
  readonly agent: number;
  readonly title: string;
  readonly began: number;
}

/** A tool. Its functions never throw: their callers are in the middle of a call of the program. */
export interface Tool {
  /** Whether it is told of the holds for which `holdAsked` returned `undefined`. */
  readonly followsAll: boolean;
  /** The thread opens a lock or a semaphore. */
  opened(ref: BlockRef, instance: object): void;
  /**
   * A call begins that acquires the primitive. What it returns is passed to `holdBegins` or `holdFails`. `isBounded`:
   * the wait has a timeout.
   */
  holdAsked(primitive: UsedPrimitive, how: Manner, slot: string, isBounded: boolean): unknown;
  /** `slot`: the key, for a lock of a key, and otherwise ''. At most one hold of an owned lock has it at a time. */
  holdBegins(primitive: UsedPrimitive, permits: number, slot: string, asked: unknown): void;
  holdFails(primitive: UsedPrimitive, asked: unknown): void;
  /** A release begins, or the agent has yielded the primitive. */
  holdEnds(primitive: UsedPrimitive, permits: number, slot: string): void;
  /** The thread releases permits that it has not acquired, as far as the tools know. */
  othersReleased(primitive: UsedPrimitive): void;
  /**
   * A `runAsync` begins, and asks for its lock in this turn of the event loop. Returns the function that it runs while
   * it holds the lock.
   */
  runs(body: Body): Body;
  /** The `runAsync` has asked. */
  runAsked(): void;
  waitBegins(wait: ObservedWait): void;
  waitEnds(wait: ObservedWait, ending: WaitEnding): void;
  reclaimBegins(reclaim: ObservedReclaim): void;
  reclaimEnds(reclaim: ObservedReclaim, report: object | undefined): void;
}

/** A tool that follows nothing. Tools extend it. */
export class IdleTool implements Tool {
  readonly followsAll: boolean = true;

  opened(_ref: BlockRef, _instance: object): void {
    // Nothing to do.
  }
  holdAsked(_primitive: UsedPrimitive, _how: Manner, _slot: string, _isBounded: boolean): unknown {
    return undefined;
  }
  holdBegins(_primitive: UsedPrimitive, _permits: number, _slot: string, _asked: unknown): void {
    // Nothing to do.
  }
  holdFails(_primitive: UsedPrimitive, _asked: unknown): void {
    // Nothing to do.
  }
  holdEnds(_primitive: UsedPrimitive, _permits: number, _slot: string): void {
    // Nothing to do.
  }
  othersReleased(_primitive: UsedPrimitive): void {
    // Nothing to do.
  }
  runs(body: Body): Body {
    return body;
  }
  runAsked(): void {
    // Nothing to do.
  }
  waitBegins(_wait: ObservedWait): void {
    // Nothing to do.
  }
  waitEnds(_wait: ObservedWait, _ending: WaitEnding): void {
    // Nothing to do.
  }
  reclaimBegins(_reclaim: ObservedReclaim): void {
    // Nothing to do.
  }
  reclaimEnds(_reclaim: ObservedReclaim, _report: object | undefined): void {
    // Nothing to do.
  }
}

/** Several tools as one. */
class Tools implements Tool {
  readonly followsAll = true;
  readonly #tools: readonly Tool[];

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  opened(ref: BlockRef, instance: object): void {
    for (const tool of this.#tools) tool.opened(ref, instance);
  }

  holdAsked(primitive: UsedPrimitive, how: Manner, slot: string, isBounded: boolean): unknown {
    return this.#tools.map((tool) => tool.holdAsked(primitive, how, slot, isBounded));
  }

  holdBegins(primitive: UsedPrimitive, permits: number, slot: string, asked: unknown): void {
    this.#each(asked, (tool, own) => tool.holdBegins(primitive, permits, slot, own));
  }

  holdFails(primitive: UsedPrimitive, asked: unknown): void {
    this.#each(asked, (tool, own) => tool.holdFails(primitive, own));
  }

  holdEnds(primitive: UsedPrimitive, permits: number, slot: string): void {
    for (const tool of this.#tools) tool.holdEnds(primitive, permits, slot);
  }

  othersReleased(primitive: UsedPrimitive): void {
    for (const tool of this.#tools) tool.othersReleased(primitive);
  }

  runs(body: Body): Body {
    let outer = body;
    for (const tool of this.#tools) outer = tool.runs(outer);
    return outer;
  }

  runAsked(): void {
    for (const tool of this.#tools) tool.runAsked();
  }

  waitBegins(wait: ObservedWait): void {
    for (const tool of this.#tools) tool.waitBegins(wait);
  }

  waitEnds(wait: ObservedWait, ending: WaitEnding): void {
    for (const tool of this.#tools) tool.waitEnds(wait, ending);
  }

  reclaimBegins(reclaim: ObservedReclaim): void {
    for (const tool of this.#tools) tool.reclaimBegins(reclaim);
  }

  reclaimEnds(reclaim: ObservedReclaim, report: object | undefined): void {
    for (const tool of this.#tools) tool.reclaimEnds(reclaim, report);
  }

  /** Calls each tool with what it returned when it was asked. */
  #each(asked: unknown, call: (tool: Tool, own: unknown) => void): void {
    const own = asked as readonly unknown[] | undefined;
    for (const [at, tool] of this.#tools.entries()) call(tool, own?.[at]);
  }
}

const all: Tool[] = [];

/** The tools of this thread, as one. Compare it before what `holdAsked` returned is passed on: tools come and go. */
export let active: Tool | undefined;

/** Adds a tool. */
export function addTool(tool: Tool): void {
  all.push(tool);
  combine();
}

/** Removes a tool. Does nothing if it is not there. */
export function removeTool(tool: Tool): void {
  const at = all.indexOf(tool);
  if (at < 0) return;
  all.splice(at, 1);
  combine();
}

function combine(): void {
  active = all.length > 1 ? new Tools([...all]) : all[0];
}
