// The slots of a limit that finds its size or sheds calls, as the limit's object uses them.

import { MisuseError, type Semaphore } from '@sluice/core';
import type { Tuner } from '../adaptive/tuner.ts';
import type { LimitHandle } from '../api/handle.ts';
import type { SlotsOfLimit } from '../calls/limit.ts';
import type { LimitReport } from '../api/report.ts';
import type { SizedSlots } from '../slots/sized-slots.ts';
import type { Control } from './control.ts';

export class ControlledSlots implements SlotsOfLimit {
  readonly semaphore: Semaphore;
  readonly handle: LimitHandle;
  readonly #slots: SizedSlots;
  readonly #control: Control;
  readonly #tuner: Tuner | undefined;

  constructor(slots: SizedSlots, control: Control, tuner: Tuner | undefined) {
    this.semaphore = slots.semaphore;
    this.handle = Object.freeze({ ...slots.handle, control: control.handle });
    this.#slots = slots;
    this.#control = control;
    this.#tuner = tuner;
  }

  get size(): number {
    return this.#slots.size;
  }

  resize(size: number): void {
    if (this.#tuner !== undefined)
      throw new MisuseError(
        `The concurrency of ${this.toString()} cannot be set: the limit is adaptive, and finds it itself.`,
      );
    this.#slots.resize(size);
  }

  report(): LimitReport {
    const shedding = this.#control.shedding();
    return {
      ...this.#slots.report(),
      ...(this.#tuner === undefined ? {} : { adaptive: this.#tuner.report() }),
      ...(shedding === undefined ? {} : { shedding }),
    };
  }

  close(): void {
    this.#slots.close();
  }

  free(): void {
    this.#slots.checkThere();
    if (this.#control.isHeld()) throw this.#slots.errors.inUse();
    this.#slots.free();
    this.#control.free();
  }

  toString(): string {
    return this.#slots.toString();
  }
}
