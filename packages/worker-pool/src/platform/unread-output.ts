// The output of a worker that the pool's thread has not read yet.
//
// Node.js sends the output of a worker through a port, piece by piece. It sends the next piece when the pool's thread
// asks for it. A result goes through shared memory and would overtake the pieces. So a worker reports the end of a task
// after the pool's thread has read all output.
//
// While the thread of the pool is blocked, it reads nothing. It may block until a task signals that this worker has yet
// to run. So the worker waits for a limited time. Then it tells the pool that its output is late. Until all output is
// read, it reports the ends of tasks without waiting.

import process from 'node:process';
import { Writable } from 'node:stream';
import { clearTimeout, setTimeout } from './timers.ts';

/**
 * The longest delay of a task's end by unread output, in ms. A thread that serves its event loop reads much earlier.
 */
const PATIENCE_MS = 100;

export type StandardStream = 'stdout' | 'stderr';

export interface UnreadOutputEvents {
  /** The pool's thread does not read. From now on the ends of tasks are reported before their output is read. */
  onLate(): void;
  /** All output has been read. */
  onRead(): void;
}

export class UnreadOutput {
  readonly #streams: readonly Writable[];
  readonly #events: UnreadOutputEvents;
  #isLate = false;

  constructor(
    names: readonly StandardStream[],
    events: UnreadOutputEvents,
    streams: Record<StandardStream, Writable> = process,
  ) {
    this.#streams = names.map((name) => streams[name]);
    this.#events = events;
  }

  /** Whether there is output that the pool's thread has not read. */
  get isUnread(): boolean {
    for (let n = 0; n < this.#streams.length; n++) if (isUnread(this.#streams[n] as Writable)) return true;
    return false;
  }

  /** Resolves when the output before this call has been read, or when the output is late. */
  async untilRead(): Promise<void> {
    if (this.#isLate) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#beLate();
        resolve();
      }, PATIENCE_MS);
    });
    await Promise.race([this.#barrier(), late]);
    clearTimeout(timer);
  }

  #beLate(): void {
    if (this.#isLate) return;
    this.#isLate = true;
    this.#events.onLate();
    void this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    while (this.isUnread) await this.#barrier();
    this.#isLate = false;
    this.#events.onRead();
  }

  /**
   * Writes an empty piece to each stream, and resolves when these were read. The callback is also called when a stream
   * ends otherwise.
   */
  async #barrier(): Promise<void> {
    const unread = this.#streams.filter(isUnread);
    // Not `stream.write`: a task may have replaced it by a function that does not call back.
    await Promise.all(
      unread.map(
        (stream) => new Promise<unknown>((resolve) => Writable.prototype.write.call(stream, '', 'utf8', resolve)),
      ),
    );
  }
}

/**
 * A corked stream keeps its pieces until the task uncorks it, and an ended stream sends nothing more. Neither counts as
 * unread.
 */
function isUnread(stream: Writable): boolean {
  return stream.writableLength > 0 && stream.writableCorked === 0 && stream.writable;
}
