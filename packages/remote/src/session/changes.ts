// Changes that must not be made twice, such as adding permits to a signal or counting a latch down.
//
// Changes are made one after the other. The server recognizes a repetition by the number of the session's last change.

import type { ServerReply } from './session-calls.ts';
import type { OperationName } from '../engine/protocol.ts';

/** A primitive that a call creates if it does not exist. */
export interface Made {
  readonly key: string;
  readonly made: readonly (string | number)[];
}

export interface Change {
  readonly reply: readonly string[];
  readonly seq: number;
}

/** The operations of a session that changes use. */
interface Caller {
  nextSeq(): number;
  call(operation: OperationName, args: readonly (string | number)[]): Promise<ServerReply>;
}

export class Changes {
  readonly #session: Caller;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: Caller) {
    this.#session = session;
  }

  /** Makes a change. Rejects when the session ends, or if the server refuses the call. */
  make(operation: OperationName, { key, made }: Made, ...args: readonly (string | number)[]): Promise<Change> {
    const change = this.#last.then(async () => {
      const seq = this.#session.nextSeq();
      const { reply } = await this.#session.call(operation, [key, seq, ...args, ...made]);
      return { reply, seq };
    });
    this.#last = change.catch(() => undefined);
    return change;
  }
}
