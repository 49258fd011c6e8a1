// The connection of a member to the server of another process, and the calls that have no answer yet.

import type { Socket } from 'node:net';
import { Interrupted } from '@sluice/remote/internal';
import { FORMAT } from '@sluice/remote/steps';
import { LocalError } from '../folder/errors.ts';
import { frameOf, readFrames } from '../server/frames.ts';

/** Whether a member serves: it does, it does not, or it serves another version. */
export type Greeting =
  | { readonly kind: 'serves'; readonly epoch: number }
  | { readonly kind: 'idle' | 'format' | 'silent'; readonly there: string };

interface Pending {
  readonly resolve: (words: string[]) => void;
  readonly reject: (reason: Error) => void;
  readonly sent: number;
}

export interface LinkOptions {
  /** The time after which a server that answers nothing is given up, in ms. */
  readonly patienceMs: number;
  readonly onMessage: (session: string, text: string) => void;
  /** Called once, when the connection has ended or the server does not answer. `isSilent`: it does not answer. */
  readonly onEnd: (isSilent: boolean) => void;
}

export class Link {
  readonly #socket: Socket;
  readonly #options: LinkOptions;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #timer: NodeJS.Timeout | undefined;
  #heard = 0;
  #ended = false;
  #onGreeting: ((greeting: Greeting) => void) | undefined;

  constructor(socket: Socket, options: LinkOptions) {
    this.#socket = socket;
    this.#options = options;
    readFrames(
      socket,
      (messages) => {
        this.#heard++;
        for (const message of messages) this.#take(message);
      },
      () => this.#end(false),
    );
    socket.once('close', () => this.#end(false));
  }

  /** Greets the server. The socket must be connected. */
  greet(member: string): Promise<Greeting> {
    return new Promise((resolve) => {
      this.#onGreeting = resolve;
      this.#socket.write(frameOf(['hello', FORMAT, member]));
      this.#arm();
    });
  }

  /** Sends a step. Rejects with `Interrupted` if the connection ends before the answer. */
  call(words: readonly (string | number)[]): Promise<string[]> {
    if (this.#ended) return Promise.reject(new Interrupted('the connection to the serving process has ended'));
    return new Promise((resolve, reject) => {
      const number = ++this.#last;
      this.#pending.set(number, { resolve, reject, sent: performance.now() });
      this.#socket.write(frameOf([number, ...words]));
      this.#arm();
    });
  }

  close(): void {
    this.#end(false);
  }

  #take([what, ...rest]: readonly unknown[]): void {
    if (typeof what === 'number') return this.#answered(what, rest);
    if (what === 'say') return this.#options.onMessage(String(rest[0]), String(rest[1]));
    if (what === 'welcome') this.#greeted({ kind: 'serves', epoch: Number(rest[0]) });
    if (what === 'format') this.#greeted({ kind: 'format', there: String(rest[0]) });
    if (what === 'wrong') this.#end(false);
  }

  #answered(number: number, [first, ...rest]: readonly unknown[]): void {
    const call = this.#pending.get(number);
    this.#pending.delete(number);
    if (first === null) call?.reject(new LocalError(`The serving process: ${String(rest[0])}`));
    else call?.resolve([first, ...rest].map(String));
  }

  #greeted(greeting: Greeting): void {
    this.#onGreeting?.(greeting);
    this.#onGreeting = undefined;
  }

  /** Begins to look whether the server answers, if that is not under way. */
  #arm(): void {
    if (this.#timer !== undefined || this.#ended) return;
    this.#timer = setTimeout(() => this.#look(), this.#options.patienceMs);
    this.#timer.unref();
  }

  #look(): void {
    this.#timer = undefined;
    const [first] = this.#pending.values();
    if (first === undefined && this.#onGreeting === undefined) return;
    const heard = this.#heard;
    const waited = first === undefined ? Infinity : performance.now() - first.sent;
    if (waited < this.#options.patienceMs) return this.#arm();
    // This process may have been busy itself, and the answers may be here already. Sockets are read in between.
    setImmediate(() =>
      setImmediate(() => {
        if (this.#heard === heard) this.#end(true);
        else this.#arm();
      }),
    );
  }

  #end(isSilent: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#socket.destroy();
    this.#greeted({ kind: isSilent ? 'silent' : 'idle', there: '' });
    const interrupted = new Interrupted(
      isSilent
        ? `the serving process did not answer within ${this.#options.patienceMs} ms`
        : 'the connection to the serving process has ended',
    );
    for (const { reject } of this.#pending.values()) reject(interrupted);
    this.#pending.clear();
    this.#options.onEnd(isSilent);
  }
}
