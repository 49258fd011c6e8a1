import { expect, test } from 'vitest';
import { ending, refusal, rejection } from '../observe.ts';
import type { CreateStepped } from '../types.ts';
import type { Traits } from './traits.ts';

const CLOSED = { name: 'ClosedError', code: 'SLUICE_CLOSED' };

/** Tests `close`. */
export function closing(create: CreateStepped, { barging, gathers, remote, size }: Traits): void {
  test('close() ends every wait with a ClosedError, even in the middle of the line and behind a leaving waiter', async () => {
    const sem = await create(gathers ? 1 : 0);
    const controller = new AbortController();
    const waits = [3, 1, 1].map((permits) => rejection(sem.acquireAsync(size(permits))));
    const leaver = rejection(sem.acquireAsync(size(2), { signal: controller.signal }));
    const last = rejection(sem.acquireAsync(1, { timeout: 60_000 }));
    controller.abort(new Error('given up'));
    await sem.close();
    for (const failure of await Promise.all([...waits, last])) expect(failure).toMatchObject(CLOSED);
    // At a barging semaphore, a cancelled waiter checks once more and may see the close.
    expect(await leaver).toEqual(barging ? expect.anything() : new Error('given up'));
    expect((await sem.counts())[1]).toBe(0);
  });

  test('every call that takes permits throws after close(), although some are free', async () => {
    const sem = await create(2);
    await sem.close();
    expect(await refusal(() => sem.tryAcquire())).toMatchObject(CLOSED);
    expect(await rejection(sem.acquireAsync())).toMatchObject(CLOSED);
    expect(await rejection(sem.acquireAsync(1, { timeout: 60_000 }))).toMatchObject(CLOSED);
  });

  test('permits can be released after close(), and no waiter gets them', async () => {
    const sem = await create(1);
    await sem.acquireAsync();
    const waiter = rejection(sem.acquireAsync());
    await sem.close();
    await sem.release();
    expect(await waiter).toMatchObject(CLOSED);
  });

  test('a second close() has no effect', async () => {
    const sem = await create(1);
    await sem.close();
    await sem.close();
    expect(await rejection(sem.acquireAsync())).toMatchObject(CLOSED);
  });

  // A barging semaphore grants nothing: a waiter that has not taken its permit before the close does not get it.
  test(`a ${barging ? 'permit that no agent had taken' : 'grant'} before close ${barging ? 'is lost' : 'wins'}`, async () => {
    const sem = await create(0);
    const wait = ending(sem.acquireAsync());
    const released = sem.release();
    // In shared memory the call has ended when it returns, so nothing may run before the next line.
    if (remote) await released;
    await sem.close();
    expect(await wait).toMatchObject(barging ? { reason: CLOSED } : { value: undefined });
  });
}
