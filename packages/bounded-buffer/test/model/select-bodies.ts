// Selections of one agent, and calls that decline a value that they could take.

import { AsyncLoop, ModelSignal } from '../../../core/test/model/async-loop.ts';
import { dropWish, noteWish } from './async-tape.ts';
import type { Ended } from './async-world.ts';
import type { BufferBody } from './buffer-world.ts';
import { valueOf } from './cells.ts';
import type * as Entry from './entry.ts';

export type Offer = 'take' | 'put';

const sideOf = (offer: Offer): 0 | 1 => (offer === 'take' ? 1 : 0);

/**
 * Runs `rounds` selections in turn, each from all of these sources in this order. `mayAbort`: an abort may end the
 * selections.
 */
export const selecting =
  (offers: readonly Offer[], { rounds = 1, mayAbort = false } = {}): BufferBody =>
  ({ core, ctx, buffer }) => {
    const { select, selectAsync } = core as typeof Entry;
    const loop = new AsyncLoop(ctx);
    const results: Ended[] = [];
    let isOver = false;
    const signal = mayAbort ? loop.mayAbort(new ModelSignal()) : undefined;
    const begin = (round: number): void => {
      const values = offers.map((_, n) => valueOf(ctx.index, round * offers.length + n));
      for (const [n, offer] of offers.entries()) noteWish(ctx.words, ctx.index, n, sideOf(offer), 1);
      const end = (ended: Ended | undefined): void => {
        for (const n of offers.keys()) dropWish(ctx.words, ctx.index, n);
        if (ended !== undefined) results.push(ended);
        isOver = ended === undefined || round + 1 === rounds;
        if (!isOver) begin(round + 1);
      };
      const sources = offers.map((offer, n) =>
        offer === 'take' ? select.take(buffer) : select.put(buffer, values[n] as number),
      );
      selectAsync(sources, { order: 'listed', ref: false, signal: signal as never }).then(
        ({ key, value }) => end({ side: sideOf(offers[key] ?? 'take'), values: [value ?? (values[key] as number)] }),
        (error: unknown) => {
          ctx.assert(mayAbort && error === 'aborted', `a selection failed with ${String(error)}`);
          end(undefined);
        },
      );
    };
    loop.run(
      () => begin(0),
      () => isOver,
    );
    return results;
  };

/** Starts an async call that declines when it could succeed. */
export const declining =
  (offer: Offer): BufferBody =>
  ({ core, ctx, buffer }) => {
    const { partsOf, putIfWanted, takeIfWanted } = core as typeof Entry;
    const loop = new AsyncLoop(ctx);
    let isOver = false;
    const end = (): void => {
      dropWish(ctx.words, ctx.index, 0);
      isOver = true;
    };
    loop.run(
      () => {
        const parts = partsOf(buffer);
        if (parts === undefined) throw new Error('no parts');
        const wrong = (): void => ctx.assert(false, 'a value was taken that was declined');
        const wants = (): boolean => false;
        noteWish(ctx.words, ctx.index, 0, sideOf(offer), 1);
        const call =
          offer === 'take'
            ? takeIfWanted(parts, { ref: false }, { wants, receive: wrong, fail: wrong })
            : putIfWanted(parts, valueOf(ctx.index, 0), { ref: false }, wants);
        call.then(end, (error: unknown) => ctx.assert(false, `the call failed with ${String(error)}`));
      },
      () => isOver,
    );
    return [] satisfies readonly Ended[];
  };
