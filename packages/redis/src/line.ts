// One primitive on the server: its keys' name, how it is made there, and how messages name it.

import { ClosedError, MisuseError, TimeoutError } from '@sluice/core';
import { plural } from '@sluice/core/internal';

export interface LineOptions {
  /** How many permits exist. */
  readonly permits: number;
  /** What messages call it. Default: the class and the name. */
  readonly title?: string;
  /** Whether holders keep idle permits until another session asks. */
  readonly sticky?: boolean;
  /** An interval in ms, and how many grants it allows. */
  readonly every?: number;
  readonly starts?: number;
  /** Whether permits of a dead session stay taken. */
  readonly signal?: boolean;
  /** Whether another number of permits on the server is taken over. */
  readonly resizable?: boolean;
}

export class Line {
  /** The kind and the name: semaphores and mutexes of one name are two primitives. */
  readonly key: string;
  /** Such as "Semaphore 'db'". */
  readonly title: string;
  readonly name: string;
  permits: number;
  readonly sticky: boolean;
  readonly signal: boolean;
  readonly resizable: boolean;
  /** Whether its permits come with time (rate-line.ts). */
  readonly isRate: boolean = false;
  /** What a wait calls. */
  readonly operation: string = 'acquire';
  /** Called when another session waits for what this one holds. */
  onAsked: () => void = () => undefined;
  readonly #rest: string;

  constructor(kind: string, className: string, name: string, options: LineOptions) {
    this.key = `${kind}:${name}`;
    this.title = options.title ?? `${className} '${name}'`;
    this.name = name;
    this.permits = options.permits;
    this.sticky = options.sticky ?? false;
    this.signal = options.signal ?? false;
    this.resizable = options.resizable ?? false;
    this.#rest = `${this.sticky ? 1 : 0} ${options.every ?? 0} ${options.starts ?? 0} ${this.signal ? 1 : 0}`;
  }

  /** The arguments by which the first call makes the primitive: its permits, and all the rest in one word. */
  get made(): readonly [permits: number, rest: string] {
    return [this.permits, this.#rest];
  }

  timedOut(permits: number, ms: number): TimeoutError {
    return new TimeoutError(
      `${this.title}: timed out after ${ms} ms waiting for ${plural(permits, 'permit')}. No permit was taken.`,
    );
  }

  closed(): ClosedError {
    return new ClosedError(`${this.title} is closed. No permit was taken.`);
  }

  /** Why the server refused an acquire: its answer says that it has the line with other numbers. */
  refused([, there = '']: readonly string[]): Error {
    return this.otherSize(there);
  }

  otherSize(there: string): MisuseError {
    return new MisuseError(
      `${this.title} has ${plural(Number(there), 'permit')} on the server, and this process made it with ${this.permits}. All processes must agree. No permit was taken.`,
    );
  }
}
