// The channel on which the server tells a session of its grants. It is made afresh when it turns out to be broken
// without a sign.

import type { Listener, Port } from './clients/port.ts';
import type { Timing } from './timing.ts';

/** A message may be later than the answer of a heartbeat by so much. */
const LATE_MS = 200;

export class Channel {
  readonly #port: Port;
  readonly #timing: Timing;
  readonly #name: string;
  readonly #onMessage: (message: string) => void;
  readonly #onReady: () => void;
  /** Grants found by asking whose message has not come yet. */
  readonly #unannounced = new Set<number>();
  #listener: Listener | undefined;
  #opening = false;
  #closed = false;
  /** How often a grant was found by asking, and how often the channel was made afresh. */
  readonly counts = { found: 0, resubscribed: 0 };

  constructor(port: Port, timing: Timing, name: string, onMessage: (message: string) => void, onReady: () => void) {
    this.#port = port;
    this.#timing = timing;
    this.#name = name;
    this.#onMessage = onMessage;
    this.#onReady = onReady;
  }

  /** Subscribes on a new connection, and gives up the old one. */
  async open(): Promise<void> {
    const fresh = await this.#port.listen(this.#name, this.#onMessage, this.#onReady);
    this.#listener?.close();
    this.#listener = fresh;
    if (this.#closed) fresh.close();
  }

  close(): void {
    this.#closed = true;
    this.#listener?.close();
  }

  /** The message of a grant has come. */
  announced(seq: number): void {
    this.#unannounced.delete(seq);
  }

  /** A grant was found by asking. If its message does not follow, the channel is broken. */
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
