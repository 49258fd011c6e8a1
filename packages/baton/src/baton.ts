// The baton, as one agent sees it.

import { MisuseError, type WaitingPolicy } from '@sluice/core';
import {
  asCorrupt,
  checkInteger,
  createLine,
  FOREIGN,
  handleTo,
  holdersOf,
  IDLE,
  mayRetry,
  OFFICE,
  openLine,
  PlacedLine,
  RACED,
  type LineShape,
  type LockOptions,
  type Place,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { VALUE } from './kernel/layout.ts';
import { BATON, type BatonKernel, type BatonSteps } from './kinds.ts';
import { reportBaton, valueAt, type BatonReport } from './report.ts';

export type BatonHandle = PrimitiveHandle<'sluice.baton'>;
export type BatonOptions = LockOptions;

const SHAPE: LineShape<BatonSteps> = {
  kind: BATON,
  className: 'Baton',
  what: 'The baton',
  late: 'was not passed on',
  untouched: 'It was not taken.',
  ordered: true,
  state: (place) => `value ${valueAt(place)}`,
  blame: (place) => [{ how: 'held', agents: holdersOf(place.context, place) }],
  manner: { recorded: true },
  visit: ({ context, address, tag }) => {
    const kernel = context.kernel as BatonKernel;
    return (mayWait, entry) => kernel.enqueueAtBaton(address, tag, context.agent, entry, mayWait);
  },
};

let construct: (place: Place, policy: WaitingPolicy) => Baton;

/** A value that passes from thread to thread in order. One agent at a time holds it. */
export class Baton extends PlacedLine {
  readonly handle: BatonHandle;
  readonly #pass: BatonKernel['passBaton'];

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    super(place, policy, SHAPE);
    this.#pass = (this.context.kernel as BatonKernel).passBaton;
    this.handle = handleTo('sluice.baton', place, BATON.kernel.id);
  }

  static create(value = 0, options: BatonOptions = {}): Baton {
    checkInteger('The value', value, 0, 0x7fffffff);
    return construct(
      ...createLine(BATON, options, SHAPE.manner, (words, line) => {
        words.put32(line + VALUE, value);
        words.put32(line + OFFICE, 1);
      }),
    );
  }

  static from(handle: BatonHandle, options: Pick<BatonOptions, 'policy'> = {}): Baton {
    return construct(...openLine(BATON, handle, options));
  }

  get value(): number {
    this.checkThere();
    return valueAt(this.place);
  }

  /** Waits for the baton and returns its value. */
  take(): number {
    this.wait();
    return this.value;
  }

  pass(value: number): void {
    checkInteger('The value', value, 0, 0x7fffffff);
    const { tag, entry } = this.localState;
    let left: ReturnType<BatonSteps['passBaton']>;
    let tries = 0;
    try {
      do left = this.#pass(this.place.address, tag, this.context.agent, entry, value);
      while (left === RACED && mayRetry(++tries));
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (left === FOREIGN) throw new MisuseError(`${this.toString()} cannot be passed: this agent does not hold it. It was not changed.`);
    if (left !== IDLE) this.wake(left);
  }

  inspect(): BatonReport {
    return reportBaton(this.place, this.reportLine());
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { value: this.value, waiting: this.waiting };
  }
}

/** A baton over words that exist already: for models. */
export function batonAt(place: Place, policy: WaitingPolicy): Baton {
  return construct(place, policy);
}
