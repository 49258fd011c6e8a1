// Calls of agents on a buffer, async and blocking. Each body returns the results of its calls.

import type { WaitOptions } from '@sluice/core';
import { AsyncLoop, ModelSignal } from '../../../core/test/model/async-loop.ts';
import { dropWish, hasTold, noteWish, tell } from './async-tape.ts';
import type { Ended } from './async-world.ts';
import type { BufferActor, BufferBody } from './buffer-world.ts';
import { valueOf } from './cells.ts';
import type * as Entry from './entry.ts';

export interface Call {
  readonly side: 0 | 1;
  /** The units of the first value, for which the call waits. */
  readonly units: number;
  /** The largest number of values that the call pushes or takes. */
  readonly most: number;
  readonly ends?: 'timeout' | 'abort' | undefined;
}
type Ends = Call['ends'];

export const push = (ends?: Ends, units = 1): Call => ({ side: 0, units, most: 1, ends });
export const pop = (ends?: Ends): Call => ({ side: 1, units: 1, most: 1, ends });
export const pushMany = (most: number, ends?: Ends): Call => ({ side: 0, units: 1, most, ends });
export const popMany = (most: number, ends?: Ends): Call => ({ side: 1, units: 1, most, ends });

function valuesOf({ ctx }: BufferActor, before: number, { side, units, most }: Call): number[] {
  return side === 1 ? [] : Array.from({ length: most }, (_, n) => valueOf(ctx.index, before + n, units));
}

/** Returns the code of an error with which a call may end. Other errors are defects. */
function reasonIn({ core, ctx }: BufferActor, error: unknown, { ends }: Call): string {
  if (core.hasCode(error, 'SLUICE_CLOSED')) return 'closed';
  if (ends === 'abort' && error === 'aborted') return 'aborted';
  if (ends === 'timeout' && core.hasCode(error, 'SLUICE_TIMEOUT')) return 'late';
  // The explorer stops agents by errors, and ignores this when it has done so.
  ctx.assert(false, `a call failed with ${error instanceof Error ? String(error.stack) : String(error)}`);
  return 'wrong';
}

function optionsOf(loop: AsyncLoop, { ends }: Call): WaitOptions {
  if (ends === 'timeout') return { timeout: 5, ref: false };
  return ends === 'abort' ? { signal: loop.mayAbort(new ModelSignal()) as never, ref: false } : { ref: false };
}

/** Not an `async` function: this file is not lowered. */
function begin(
  { buffer }: BufferActor,
  { side, most }: Call,
  values: readonly number[],
  options: WaitOptions,
): Promise<readonly number[]> {
  if (side === 1)
    return most === 1 ? buffer.popAsync(options).then((value) => [value]) : buffer.popManyAsync(most, options);
  if (most > 1) return buffer.pushManyAsync(values, options).then((count) => values.slice(0, count));
  return buffer.pushAsync(values[0] ?? 0, options).then(() => values);
}

/** Starts async calls of one agent in this order. */
export const calls =
  (...all: readonly Call[]): BufferBody =>
  (actor) =>
    beginAll(actor, all, optionsOf);

function beginAll(
  actor: BufferActor,
  all: readonly Call[],
  options: (loop: AsyncLoop, call: Call) => WaitOptions,
  failed?: (failure: string) => void,
): Ended[] {
  const { ctx } = actor;
  const loop = new AsyncLoop(ctx);
  const results: Ended[] = [];
  let over = 0;
  let before = 0;
  loop.run(
    () => {
      for (const [n, call] of all.entries()) {
        const values = valuesOf(actor, before, call);
        before += call.most;
        const end = (done: readonly number[], failure?: string): void => {
          dropWish(ctx.words, ctx.index, n);
          results[n] = { side: call.side, values: done, ...(failure === undefined ? {} : { failure }) };
          over += 1;
        };
        noteWish(ctx.words, ctx.index, n, call.side, call.units);
        begin(actor, call, values, options(loop, call)).then(end, (error: unknown) => {
          const failure = reasonIn(actor, error, call);
          failed?.(failure);
          end(values, failure);
        });
      }
    },
    () => over === all.length,
  );
  return results;
}

/** Makes a blocking call, and records that it has returned. */
export const andTell =
  (call: Call): BufferBody =>
  (actor) => {
    const ended = blocking(call)(actor);
    tell(actor.ctx.words);
    return ended;
  };

/** Returns a signal that records whether the call of `andTell` had returned at the abort. */
class NotingSignal extends ModelSignal {
  readonly #actor: BufferActor;
  wasLate = false;

  constructor(actor: BufferActor) {
    super();
    this.#actor = actor;
  }

