// The calls of one session. A call that the connection interrupts is sent again with the next generation. The server refuses what an old
// connection still delivers.

import { RETRY_MS } from './attach.ts';
import { Interrupted, type ScriptCaller } from './server.ts';
import { pause, type Timing } from './timing.ts';
import { Unanswered } from './unanswered.ts';

export interface Answer {
  readonly reply: string[];
  /** Whether the call was sent more than once, so that the reply may be that of a repetition. */
  readonly again: boolean;
}

/** What a call tells its session. */
interface Listener {
  /** Throws once the session has ended. */
  check(): void;
  /** The server does not know the session. */
  gone(): void;
  /** The connection broke: the first call that notices says so. */
  interrupted(): void;
}

export class Calls {
  generation = 1;
  readonly #caller: ScriptCaller;
  readonly #timing: Timing;
  readonly #id: string;
  readonly #listener: Listener;
  readonly #unanswered = new Unanswered();

  constructor(caller: ScriptCaller, timing: Timing, id: string, listener: Listener) {
    this.#caller = caller;
    this.#timing = timing;
    this.#id = id;
    this.#listener = listener;
  }

  /**
   * Calls an operation until it is answered. `wanted`: whether to send it again after an interruption.
   *
   * Rejects when the session ends, and with `Interrupted` if it is not wanted any more.
   */
  async call(operation: string, args: readonly (string | number)[], ref: boolean, wanted: () => boolean): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      this.#listener.check();
      const { generation } = this;
      try {
        const reply = await this.#unanswered.until(this.#caller.call([operation, this.#id, generation, ...args], ref));
        if (reply[0] === 'gone') this.#listener.gone();
        else if (reply[0] !== 'stale') return { reply, again: tries > 0 };
      } catch (failure) {
        if (!(failure instanceof Interrupted)) throw failure;
        // One break of the connection interrupts many calls: the first of them moves on to the next generation. Also if the call is not wanted
        // any more: the old connection may still deliver it after its cancel.
        if (generation === this.generation) {
          this.generation++;
          this.#listener.interrupted();
        }
        const isWanted = wanted();
        if (!isWanted) throw failure;
        await this.#unanswered.until(pause(this.#timing, RETRY_MS));
        // Meanwhile a message may have granted the wait, and its caller may have released it: another `acquire` would wait for no caller.
        if (!wanted()) throw failure;
      }
    }
  }

  /** The session ended: all calls without an answer reject. */
  end(reason: Error): void {
    this.#unanswered.rejectAll(reason);
  }
}
