// A primitive on the server: the name of its keys, the arguments that create it, and its title.

import { ClosedError, MisuseError, TimeoutError } from '@sluice/core';
import { plural } from '@sluice/core/calls';
import type { OperationName } from '../engine/protocol.ts';

export interface LineOptions {
  /** The number of permits that exist. */
  readonly permits: number;
  /** The title for messages. Default: the class and the name. */
  readonly title?: string;
  /** Whether holders keep idle permits until another session asks. */
  readonly sticky?: boolean;
  /** An interval in ms, and the number of grants that it allows. Below 0: that any time of its length allows. */
  readonly every?: number;
  readonly starts?: number;
  /** Whether the permits of a dead session stay taken. */
  readonly signal?: boolean;
  /** Whether this process accepts another number of permits on the server. */
  readonly resizable?: boolean;
}

export class RemotePrimitive {
  /** The kind and the name: semaphores and mutexes of one name are two primitives. */
  readonly key: string;
  /** The title for messages, such as "Semaphore 'db'". */
  readonly title: string;
  readonly name: string;
  permits: number;
  readonly sticky: boolean;
  readonly signal: boolean;
  readonly resizable: boolean;
  /** Whether its permits become available with time (rate-line.ts). */
  readonly isRate: boolean = false;
  /** The operation that a wait calls. */
  readonly operation: OperationName = 'acquire';
  /** Called when another session waits for permits that this session holds. */
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

  /** The arguments with which the first call creates the primitive: its permits, and the rest in one word. */
  get made(): readonly [permits: number, rest: string] {
    return [this.permits, this.#rest];
  }

  /** The last arguments of a wait: those that create the primitive, and those of its operation. */
  get asked(): readonly (string | number)[] {
    return this.made;
  }

  timedOut(permits: number, ms: number): TimeoutError {
    return new TimeoutError(
      `${this.title}: timed out after ${ms} ms waiting for ${plural(permits, 'permit')}. No permit was taken.`,
    );
  }

  closed(): ClosedError {
    return new ClosedError(`${this.title} is closed. No permit was taken.`);
  }

  /** Creates the error of a refused acquire: the answer says that the server has the line with other numbers. */
  refused([, there = '']: readonly string[]): Error {
    return this.otherSize(there);
  }

  otherSize(there: string): MisuseError {
    return new MisuseError(
      `${this.title} has ${plural(Number(there), 'permit')} on the server, and this process made it with ${this.permits}. All processes must agree. No permit was taken.`,
    );
  }
}
