import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { offAbort, onAbort } from '../src/api/on-abort.ts';
import { Arena, Semaphore } from '../src/index.ts';

test('many waits with one signal share one listener, and its abort ends all of them', async () => {
  const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 4 }) });
  const controller = new AbortController();
  const { signal } = controller;
  const waits = Array.from({ length: 20 }, () => sem.acquireAsync(1, { signal }).catch((reason: unknown) => reason));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  sem.release(5);
  await Promise.all(waits.slice(0, 5));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  controller.abort('enough');
  expect((await Promise.all(waits)).filter((reason) => reason === 'enough')).toHaveLength(15);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a removed listener is not called, even if another listener of the same abort removed it', () => {
  const controller = new AbortController();
  const { signal } = controller;
  const called: string[] = [];
  const last = (): void => void called.push('last');
  onAbort(signal, () => {
    called.push('first');
    offAbort(signal, last);
  });
  onAbort(signal, last);
  const none = (): void => void called.push('none');
  onAbort(undefined, none);
  offAbort(undefined, none);
  offAbort(signal, none);
  controller.abort();
  expect(called).toEqual(['first']);
});

test('a signal that refused a listener has none and accepts a later one', () => {
  let refuses = true;
  class Refusing extends EventTarget {
    readonly aborted = false;
    override addEventListener(...args: Parameters<EventTarget['addEventListener']>): void {
      if (refuses) throw new Error('refused');
      super.addEventListener(...args);
    }
  }
  const signal = new Refusing() as unknown as AbortSignal;
  const act = (): void => undefined;
  expect(() => onAbort(signal, act)).toThrow(TypeError);
  refuses = false;
  onAbort(signal, act);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  offAbort(signal, act);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('onAbort() calls back in a later job if the signal is already aborted', async () => {
  const controller = new AbortController();
  controller.abort();
  const called: string[] = [];
  const ended = (): void => void called.push('of a wait that ended before');
  onAbort(controller.signal, () => called.push('of a wait'));
  onAbort(controller.signal, ended);
  offAbort(controller.signal, ended);
  expect(called).toEqual([]);
  await Promise.resolve();
  expect(called).toEqual(['of a wait']);
});

test('a signal that aborts while a wait adds its listener ends that wait', async () => {
  class Aborting extends EventTarget {
    aborted = false;
    override addEventListener(): void {
      this.aborted = true;
    }
  }
  const called: string[] = [];
  onAbort(new Aborting() as unknown as AbortSignal, () => called.push('of a wait'));
  await Promise.resolve();
  expect(called).toEqual(['of a wait']);
});

test('onAbort() removes its listener if reading `aborted` throws', () => {
  class Throwing extends EventTarget {
    get aborted(): boolean {
      throw new Error('no');
    }
  }
  const signal = new Throwing() as unknown as AbortSignal;
  expect(() => onAbort(signal, () => undefined)).toThrow(TypeError);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
