// The common part of a latch and a barrier over the server: waits, changes, and reports.

import { UnsupportedError, type WaitOptions } from '@sluice/core';
import { throwIfAborted } from '@sluice/core/calls';
import { NotRun } from '../engine/errors.ts';
import type { Change } from '../session/changes.ts';
import { withBounds } from '../session/wait-bounds.ts';
import type { RoundLine } from '../line/round-line.ts';
import { RoundWait, type RoundEnd } from '../session/round-wait.ts';
import type { Session } from '../session/session.ts';
import type { Namespace } from './namespace.ts';
import type { Timing } from '../engine/timing.ts';

export class RoundPrimitive {
  readonly line: RoundLine;
  readonly #space: Namespace;
  readonly #timing: Timing;

  constructor(space: Namespace, timing: Timing, line: RoundLine) {
    this.#space = space;
    this.#timing = timing;
    this.line = line;
  }

  /** Makes one wait. Resolves with `undefined` if the wait is not allowed to block and would have to. */
  async wait(options: WaitOptions, acts = false): Promise<readonly [Session, RoundEnd | undefined]> {
    const began = this.#timing.now();
    try {
      return await this.#wait(options, acts, began);
    } catch (failure) {
      if (!(failure instanceof NotRun)) throw failure;
      return this.#wait(options, acts, began);
    }
  }

  /**
   * Makes one change, and resolves with its result and the session that made it. Rejects with `MisuseError` if other
   * processes created the primitive with another size.
   */
  async change(what: string, n = 0, acts = false): Promise<Change & { readonly session: Session }> {
    return this.#space.inSession(async (session) => {
      session.rounds.checkOwned(this.line);
      const { reply, seq } = await session.changes.make('change', this.line, what, n, acts ? 1 : 0);
      const [answer, detail = '0', round = '0'] = reply;
      if (answer === 'cap') throw this.line.otherSize(detail);
      if (answer !== 'refused') session.rounds.own(this.line.key, Number(detail), Number(round));
      return { reply, seq, session };
    });
  }

  survey(): Promise<readonly string[]> {
    return this.#space.ask('survey', this.line.key);
  }

  blocks(instead: string): UnsupportedError {
    return new UnsupportedError(`${this.line.title} is on a server, so no thread can block on it: use ${instead}.`);
  }

  /**
   * Resolves with the session of this process. Rejects with `LeaseLostError` if the earlier session owned a part of
   * this primitive.
   */
  async #session(): Promise<Session> {
    const session = await this.#space.session();
    session.rounds.checkOwned(this.line);
    return session;
  }

  async #wait(options: WaitOptions, acts: boolean, began: number): Promise<readonly [Session, RoundEnd | undefined]> {
    const timedOut = (): Error => this.line.timedOut(options.timeout ?? 0);
    const session = await withBounds(this.#session(), this.#timing, options, timedOut, began);
    // The signal may have been aborted in the meantime.
    throwIfAborted(options.signal);
    return [session, await RoundWait.begin(session, this.#timing, this.line, options, acts, began)];
  }
}
