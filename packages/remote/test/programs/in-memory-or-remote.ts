// Programs that move from `RateLimiter`, `KeyedMutex`, `Once` and `Lazy` in memory to those of a space by changing only
// their creation and adding `await`.

import { hasCode } from '@sluice/core';
import type { Lazy, Once } from '@sluice/event';
import type { RateLimiter } from '@sluice/limit';
import type { KeyedMutex } from '@sluice/named';
import type { RemoteKeyedMutex, RemoteLazy, RemoteOnce, RemoteRateLimiter } from '@sluice/remote';
import { failureOf } from './failure-of.ts';

export const RATE = { permits: 1, interval: 1e9, burst: 3 } as const;

/** The programs. Their types already show that both have the members that they use. */
export async function rates(limiter: RateLimiter | RemoteRateLimiter): Promise<string[]> {
  const log = [
    `${limiter.permits} in ${limiter.interval}, burst ${limiter.burst}, available ${await limiter.available}`,
  ];
  await limiter.acquireAsync(1);
  log.push(
    `taken ${await limiter.tryAcquire(2)}, more ${await limiter.tryAcquire()}, waits ${(await limiter.retryAfter()) > 9e8}`,
  );
  log.push(`late ${hasCode(await failureOf(limiter.acquireAsync(1, { timeout: 5 })), 'SLUICE_TIMEOUT')}`);
  const [first, second] = [await limiter.reserveAsync(), await limiter.reserve()];
  log.push(`${first.weight} booked, in order ${first.delay < second.delay && second.remaining <= second.delay}`);
  log.push(`cancelled ${await second.cancel()}, again ${await second.cancel()}, first ${await first.cancel()}`);
  const controller = new AbortController();
  const waiting = failureOf(limiter.acquireAsync(2, { signal: controller.signal }));
  while ((await limiter.waiting) === 0) await Promise.resolve();
  controller.abort(new Error('enough'));
  log.push((await waiting).message, `open ${(await limiter.inspect()).state}`);
  await limiter.close();
  return [...log, `closed ${hasCode(await failureOf(limiter.runAsync(() => 1)), 'SLUICE_CLOSED')}`];
}

export async function keys(mutex: KeyedMutex | RemoteKeyedMutex): Promise<string[]> {
  await mutex.lockAsync('alice');
  const log = [
    `owns ${mutex.owns('alice')} ${mutex.at('alice').owned} ${mutex.owns('bob')}, bob ${await mutex.tryLock('bob')}`,
  ];
  await mutex.unlock('bob');
  const next = mutex.runAsync('alice', () => 'ran');
  log.push(`keys ${(await mutex.inspect()).keys.map(({ key }) => key).join()}`);
  await mutex.at('alice').unlock();
  log.push(await next);
  const guard = await mutex.holdAsync('x');
  log.push(`held ${guard.held}, other ${(await mutex.tryHold('y'))?.held}`);
  await guard.release();
  return [
    ...log,
    `refused ${hasCode(await failureOf(Promise.resolve().then(() => mutex.unlock('x'))), 'SLUICE_MISUSE')}`,
  ];
}

export async function onces(once: Once | RemoteOnce): Promise<string[]> {
  const log = [`done ${await once.isDone}, state ${(await once.inspect()).state}, within ${await once.tryWait()}`];
  log.push((await failureOf(once.runAsync(() => Promise.reject(new Error('no connection'))))).message);
  log.push(`late ${hasCode(await failureOf(once.waitAsync({ timeout: 5 })), 'SLUICE_TIMEOUT')}`);
  let ran = 0;
  const waiting = once.waitAsync();
  await Promise.all(
    [1, 2, 3].map(() =>
      once.runAsync(() => {
        ran++;
      }),
    ),
  );
  await waiting;
  return [
    ...log,
    `ran ${ran}, done ${await once.tryRun(() => undefined)} ${await once.isDone}, state ${(await once.inspect()).state}`,
  ];
}

export async function lazies(lazy: Lazy<{ port: number }> | RemoteLazy<{ port: number }>): Promise<string[]> {
  const log = [
    `done ${await lazy.isDone}, value ${typeof (await lazy.value)}, within ${typeof (await lazy.tryWait())}, state ${(await lazy.inspect()).state}`,
  ];
  log.push((await failureOf(lazy.getAsync(() => Promise.reject(new Error('no connection'))))).message);
  log.push(`late ${hasCode(await failureOf(lazy.waitAsync({ timeout: 5 })), 'SLUICE_TIMEOUT')}`);
  log.push(
    `large ${(await failureOf(lazy.getAsync(() => ({ port: 1, more: 'x'.repeat(100) })))) instanceof RangeError}, nothing ${(await failureOf(lazy.getAsync(() => undefined as never))) instanceof TypeError}`,
  );
  let ran = 0;
  const waiting = lazy.waitAsync();
  const values = await Promise.all([1, 2, 3].map((port) => lazy.getAsync(() => ({ port: port + 10 * ran++ }))));
  const value = await lazy.value;
  log.push(
    `ran ${ran}, port ${values.map(({ port }) => port).join()}, waited for ${(await waiting).port}, same ${values.every((each) => each === value)}`,
  );
  const { state, codec, capacity } = await lazy.inspect();
  return [
    ...log,
    `done ${await lazy.isDone}, again ${(await lazy.tryGet(() => ({ port: 9 })))?.port}, ${state} ${codec} ${capacity}`,
  ];
}

export const RATES = [
  '1 in 1000000000, burst 3, available 3',
  'taken true, more false, waits true',
  'late true',
  '1 booked, in order true',
  'cancelled true, again false, first true',
  'enough',
  'open open',
  'closed true',
];
export const KEYS = ['owns true true false, bob true', 'keys alice', 'ran', 'held true, other true', 'refused true'];
export const ONCES = [
  'done false, state idle, within false',
  'no connection',
  'late true',
  'ran 1, done true true, state done',
];
export const LAZIES = [
  'done false, value undefined, within undefined, state idle',
  'no connection',
  'late true',
  'large true, nothing true',
  'ran 1, port 1,1,1, waited for 1, same true',
  'done true, again 1, done json 64',
];
