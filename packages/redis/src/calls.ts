// The calls of one session. A call that the connection interrupts is sent again with the next generation. The server
// refuses what an old connection still delivers.

import { messageOf } from '@sluice/core/internal';
import { RETRY_MS } from './attach.ts';
import { RedisError } from './errors.ts';
import { Interrupted, type ScriptCaller } from './server.ts';
import { pause, type Timing } from './timing.ts';
import { Unanswered } from './unanswered.ts';

export interface Answer {
  readonly reply: string[];
  /** Whether the call was sent more than once, so that the reply may be that of a repetition. */
  readonly again: boolean;
}

/** If the server refuses one of these, it keeps something that this process has given up. */
const GIVES_BACK: readonly string[] = ['release', 'cancel', 'recall', 'mine'];

/** What a call tells its session. */
interface Listener {
  /** Throws once the session has ended. */
  check(): void;
  /** The server does not know the session. */
  gone(): void;
  /** The connection broke: the first call that notices says so. */
  interrupted(): void;
  /** The server refused a call, and may have something that this process does not know of. */
  doubtful(): void;
}

export class Calls {
  generation = 1;
  readonly #caller: ScriptCaller;
  readonly #timing: Timing;
  readonly #id: string;
  readonly #listener: Listener;
  readonly #unanswered = new Unanswered();
  #failure: string | undefined;

  constructor(caller: ScriptCaller, timing: Timing, id: string, listener: Listener) {
    this.#caller = caller;
    this.#timing = timing;
    this.#id = id;
    this.#listener = listener;
  }

  /** Why the last call failed, in parentheses; empty if it was answered. */
  get failure(): string {
    return this.#failure === undefined ? '' : ` (the last call failed: ${this.#failure})`;
  }

  /**
   * Calls an operation until it is answered. `wanted`: whether to send it again after an interruption.
   *
   * Rejects when the session ends, and with `Interrupted` if it is not wanted any more.
   */
  async call(
    operation: string,
    args: readonly (string | number)[],
    ref: boolean,
    wanted: () => boolean,
  ): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      this.#listener.check();
      const { generation } = this;
      try {
        const reply = await this.#unanswered.until(this.#caller.call([operation, this.#id, generation, ...args], ref));
        this.#failure = undefined;
        if (reply[0] === 'gone') this.#listener.gone();
        else if (reply[0] !== 'stale') return { reply, again: tries > 0 };
      } catch (failure) {
        if (failure instanceof Interrupted || failure instanceof RedisError) this.#failure = messageOf(failure);
        // A call that was sent before may have been made then.
        if (failure instanceof RedisError && (tries > 0 || GIVES_BACK.includes(operation))) this.#listener.doubtful();
        if (!(failure instanceof Interrupted)) throw failure;
        // One break of the connection interrupts many calls: the first of them moves on to the next generation. Also if
        // the call is not wanted any more: the old connection may still deliver it after its cancel.
        if (generation === this.generation) {
          this.generation++;
          this.#listener.interrupted();
        }
        const isWanted = wanted();
        if (!isWanted) throw failure;
        await this.#unanswered.until(pause(this.#timing, RETRY_MS));
        // Meanwhile a message may have granted the wait, and its caller may have released it: another `acquire` would
        // wait for no caller.
        if (!wanted()) throw failure;
      }
    }
  }

  /** The session ended: all calls without an answer reject. */
  end(reason: Error): void {
    this.#unanswered.rejectAll(reason);
  }
}
