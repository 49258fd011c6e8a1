// A class of locks. Locks of one class are acquired in one order with respect to the other classes.

import type { ClassId } from './order-graph.ts';

/** The number of calls of each class whose stacks are kept: at first, and again each time that a place was missing. */
const STACKS = 64;

/** The part of a subject that its class needs. */
interface Quick {
  setQuick(isQuick: boolean): void;
}

export class LockClass {
  readonly id: ClassId;
  /** The same in all threads: the id of the arena, and the label. */
  readonly key: string;
  /** The name given to `create`, or ''. */
  readonly name: string;
  /** The number of calls whose stacks are still to be kept. */
  #stacks = STACKS;
  /** Its locks, and the readers of its read-write locks. */
  readonly #subjects: Quick[] = [];

  constructor(id: ClassId, key: string, name: string) {
    this.id = id;
    this.key = key;
    this.name = name;
  }

  /** How reports name it. */
  get label(): string {
    return labelOf(this.key);
  }

  addSubject(subject: Quick): void {
    this.#subjects.push(subject);
  }

  /** Whether the stack of this call is to be kept. Counts it. */
  takeStack(): boolean {
    if (this.#stacks === 0) return false;
    this.#stacks -= 1;
    if (this.#stacks === 0) this.#setQuick();
    return true;
  }

  /** Keeps the stacks of the next calls, because one was missing. */
  keepStacks(): void {
    this.#stacks = STACKS;
    this.#setQuick();
  }

  #setQuick(): void {
    for (const subject of this.#subjects) subject.setQuick(this.#stacks === 0);
  }
}

/** Returns what reports say for the key of a class. */
export function labelOf(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}
