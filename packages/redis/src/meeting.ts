// What a latch and a barrier over the server do alike: waits, changes, and a look at the server.

import { UnsupportedError, type WaitOptions } from '@sluice/core';
import { throwIfAborted } from '@sluice/core/internal';
import type { Change } from './changes.ts';
import { withPatience } from './patience.ts';
import type { RoundLine } from './round-line.ts';
import { RoundWait, type Ending } from './round-wait.ts';
import type { Session } from './session.ts';
import type { Namespace } from './namespace.ts';
import type { Timing } from './timing.ts';

export class Meeting {
  readonly line: RoundLine;
  readonly #space: Namespace;
  readonly #timing: Timing;

  constructor(space: Namespace, timing: Timing, line: RoundLine) {
    this.#space = space;
    this.#timing = timing;
    this.line = line;
  }

  /** The session of this process. Throws `LeaseLostError` if the one before owned a part of this primitive. */
  async session(): Promise<Session> {
    const session = await this.#space.session();
    session.rounds.checkOwned(this.line);
    return session;
  }

  /** One wait; `undefined` if it may not wait and has to. */
  async wait(options: WaitOptions, acts = false): Promise<readonly [Session, Ending | undefined]> {
    const began = this.#timing.now();
    const session = await withPatience(this.session(), this.#timing, options, () =>
      this.line.timedOut(options.timeout ?? 0),
    );
    // The signal may have been aborted meanwhile.
    throwIfAborted(options.signal);
    return [session, await RoundWait.begin(session, this.#timing, this.line, options, acts, began)];
  }

  /**
   * One change, with the session that made it. Throws `MisuseError` if other processes make the primitive in another
   * size.
   */
  async change(what: string, n = 0, acts = false): Promise<Change & { readonly session: Session }> {
    const session = await this.session();
    const { reply, seq } = await session.changes.make('change', this.line, what, n, acts ? 1 : 0);
    const [answer, detail = '0', round = '0'] = reply;
    if (answer === 'cap') throw this.line.otherSize(detail);
    if (answer !== 'refused') session.rounds.own(this.line.key, Number(detail), Number(round));
    return { reply, seq, session };
  }

  async survey(): Promise<readonly string[]> {
    const { reply } = await (await this.#space.session()).call('survey', [this.line.key]);
    return reply;
  }

  blocks(instead: string): UnsupportedError {
    return new UnsupportedError(`${this.line.title} is on a server, so no thread can block on it: use ${instead}.`);
  }
}
