import { expect, test } from 'vitest';
import { ending, rejection } from '../observe.ts';
import type { CreateSemaphore } from '../semaphore-suite.ts';
import type { Traits } from './traits.ts';

const CLOSED = { name: 'ClosedError', code: 'SLUICE_CLOSED' };

/** The end of a semaphore. */
export function closing(create: CreateSemaphore, { barging, gathers, size }: Traits): void {
  test('close ends every wait with a ClosedError, also in the middle of the line and behind a leaver', async () => {
    const sem = create(gathers ? 1 : 0);
    const controller = new AbortController();
    const waits = [3, 1, 1].map((permits) => rejection(sem.acquireAsync(size(permits))));
    const leaver = rejection(sem.acquireAsync(size(2), { signal: controller.signal }));
    const last = rejection(sem.acquireAsync(1, { timeout: 60_000 }));
    controller.abort(new Error('given up'));
    sem.close();
    for (const failure of await Promise.all([...waits, last])) expect(failure).toMatchObject(CLOSED);
    // At one that is barging a leaver looks once more, and may see that.
    expect(await leaver).toEqual(barging ? expect.anything() : new Error('given up'));
    expect(sem.waiting).toBe(0);
  });

  test('a closed semaphore refuses everything that takes permits, although some are free', async () => {
    const sem = create(2);
    sem.close();
    expect(() => sem.acquire()).toThrow(expect.objectContaining(CLOSED) as Error);
    expect(() => sem.tryAcquire()).toThrow(expect.objectContaining(CLOSED) as Error);
    expect(() => sem.tryAcquire(1, 5)).toThrow(expect.objectContaining(CLOSED) as Error);
    expect(() => sem.drain()).toThrow(expect.objectContaining(CLOSED) as Error);
    expect(await rejection(sem.acquireAsync())).toMatchObject(CLOSED);
  });

  test('permits can be released after close(), and no waiter gets them', async () => {
    const sem = create(1);
    sem.acquire();
    const waiter = rejection(sem.acquireAsync());
    sem.close();
    sem.release();
    expect(await waiter).toMatchObject(CLOSED);
  });

  test('closing again changes nothing', () => {
    const sem = create(1);
    sem.close();
    sem.close();
    expect(() => sem.acquire()).toThrow(expect.objectContaining(CLOSED) as Error);
  });

  // A barging semaphore grants nothing: a waiter that has not taken its permit before the close does not get it.
  test(`a ${barging ? 'permit that no agent had taken' : 'grant'} before close ${barging ? 'is lost' : 'wins'}`, async () => {
    const sem = create(0);
    const wait = ending(sem.acquireAsync());
    sem.release();
    sem.close();
    expect(await wait).toMatchObject(barging ? { reason: CLOSED } : { value: undefined });
  });

  test('free() is refused while an agent waits for the semaphore, and changes nothing', async () => {
    const sem = create(0);
    const wait = sem.acquireAsync();
    expect(() => sem.free()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    sem.release();
    await wait;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('after free every use is a MisuseError', async () => {
    const MISUSE = { name: 'MisuseError', code: 'SLUICE_MISUSE' };
    const sem = create(2);
    sem.close();
    sem.free();
    const uses = [
      () => sem.acquire(),
      () => sem.tryAcquire(),
      () => sem.tryAcquire(1, 5),
      () => sem.drain(),
      () => sem.release(),
      () => sem.close(),
      () => sem.free(),
      () => sem.available,
      () => sem.waiting,
    ];
    for (const use of uses) expect(use).toThrow(expect.objectContaining(MISUSE) as Error);
    expect(await rejection(sem.acquireAsync())).toMatchObject(MISUSE);
  });
}
