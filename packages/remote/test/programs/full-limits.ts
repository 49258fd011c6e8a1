// Limits with priorities, and with a maximum of waiting calls. The engines' tests run these programs.

import { hasCode } from '@sluice/core';
import type { Space } from '../../src/index.ts';
import { failureOf } from './failure-of.ts';

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Returns the order in which waiting calls with priorities start, without and with an interval. */
export async function priorities(space: Space): Promise<string[]> {
  const orders: string[] = [];
  for (const options of [{ concurrency: 1 }, { concurrency: 1, interval: 1, intervalCap: 1000 }]) {
    const limit = space.limit(`priorities ${orders.length}`, options);
    const { opened, open } = gate();
    const first = limit(() => opened);
    while (limit.activeCount === 0) await limit.inspect();
    let order = '';
    const calls = [0, 5, 0, -1, 5].map((priority, n) =>
      limit.run((name: string) => void (order += name), { priority, args: ['abcde'[n] ?? ''] }),
    );
    open();
    await Promise.all([first, ...calls]);
    orders.push(order);
  }
  return orders;
}

export const PRIORITIES = ['beacd', 'beacd'];

/** Calls of two processes, of which two may wait. Returns how the calls beyond that ended, and that places come back. */
export async function shedding(first: Space, second: Space): Promise<unknown[]> {
  const options = { concurrency: 1, maxWaiting: 2 };
  const [here, there] = [first.limit('full', options), second.limit('full', options)];
  const { opened, open } = gate();
  const running = here(() => opened);
  while (here.activeCount === 0) await here.inspect();
  const waiting = [here(() => 'here'), there(() => 'there')];
  // With a slot in use that lingers, the call of its process waits behind it, and not at the server.
  while ((await here.inspect()).waiters.length < 1) await there.inspect();
  const shed = [await failureOf(here(() => 1)), await failureOf(there(() => 1))];
  const late = hasCode(await failureOf(there.run(() => 1, { timeout: 0 })), 'SLUICE_TIMEOUT');
  open();
  const values = await Promise.all(waiting);
  await running;
  // The places are free again.
  const again = gate();
  const next = there(() => again.opened);
  while (there.activeCount === 0) await there.inspect();
  const more = [here(() => 'more'), here(() => 'more')];
  while ((await there.inspect()).waiters.length < 1) await here.inspect();
  again.open();
  await next;
  return [
    shed.map((error) => hasCode(error, 'SLUICE_OVERLOADED')),
    shed[0]?.message,
    late,
    values,
    await Promise.all(more),
  ];
}

export const SHEDDING = [
  [true, true],
  `Limit 'full': 2 calls wait already, so the newest one was shed. Its function was not called.`,
  true,
  ['here', 'there'],
  ['more', 'more'],
];

/** The oldest call of the lowest priority gives its place to a new one, and a call that gives up gives its place back. */
export async function sheddingOldest(space: Space): Promise<unknown[]> {
  const limit = space.limit('oldest', { concurrency: 1, maxWaiting: 2, shed: 'oldest' });
  const { opened, open } = gate();
  const running = limit(() => opened);
  while (limit.activeCount === 0) await limit.inspect();
  const order: string[] = [];
  const call = (name: string, priority: number, signal?: AbortSignal): Promise<unknown> =>
    limit
      .run(() => order.push(name), { priority, signal })
      .catch((failure: unknown) => {
        order.push(`${name} ${hasCode(failure, 'SLUICE_OVERLOADED') ? 'shed' : String(failure)}`);
      });
  const stop = new AbortController();
  const calls = [call('a', 0), call('b', 1, stop.signal), call('c', 0)];
  await calls[0];
  calls.push(call('d', -1));
  await calls[3];
  stop.abort('given up');
  await calls[1];
  calls.push(call('e', 0));
  // Its place was free, so no call is shed for it.
  for (let turn = 0; turn < 5; turn++) await limit.inspect();
  open();
  await Promise.all([running, ...calls]);
  return order;
}

export const SHEDDING_OLDEST = ['a shed', 'd shed', 'b given up', 'c', 'e'];

/**
 * Calls that `clearQueue` drops. Returns the counts at once and at the end, which functions ran, and how the calls of a
 * limit with `rejectOnClear` ended.
 */
export async function clearing(space: Space): Promise<unknown[]> {
  const limit = space.limit('cleared', { concurrency: 1 });
  const { opened, open } = gate();
  const running = limit(() => opened);
  while (limit.activeCount === 0) await limit.inspect();
  const ran: string[] = [];
  const settled: string[] = [];
  for (const name of ['a', 'b'])
    limit(() => ran.push(name)).then(
      () => settled.push(name),
      () => settled.push(name),
    );
  // The calls wait, in this process or at the server.
  for (let turn = 0; turn < 5; turn++) await limit.inspect();
  limit.clearQueue();
  const atOnce = [limit.activeCount, limit.pendingCount];
  open();
  await running;
  const rejecting = space.limit('cleared', { concurrency: 1, rejectOnClear: true });
  const again = gate();
  const next = rejecting(() => again.opened);
  while (rejecting.activeCount === 0) await rejecting.inspect();
  const dropped = [rejecting(() => ran.push('c')), rejecting(() => ran.push('d'))];
  rejecting.clearQueue();
  const failures = await Promise.all(dropped.map((call) => failureOf(call)));
  again.open();
  await next;
  // A slot that was granted to a dropped call is free again.
  ran.push(await limit(() => 'later'));
  const counts = [limit.activeCount, limit.pendingCount, rejecting.activeCount, rejecting.pendingCount];
  return [atOnce, counts, ran, settled, failures.map(({ name }) => name)];
}

export const CLEARING = [[1, 0], [0, 0, 0, 0], ['later'], [], ['AbortError', 'AbortError']];

/** With no place at all a call runs at once or is shed. Options that only a limit in memory has are refused by name. */
export async function refusedLimits(space: Space): Promise<unknown[]> {
  const limit = space.limit('none', { concurrency: 1, maxWaiting: 0 });
  const { opened, open } = gate();
  const running = limit(() => opened);
  while (limit.activeCount === 0) await limit.inspect();
  const shed = hasCode(await failureOf(limit(() => 1)), 'SLUICE_OVERLOADED');
  open();
  await running;
  const refused = async (options: object): Promise<string> => {
    const error = await failureOf(Promise.resolve().then(() => space.limit('x', { concurrency: 1, ...options })));
    return `${error.code ?? error.name}: ${error.message}`;
  };
  return [
    shed,
    await limit(() => 2),
    await refused({ adaptive: { min: 1, max: 2 } }),
    (await refused({ carryoverIntervalCount: true })).split(':')[0],
    (await refused({ shed: 'oldest' })).split(':')[0],
    (await refused({ maxWaiting: 1, shed: 'middle' })).split(':')[0],
    (await refused({ maxWaiting: -1 })).split(':')[0],
    (await failureOf(limit.run(() => 1, { priority: NaN }))).name,
  ];
}

export const REFUSED_LIMITS = [
  true,
  2,
  `SLUICE_UNSUPPORTED: Limit "x": adaptive is not possible over a server: set the concurrency with resize(), or give each process a createLimit({ adaptive }) of its own.`,
  'SLUICE_UNSUPPORTED',
  'TypeError',
  'TypeError',
  'RangeError',
  'TypeError',
];
