// The edges of the order that all threads of the program know, and the reports of cycles among them.

import { printable } from '@sluice/core/calls';
import type { Place } from '../observe/call-place.ts';
import type { HoldMode, UsedPrimitive } from '../observe/used-primitive.ts';
import { labelOf } from './lock-class.ts';
import type { LockClasses } from './lock-classes.ts';
import { OrderGraph, type OrderEdge } from './order-graph.ts';
import type { SharedTable } from '../tables/shared-table.ts';
import { cycleOf, type OrderStep, type OrderViolation } from './violation.ts';

/** One end of an edge. */
export interface End {
  /** The key of the class, or of one lock of it. */
  readonly key: string;
  /** How it was held, or asked for. */
  readonly mode: HoldMode;
  readonly stack: readonly Place[];
}

type Frame = readonly [file: string, line: number, within: string];

/** An edge as it is in the table. */
interface EdgeEntry {
  readonly t: 'edge';
  readonly thread: string;
  readonly held: string;
  readonly holds: HoldMode;
  readonly heldAt: readonly Frame[];
  readonly asked: string;
  readonly asks: HoldMode;
  readonly askedAt: readonly Frame[];
}

interface ExcludedEntry {
  readonly t: 'excluded';
  readonly key: string;
}

type Edge = OrderEdge<OrderStep>;

/** How many callers are kept, in the order in which it is tried whether the table has room for them. */
const FRAMES = [8, 4, 2, 1, 0];

export class Edges {
  readonly #table: SharedTable;
  readonly #classes: LockClasses;
  readonly #graph = new OrderGraph<OrderStep>();
  readonly #report: (violation: OrderViolation) => void;
  readonly #keys = new Map<number, string>();

  constructor(table: SharedTable, classes: LockClasses, report: (violation: OrderViolation) => void) {
    this.#table = table;
    this.#classes = classes;
    this.#report = report;
  }

  /** Returns what reports tell of an edge. */
  static step(thread: string, held: End, asked: End): OrderStep {
    return {
      thread,
      held: labelOf(held.key),
      heldAt: held.stack,
      asked: labelOf(asked.key),
      askedAt: asked.stack,
    };
  }

  /** Adds an edge, and reports a cycle that it closes. `isShared`: whether the other threads learn of it. */
  add(thread: string, held: End, asked: End, isShared: boolean): void {
    const step = Edges.step(thread, held, asked);
    const edge = this.#edge(held.key, held.mode, asked.key, asked.mode, step);
    this.#read();
    if (!this.#isNews(edge)) return;
    if (isShared) this.#table.append(...FRAMES.map((frames) => entryOf(thread, held, asked, frames)));
    // After its own entry: of two threads that close a cycle, the second one reads the entry of the first.
    this.#read();
    const after = this.#graph.cycleThrough(edge);
    if (after === undefined) return;
    const cycle = [edge, ...after];
    const classes = cycle.map((each) => each.held).map((id) => this.#keys.get(id) ?? '');
    if (this.#table.isFirst([...classes].sort().join('\n'))) this.#report(cycleOf(cycle.map((each) => each.step)));
  }

  /** Gives up a class in all threads: its permits are not those of a lock. */
  exclude(key: string): void {
    this.#read();
    const { id } = this.#classes.withKey(key);
    if (this.#graph.isExcluded(id)) return;
    this.#graph.exclude(id);
    this.#table.append({ t: 'excluded', key } satisfies ExcludedEntry);
  }

  #edge(held: string, holds: HoldMode, asked: string, asks: HoldMode, step: OrderStep): Edge {
    return { held: this.#id(held), holds, asked: this.#id(asked), asks, step };
  }

  #id(key: string): number {
    const { id } = this.#classes.withKey(key);
    this.#keys.set(id, key);
    return id;
  }

  /** Adds the edge. Returns whether the graph did not have it, or did not know where its lock was acquired. */
  #isNews(edge: Edge): boolean {
    const known = this.#graph.add(edge);
    if (known === edge) return true;
    if (known.step.heldAt.length > 0 || edge.step.heldAt.length === 0) return false;
    known.step = edge.step;
    return true;
  }

  #read(): void {
    this.#table.read((entry) => this.#take(entry as EdgeEntry | ExcludedEntry | { readonly t: 'class' }));
  }

  #take(entry: EdgeEntry | ExcludedEntry | { readonly t: 'class' }): void {
    if (entry.t === 'excluded') this.#graph.exclude(this.#classes.withKey(entry.key).id);
    if (entry.t !== 'edge') return;
    const { thread, held, heldAt, asked, askedAt } = entry;
    const step: OrderStep = {
      thread,
      held: labelOf(held),
      heldAt: heldAt.map(placeOf),
      asked: labelOf(asked),
      askedAt: askedAt.map(placeOf),
    };
    this.#isNews(this.#edge(held, entry.holds, asked, entry.asks, step));
  }
}

function entryOf(thread: string, held: End, asked: End, frames: number): EdgeEntry {
  const frameOf = ({ file, line, within }: Place): Frame => [file, line, within];
  return {
    t: 'edge',
    thread,
    held: held.key,
    holds: held.mode,
    heldAt: held.stack.slice(0, frames).map(frameOf),
    asked: asked.key,
    asks: asked.mode,
    askedAt: asked.stack.slice(0, frames).map(frameOf),
  };
}

function placeOf([file, line, within]: Frame): Place {
  return { file, line, within };
}

/**
 * Returns the key of one lock of a class. `slot`: the key of a lock of a key, or ''. The tag tells the lock from an older
 * one at the same address.
 */
export function keyOfOne(
  classKey: string,
  slot: string,
  { address, tag }: Pick<UsedPrimitive, 'address' | 'tag'>,
): string {
  return slot === '' ? `${classKey} at address ${address} (${tag})` : `${classKey}, key '${printable(slot)}'`;
}
