// Looks at an arena from the event loop of this thread.

import type { Arena } from '@sluice/core';
import { dispose, INSPECT, consoleText, refusePosting, setAlarm, type Alarm } from '@sluice/core/calls';
import { contextOf, type AgentContext } from '@sluice/core/internal';
import type { Onlooker } from '@sluice/core/report';
import { DEFAULT_LINES, reportText } from '../report/format-report.ts';
import { onlookerOf } from '../report/reader.ts';
import { describeWait, type StuckWait } from './stuck-wait.ts';
import { StuckWaits } from './stuck-waits.ts';
import { waitsIn } from './waits.ts';
import { SnapshotIndex } from '../report/snapshot-index.ts';

/** What `onStuck` has found. */
export interface StuckReport {
  /** The waits that have become too old. No later report has them. */
  readonly waits: readonly StuckWait[];
  /** The report of the whole arena, as `formatReport` returns it. */
  readonly text: string;
}

/** The watch that `onStuck` began, until `stop` or the end of a `using` block. */
export class StuckWatch {
  readonly #context: AgentContext;
  readonly #onlooker: Onlooker;
  readonly #waits: StuckWaits;
  readonly #listener: (report: StuckReport) => void;
  #alarm: Alarm | undefined;
  #stopped = false;

  /** @internal */
  constructor(arena: Arena, after: number, listener: (report: StuckReport) => void) {
    refusePosting(this);
    this.#context = contextOf(arena);
    this.#onlooker = onlookerOf(arena);
    this.#waits = new StuckWaits(after);
    this.#listener = listener;
    this.#lookIn(0);
  }

  /** Ends the watch: `listener` is not called after this. */
  stop(): void {
    this.#stopped = true;
    this.#alarm?.stop();
  }

  [INSPECT](): string {
    return consoleText('StuckWatch', () => ({ stopped: this.#stopped }));
  }

  [dispose](): void {
    this.stop();
  }

  #lookIn(ms: number): void {
    this.#alarm = setAlarm(ms, () => this.#look(), false);
  }

  #look(): void {
    // An agent that has left reports nothing.
    if (this.#context.hasLeft) {
      this.stop();
      return;
    }
    const report = this.#report();
    if (report !== undefined) this.#listener(report);
  }

  /** Sets the next look, before the listener is called: it may throw, or stop the watch. */
  #report(): StuckReport | undefined {
    const onlooker = this.#onlooker;
    const now = onlooker.parking.date();
    try {
      const { stuck, next } = this.#waits.look(() => waitsIn(onlooker), now);
      this.#lookIn(next);
      if (stuck.length === 0) return undefined;
      const index = new SnapshotIndex(onlooker);
      // A dead agent waits for nothing.
      const living = stuck.filter(({ agent }) => !index.dead.has(agent));
      if (living.length === 0) return undefined;
      const waits = living.map((wait) => describeWait(wait, index, now));
      return { waits, text: reportText(onlooker, DEFAULT_LINES, index) };
    } catch (failure) {
      // The arena is damaged.
      this.stop();
      throw failure;
    }
  }
}
