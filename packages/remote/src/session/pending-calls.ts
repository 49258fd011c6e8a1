// Calls without an answer, which all fail when their session ends.

import { asError } from '@sluice/core/calls';

export class PendingCalls {
  readonly #rejections = new Set<(reason: Error) => void>();

  /**
   * Settles as `promise`, or rejects at `rejectAll`. A race with one long-lived promise would keep every call in
   * memory.
   */
  until<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (reason: Error): void => reject(reason);
      this.#rejections.add(end);
      promise.then(
        (value) => {
          this.#rejections.delete(end);
          resolve(value);
        },
        (reason: unknown) => {
          this.#rejections.delete(end);
          reject(asError(reason));
        },
      );
    });
  }

  rejectAll(reason: Error): void {
    for (const reject of [...this.#rejections]) reject(reason);
    this.#rejections.clear();
  }
}
