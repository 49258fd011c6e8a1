// The channel on which the server sends a session its grants. If the channel is found to be broken, the session
// subscribes anew.

import type { RemoteEngine, Listener } from '../engine/engine.ts';
import type { Timing } from '../engine/timing.ts';

/** A message may be this many ms later than the answer of a heartbeat. */
const LATE_MS = 200;

export class Channel {
  readonly #engine: RemoteEngine;
  readonly #timing: Timing;
  readonly #id: string;
  readonly #onMessage: (message: string) => void;
  readonly #onReady: () => void;
  /** Grants that were found by asking, and whose messages have not come yet. */
  readonly #unannounced = new Set<number>();
  #listener: Listener | undefined;
  #opening = false;
  #closed = false;
  /** The number of grants that were found by asking, and the number of new subscriptions. */
  readonly counts = { found: 0, resubscribed: 0 };

  constructor(
    engine: RemoteEngine,
    timing: Timing,
    id: string,
    onMessage: (message: string) => void,
    onReady: () => void,
  ) {
    this.#engine = engine;
    this.#timing = timing;
    this.#id = id;
    this.#onMessage = onMessage;
    this.#onReady = onReady;
  }

  /** Subscribes on a new connection, and gives up the old one. */
  async open(): Promise<void> {
    const fresh = await this.#engine.listen(this.#id, this.#onMessage, this.#onReady);
    this.#listener?.close();
    this.#listener = fresh;
    if (this.#closed) fresh.close();
  }

  close(): void {
    this.#closed = true;
    this.#listener?.close();
  }

  /** Called when the message of a grant has come. */
  announced(seq: number): void {
    this.#unannounced.delete(seq);
  }

  /** Called when a grant was found by asking. If its message does not follow, the channel is broken. */
  found(seq: number): void {
    this.counts.found++;
    this.#unannounced.add(seq);
    this.#timing.after(LATE_MS, () => this.#doubt(seq), false);
  }

  #doubt(seq: number): void {
    if (!this.#unannounced.delete(seq) || this.#opening || this.#closed) return;
    this.#opening = true;
    this.counts.resubscribed++;
    this.open()
      .then(this.#onReady, () => undefined)
      .finally(() => (this.#opening = false));
  }
}
