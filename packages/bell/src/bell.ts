// The bell, as one agent sees it.

import type { WaitingPolicy } from '@sluice/core';
import { asCorrupt, checkInteger, createLine, handleTo, IDLE, mayRetry, openLine, PlacedLine, RACED, type LineShape, type LockOptions, type Place, type PrimitiveHandle } from '@sluice/core/internal';
import { BELL, type BellKernel, type BellSteps } from './kinds.ts';
import { reportBell, type BellReport } from './report.ts';

export type BellHandle = PrimitiveHandle<'sluice.bell'>;
export type BellOptions = LockOptions;

const SHAPE: LineShape<BellSteps> = {
  kind: BELL,
  className: 'Bell',
  what: 'The bell',
  late: 'did not ring',
  untouched: 'It was not changed.',
  ordered: true,
  blame: () => [],
  manner: {},
  visit: ({ context, address, tag }) => {
    const kernel = context.kernel as BellKernel;
    return (mayWait) => kernel.enqueueAtBell(address, tag, context.agent, mayWait);
  },
};

let construct: (place: Place, policy: WaitingPolicy) => Bell;

export class Bell extends PlacedLine {
  readonly handle: BellHandle;
  readonly #ring: BellKernel['ringBell'];

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    super(place, policy, SHAPE);
    this.#ring = (this.context.kernel as BellKernel).ringBell;
    this.handle = handleTo('sluice.bell', place, BELL.kernel.id);
  }

  static create(options: BellOptions = {}): Bell {
    return construct(...createLine(BELL, options, SHAPE.manner, () => undefined));
  }

  static from(handle: BellHandle, options: Pick<BellOptions, 'policy'> = {}): Bell {
    return construct(...openLine(BELL, handle, options));
  }

  ring(n = 1): void {
    checkInteger('The number to admit', n, 1, 0x7fffffff);
    let left: ReturnType<BellSteps['ringBell']>;
    let tries = 0;
    try {
      do left = this.#ring(this.place.address, this.localState.tag, this.context.agent, n);
      while (left === RACED && mayRetry(++tries));
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (left !== IDLE) this.wake(left);
  }

  inspect(): BellReport {
    return reportBell(this.place, this.reportLine());
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { waiting: this.waiting };
  }
}

export function bellAt(place: Place, policy: WaitingPolicy): Bell {
  return construct(place, policy);
}
