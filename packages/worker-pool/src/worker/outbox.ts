// Reports the ends of a worker's tasks, through the buffer of results or as messages.

import type { BoundedBuffer } from '@sluice/bounded-buffer';
import { hasCode } from '@sluice/core';
import type { TaskCodec } from '../clone/task-codec.ts';
import type { WakeMessage } from '../shared/wake-message.ts';
import { movedOf } from './context.ts';
import { packFailure } from '../messages/failure.ts';
import type { Inbox } from './inbox.ts';
import { WAKE } from '../messages/messages.ts';
import { now as clock, timeOrigin } from '../platform/timers.ts';
import { FAILED, packResult, type ResultHead } from '../messages/wire.ts';

export class Outbox {
  readonly #results: BoundedBuffer<Uint8Array>;
  readonly #codec: TaskCodec;
  readonly #inbox: Inbox;
  readonly #wakeMessage: WakeMessage;
  /** The longest result in bytes that is put into the buffer. Longer results are sent as messages. */
  readonly #longest: number;

  constructor(
    results: BoundedBuffer<Uint8Array>,
    codec: TaskCodec,
    inbox: Inbox,
    wakeMessage: WakeMessage,
    longest: number,
  ) {
    this.#results = results;
    this.#codec = codec;
    this.#inbox = inbox;
    this.#wakeMessage = wakeMessage;
    this.#longest = longest;
  }

  /**
   * Sends a result. Returns `undefined` if it was sent at once. Throws if the result cannot be cloned; then nothing was
   * sent.
   */
  send(slot: number, flags: number, result: unknown, began: number): Promise<void> | undefined {
    const ended = now();
    const head = { slot, flags, began, ended };
    const bytes = movedOf(result) === undefined ? packResult(head, result, this.#codec, this.#longest) : undefined;
    if (bytes === undefined || bytes.length > this.#longest) this.#post(head, result);
    else if (this.#results.tryPush(bytes)) this.#wakeThread();
    else return this.#pushLater(bytes, head, result);
    return undefined;
  }

  async #pushLater(bytes: Uint8Array, head: ResultHead, result: unknown): Promise<void> {
    try {
      await this.#results.pushAsync(bytes);
    } catch {
      // If the buffer cannot take the result, it is sent as a message.
      this.#post(head, result);
      return;
    }
    this.#wakeThread();
  }

  #wakeThread(): void {
    if (this.#wakeMessage.claim()) this.#inbox.post(WAKE);
  }

  #post(head: ResultHead, result: unknown): void {
    const { value, transferList } = movedOf(result) ?? { value: result, transferList: [] };
    this.#inbox.post({ kind: 'value', value: this.#codec.toMessage(value, transferList) }, transferList);
    this.#inbox.post({ kind: 'result', ...head });
  }

  sendFailure(slot: number, thrown: unknown, began: number): Promise<void> | undefined {
    // Most failures can be sent, so the first attempt does not check their values.
    for (const check of [undefined, (value: unknown) => this.#codec.check(value)]) {
      try {
        return this.send(slot, FAILED, packFailure(thrown, check), began);
      } catch (failure) {
        if (hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      }
    }
    return this.send(slot, FAILED, packFailure(new Error('The task threw a value that cannot be cloned.')), began);
  }
}

/** The current time, in ms since 1970. */
export function now(): number {
  return timeOrigin + clock();
}
