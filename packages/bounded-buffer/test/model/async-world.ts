// A buffer in a world in which agents may have several calls under way at once.
//
// The witness of the other worlds knows one call per agent. Here the bodies return the result of each call, and words
// record the calls that are under way (async-tape.ts).

import { DIED, type Context, type Words } from '@sluice/model';
import { loopOf } from '../../../core/test/model/async-loop.ts';
import { WAITING } from '../../../core/src/kernel/states.ts';
import { NEEDED } from '../../src/kernel/layout.ts';
import type { BufferKernel } from '../../src/sides/kinds.ts';
import type { Plan } from '../../../core/test/model/office-world.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { ASYNC_BYTES, wishesOf } from './async-tape.ts';
import {
  ahead,
  isClosed,
  lineAt,
  positionOf,
  puttingAt,
  SIDES,
  startOf,
  headsAt,
  unitsOf,
  valueAt,
} from './buffer-places.ts';
import { BufferWorld, type BufferActor, type BufferCore, type BufferSetup } from './buffer-world.ts';
import { Cells } from './cells.ts';

/** The result of a call: the values that it pushed or took, and its error. */
export interface Ended {
  readonly side: number;
  readonly values: readonly number[];
  readonly failure?: string;
}

/**
 * A value counts as pushed by the call that writes it. An agent writes the values of one call in order, before those of
 * its next call.
 */
class NotingCells extends Cells {
  readonly #words: Words;
  readonly #producerSide: number;

  constructor(ctx: Context, words: Words, room: number) {
    super(ctx, words, room);
    this.#words = ctx.words;
    this.#producerSide = puttingAt(ctx.index);
  }

  override write(position: number, value: number): void {
    super.write(position, value);
    if (this.#words.get32(this.#producerSide) === 0) this.#words.put32(this.#producerSide, value);
  }
}

export class AsyncBufferWorld extends BufferWorld {
  constructor(core: BufferCore, setup: BufferSetup) {
    super(core, { watched: false, inOrder: false, async: true, elements: 8, ...setup }, NotingCells);
  }

  override case(plan: Plan<BufferActor>): Case {
    const final: typeof plan.final = (words, outcomes) =>
      this.#checkCalls(words, outcomes) ?? plan.final?.(words, outcomes);
    const stuck = (words: Words, outcomes: readonly unknown[]): string | undefined => this.#checkWaits(words, outcomes);
    const { scenario, options } = super.case({ ...plan, final, ...(this.buffer.mayWait ? { stuck } : {}) });
    return { scenario: { ...scenario, bytes: ASYNC_BYTES }, options };
  }

  protected override kernel(ctx: Context): BufferKernel {
    const kernel = super.kernel(ctx);
    const { enqueueAtSideLock } = kernel;
    return {
      ...kernel,
      enqueueAtSideLock: (lock, tag, agent, mayWait) => {
        const result = enqueueAtSideLock(lock, tag, agent, mayWait);
        if (result === WAITING) loopOf(ctx)?.noteRefusal(lock);
        return result;
      },
    };
  }

  /**
   * Checks that each value went to one call, and that each call took values pushed after those of the agent's earlier
   * calls.
   */
  #checkCalls(words: Words, outcomes: readonly unknown[]): string | undefined {
    const origin = startOf(this.setup.start);
    const [put = 0, taken = 0] = SIDES.map((side) => ahead(positionOf(words, side), origin).values);
    const values = Array.from({ length: put }, (_, n) => words.get32(valueAt(n)));
    const out = new Set<number>();
    const isDead = outcomes.includes(DIED);
    for (const [agent, outcome] of outcomes.entries()) {
      if (!isEnded(outcome)) continue;
      const last = [-1, -1];
      for (const { side, values: own, failure } of outcome) {
        for (const value of own) {
          const place = values.indexOf(value);
          if (failure !== undefined) {
            if (side === 0 && place >= 0) return `${value} is in the buffer, and the push failed: ${failure}`;
            continue;
          }
          if (place < 0)
            return side === 0 ? `${value} was put in, and is lost` : `${value} was taken, but was never pushed`;
          if (place <= (last[side] ?? -1))
            return `a call of agent ${agent} was served before an earlier call of the agent`;
          last[side] = place;
          if (side === 0) continue;
          if (out.has(value)) return `${value} was taken twice`;
          if (place >= taken) return `${value} was taken, but is in the buffer`;
          out.add(value);
        }
      }
    }
    // NEEDED belongs to the head of the line.
    const left = SIDES.find((side) => headsAt(words, side) === 0 && words.get32(lineAt(side) + NEEDED) !== 0);
    if (left !== undefined && !isDead && !isClosed(words))
      return `${words.get32(lineAt(left) + NEEDED)} units are needed, and the line has no head`;
    return out.size === taken || isDead
      ? undefined
      : `${taken} values were taken, but the calls returned ${out.size} of them`;
  }

  /** Checks that a call that waits forever wants units that are not there. */
  #checkWaits(words: Words, outcomes: readonly unknown[]): string | undefined {
    const rest =
      this.checkLocks(words) ??
      this.checkValues(words) ??
      this.checkDead(words, outcomes) ??
      this.#checkCalls(words, outcomes.map(orDied));
    if (rest !== undefined) return rest;
    const waits = wishesOf(words).filter(({ agent }) => outcomes[agent] !== DIED);
    if (waits.length === 0) return 'an agent waits, but none of its calls is under way';
    if (isClosed(words)) return `the buffer is closed, but a call of agent ${waits[0]?.agent} waits`;
    for (const side of SIDES) {
      const own = waits.filter((wait) => wait.side === side);
      const there = unitsOf(words, side);
      if (own.length > 0 && own.every(({ units }) => units <= there))
        return `${there} units are there, but a call of agent ${own[0]?.agent} waits for ${own[0]?.units}`;
    }
    return undefined;
  }
}

/** A stuck agent has not returned the results of its other calls. */
const orDied = (outcome: unknown): unknown => (isEnded(outcome) || outcome === undefined ? outcome : DIED);

function isEnded(outcome: unknown): outcome is readonly Ended[] {
  return Array.isArray(outcome);
}
