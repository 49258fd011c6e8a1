// Bodies of agents at a buffer.

import { valueAt, puttingAt, tookAt } from './buffer-places.ts';
import type { BufferActor, BufferBody } from './buffer-world.ts';
import { producerOf, valueOf } from './cells.ts';

/** Checks that the value is in the buffer if `put` says so, and else not. */
function putIn({ ctx }: BufferActor, value: number, put: () => boolean): boolean {
  ctx.words.put32(puttingAt(ctx.index), value);
  const done = put();
  ctx.assert((ctx.words.get32(puttingAt(ctx.index)) === 0) === done, done ? `${value} is not in` : `${value} is in`);
  ctx.words.put32(puttingAt(ctx.index), 0);
  return done;
}

/** Checks that the taken values are those that were pushed at that position. */
function checkTaken({ ctx }: BufferActor, values: readonly number[]): void {
  const { words } = ctx;
  const first = words.get32(tookAt(ctx.index)) - 1;
  ctx.assert(first >= 0, `${values.join(' and ')} was taken, but is still in the buffer`);
  for (const [n, value] of values.entries()) {
    const expected = words.get32(valueAt(first + n));
    ctx.assert(value === expected, `${value} was taken instead of ${expected}`);
  }
  words.put32(tookAt(ctx.index), 0);
}

/** For each of the `units`, pushes a value of that many units. */
const each =
  (units: readonly number[], put: (actor: BufferActor, value: number) => boolean): BufferBody =>
  (actor) => {
    for (const [n, some] of units.entries()) {
      const value = valueOf(actor.ctx.index, n, some);
      putIn(actor, value, () => put(actor, value));
      actor.ctx.forget(n);
    }
  };

export const push = (...units: readonly number[]): BufferBody =>
  each(units, ({ buffer }, value) => {
    buffer.push(value);
    return true;
  });

/** As `push`, but each push may time out at any moment of its sleep. */
export const tryPush = (...units: readonly number[]): BufferBody =>
  each(units, ({ buffer }, value) => buffer.tryPush(value, 1));

/** Makes one non-blocking call. */
export const pushNow = (...units: readonly number[]): BufferBody =>
  each(units, ({ buffer }, value) => buffer.tryPush(value));

/** Pushes as many values at once as fit. */
export const pushMany =
  (count: number): BufferBody =>
  (actor) => {
    const values = [...Array(count).keys()].map((n) => valueOf(actor.ctx.index, n));
    for (let done = 0; done < count; ) {
      putIn(actor, values[done] ?? 0, () => {
        done += actor.buffer.pushMany(values.slice(done));
        return true;
      });
      actor.ctx.forget(done);
    }
  };

/** Takes values as `take` does, `times` times. */
const takeOut =
  (times: number, take: (actor: BufferActor) => readonly number[]): BufferBody =>
  (actor) => {
    for (let n = 0; n < times; n++) {
      const values = take(actor);
      if (values.length > 0) checkTaken(actor, values);
      actor.ctx.forget(n);
    }
  };

const asList = (value: number | undefined): readonly number[] => (value === undefined ? [] : [value]);

export const pop = (times = 1): BufferBody => takeOut(times, ({ buffer }) => [buffer.pop()]);
export const tryPop = (times = 1): BufferBody => takeOut(times, ({ buffer }) => asList(buffer.tryPop(1)));
export const popNow = (times = 1): BufferBody => takeOut(times, ({ buffer }) => asList(buffer.tryPop()));

/** Takes all values that are there, until it has enough. */
export const popMany =
  (count: number): BufferBody =>
  (actor) => {
    for (let left = count; left > 0; ) {
      const values = actor.buffer.popMany(left);
      checkTaken(actor, values);
      left -= values.length;
      actor.ctx.forget(left);
    }
  };

/** Returns whether the buffer was closed meanwhile. */
function orClosed({ core, ctx }: BufferActor, use: () => void): boolean {
  try {
    use();
    return false;
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_CLOSED')) throw error;
    // The value is not in the buffer, and was not taken.
    ctx.words.put32(puttingAt(ctx.index), 0);
    return true;
  }
}

/** Ends the body when the buffer is closed. */
export const untilClosed =
  (body: BufferBody): BufferBody =>
  (actor) => {
    if (orClosed(actor, () => body(actor))) actor.ctx.note('closed');
  };

export const close: BufferBody = ({ buffer }) => buffer.close();

/** Takes values until the end. Then none is left. */
export const drain: BufferBody = (actor) => {
  const { ctx, buffer } = actor;
  for (;;) {
    let value = 0;
    if (orClosed(actor, () => (value = buffer.pop()))) break;
    checkTaken(actor, [value]);
    ctx.forget(producerOf(value), value % 10);
  }
  ctx.forget();
  ctx.assert(buffer.length === 0, 'the end was reported, but values are left');
};

/** Runs bodies in turn. */
export const both =
  (...bodies: readonly BufferBody[]): BufferBody =>
  (actor) => {
    for (const body of bodies) body(actor);
  };
