// The continuation of a run behind its first scheduling point, as if no other agent ran. It changes nothing: at its end,
// the memory and the log are as they were at that point. What it finds are strides for the cache (recall.ts).

import { codeOf, type Answer, type Log } from './log.ts';
import type { Deed } from './deed.ts';
import * as op from './operation.ts';
import type { Session } from './session.ts';

/** The deeds that follow a log, and the operation at the scheduling point that they lead to. */
export interface Stretch {
  readonly a: number;
  readonly b: number;
  readonly deeds: Deed[];
  /** `undefined` if the body returned. */
  readonly operation: op.Operation | undefined;
  readonly outcome: unknown;
}

/** The length of a continuation, in scheduling points. A loop without end has no other bound. */
const LONGEST = 100;

export class Ahead {
  /** Whether the body is behind its first scheduling point. */
  isOn = false;
  readonly stretches: Stretch[] = [];
  readonly #session: Session;
  readonly #log: Log;
  #deeds: Deed[] = [];
  #mark = 0;
  #length = 0;
  #a = 0;
  #b = 0;

  constructor(session: Session, log: Log) {
    this.#session = session;
    this.#log = log;
  }

  /** Begins at the first scheduling point. `deeds` led to it. */
  begin(deeds: Deed[]): void {
    this.isOn = true;
    this.#deeds = deeds;
    this.#mark = this.#session.memory.mark;
    this.#length = this.#log.length;
  }

  /** Puts back what the continuation changed. Returns the deeds before it. */
  end(): Deed[] {
    this.isOn = false;
    this.#session.memory.undo(this.#mark);
    this.#log.length = this.#length;
    return this.#deeds;
  }

  /** Keeps the deeds since the last scheduling point. */
  keep(deeds: Deed[], operation: op.Operation | undefined, outcome?: unknown): void {
    this.stretches.push({ a: this.#a, b: this.#b, deeds, operation, outcome });
  }

  /**
   * Performs the operation. Returns its answer, or `undefined` if the continuation ends here: at a sleep, and where
   * another agent has to die first.
   */
  perform(operation: op.Operation): Answer | undefined {
    const answer = this.stretches.length < LONGEST ? this.#answer(operation) : undefined;
    this.#a = this.#log.hashA;
    this.#b = this.#log.hashB;
    return answer;
  }

  #answer({ kind, address, first, second }: op.Operation): Answer | undefined {
    const { memory } = this.#session;
    const code = codeOf(kind, address);
    const before = memory.mark;
    if (op.isWide(kind)) {
      const old = op.execute64(memory, kind, address, first as bigint, second as bigint);
      const answer = op.answers(kind) ? old : 0n;
      this.#log.append64(code, answer, op.answers(kind) && memory.mark === before);
      return answer;
    }
    if (kind <= op.DEAD) {
      const old = op.execute32(memory, kind, address, first as number, second as number);
      const answer = op.answers(kind) ? old : 0;
      this.#log.append32(code, answer, op.answers(kind) && memory.mark === before);
      return answer;
    }
    if (kind === op.WAIT && memory.read32(address) !== ((first as number) | 0)) {
      this.#log.appendWait(code, 'not-equal');
      return 'not-equal';
    }
    if (kind === op.NOTIFY) {
      const woken = Math.min(this.#session.sleepersAt(address), Number(first));
      this.#log.append32(code, woken, false);
      return woken;
    }
    if (kind === op.STEP || kind === op.CHOOSE) {
      this.#log.append32(codeOf(kind, 0), 0, kind === op.STEP);
      return 0;
    }
    return undefined;
  }
}