  override abort(reason?: unknown): void {
    this.wasLate = hasTold(this.#actor.ctx.words);
    super.abort(reason);
  }
}

/**
 * Starts async calls of one agent. The last one may be aborted, and the budget of the event loop may run out at any of
 * them. A value that was there for the call before the abort wins.
 */
export const orAbort =
  (...all: readonly Call[]): BufferBody =>
  (actor) => {
    const signal = new NotingSignal(actor);
    return beginAll(
      actor,
      all,
      (loop, call) => {
        if (call === all[0]) Object.assign(actor.context, { budget: loop.budget(actor.core as typeof Entry) });
        if (call !== all.at(-1)) return { ref: false };
        return { signal: loop.mayAbort(signal) as never, ref: false };
      },
      (failure) =>
        actor.ctx.assert(failure === 'closed' || !signal.wasLate, 'a call was aborted after it could succeed'),
    );
  };

/** Makes blocking calls in turn. A call that may time out does so at any moment of its sleep. */
export const blocking =
  (...all: readonly Call[]): BufferBody =>
  (actor) => {
    const { ctx } = actor;
    let before = 0;
    return all.map((call, n): Ended => {
      const { side, units, most } = call;
      const values = valuesOf(actor, before, call);
      before += most;
      noteWish(ctx.words, ctx.index, n, side, units);
      let done: readonly number[] | undefined;
      let failure = 'late';
      try {
        done = block(actor, call, values);
      } catch (error) {
        failure = reasonIn(actor, error, call);
      }
      dropWish(ctx.words, ctx.index, n);
      return done === undefined ? { side, values, failure } : { side, values: done };
    });
  };

function block(
  { buffer }: BufferActor,
  { side, ends }: Call,
  values: readonly number[],
): readonly number[] | undefined {
  const [value = 0] = values;
  if (ends !== undefined) {
    if (side === 0) return buffer.tryPush(value, 1) ? values : undefined;
    const popped = buffer.tryPop(1);
    return popped === undefined ? undefined : [popped];
  }
  if (side === 1) return [buffer.pop()];
  buffer.push(value);
  return values;
}

/**
 * Runs a loop over the buffer that ends at any moment, even while its `next` waits. A value that was taken is in the
 * result of `next`.
 */
export const loopOnce: BufferBody = (actor) => {
  const { ctx, buffer } = actor;
  const loop = new AsyncLoop(ctx);
  const values: number[] = [];
  let over = 0;
  loop.run(
    () => {
      const stream = buffer[Symbol.asyncIterator]();
      const leave = loop.mayAbort(new ModelSignal());
      noteWish(ctx.words, ctx.index, 0, 1, 1);
      const end = (): void => {
        over += 1;
      };
      leave.addEventListener('abort', () => {
        // From here on the loop waits for nothing.
        dropWish(ctx.words, ctx.index, 0);
        void stream.return().then(end, end);
      });
      stream.next().then(
        ({ done, value }) => {
          if (done !== true) values.push(value);
          ctx.assert(done !== true || leave.aborted, 'the loop ended by itself');
          if (!leave.aborted) leave.abort();
          end();
        },
        (error: unknown) => ctx.assert(false, String(error)),
      );
    },
    () => over === 2,
  );
  return [{ side: 1, values }] satisfies readonly Ended[];
};

/** Claims a place, as a writer in place does, and starts an async pop before it publishes the value. */
export const popDuringClaim: BufferBody = (actor) => claimAndPop(actor, 0);

/** As `popDuringClaim`, after a push. */
export const pushThenPopDuringClaim: BufferBody = (actor) => {
  const { ctx, buffer } = actor;
  const first = valueOf(ctx.index, 0);
  noteWish(ctx.words, ctx.index, 0, 0, 1);
  buffer.push(first);
  dropWish(ctx.words, ctx.index, 0);
  return [{ side: 0, values: [first] }, ...claimAndPop(actor, 1)] satisfies readonly Ended[];
};

function claimAndPop(actor: BufferActor, before: number): readonly Ended[] {
  const { core, ctx, buffer } = actor;
  const loop = new AsyncLoop(ctx);
  const value = valueOf(ctx.index, before);
  const popped: number[] = [];
  loop.run(
    () => {
      const { keepLock, partsOf } = core as typeof Entry;
      const parts = partsOf(buffer);
      const side = parts?.sides[0];
      if (parts === undefined || side === undefined) throw new Error('no sides');
      const at = side.enter(1, Infinity);
      keepLock(parts, side, true);
      noteWish(ctx.words, ctx.index, 0, 1, 1);
      void begin(actor, pop(), [], { ref: false }).then(([taken = 0]) => {
        dropWish(ctx.words, ctx.index, 0);
        popped.push(taken);
      });
      ctx.assert(side.lock.isOwn, 'the lock was freed before the end of the claim');
      parts.store.write(at, value);
      keepLock(parts, side, false);
      side.commit(1, 1);
    },
    () => popped.length === 1,
  );
  return [
    { side: 0, values: [value] },
    { side: 1, values: popped },
  ];
}

export const close: BufferBody = ({ buffer }) => buffer.close();

export const closeSoon: BufferBody = ({ ctx, buffer }) => {
  const loop = new AsyncLoop(ctx);
  let isOver = false;
  loop.run(
    () => void buffer.closeAsync().then(() => (isOver = true)),
    () => isOver,
  );
};

/** Runs bodies in turn. */
export const both =
  (...bodies: readonly BufferBody[]): BufferBody =>
  (actor) =>
    bodies.map((body) => body(actor)).find((outcome) => outcome !== undefined);
