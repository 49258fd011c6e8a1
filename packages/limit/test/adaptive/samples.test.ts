// Which calls count for the size of an adaptive limit.

import { Arena, TimeoutError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { createControlledLimit, openControlledLimit } from '../../src/control/open-control.ts';
import { createLimit, OverloadedError, type AdaptiveLimitOptions, type Limit } from '../../src/index.ts';
import { Gate, turns } from '../support/gate.ts';
import '../support/kernel.ts';

const arena = Arena.create({ maxPages: 64 });

class Clock {
  now = 1_000_000;
  readonly read = (): number => this.now;
}

function limitOf(clock: Clock, options: Partial<AdaptiveLimitOptions> = {}): Limit {
  return createControlledLimit({ adaptive: { min: 1, max: 10 }, arena, ...options }, clock.read);
}

function withStatus(status: number): Error {
  return Object.assign(new Error(`status ${status}`), { status });
}

/** Makes calls one after the other. Each takes 10 ms, and then returns or throws. */
async function calls(limit: Limit, clock: Clock, count: number, failure?: Error): Promise<void> {
  for (let call = 0; call < count; call++) {
    const end = limit(() => {
      clock.now += 10;
      return failure === undefined ? undefined : Promise.reject(failure);
    });
    await end.catch(() => undefined);
  }
}

describe('samples', () => {
  test('a call that returns counts with its latency', async () => {
    const clock = new Clock();
    const limit = limitOf(clock);
    await calls(limit, clock, 20);
    expect(limit.inspect().adaptive).toMatchObject({ samples: 20, samplesNeeded: 32, baseline: 0, estimate: 1 });
    await calls(limit, clock, 12);
    expect(limit.inspect().adaptive).toMatchObject({ samples: 0, baseline: 10, latency: 10, estimate: 2 });
    expect(limit.concurrency).toBe(2);
    limit.free();
  });

  test.each([
    ['throws', new Error('not found')],
    ['is aborted', new DOMException('aborted', 'AbortError')],
  ])('a call that %s does not count', async (_, failure) => {
    const clock = new Clock();
    const limit = limitOf(clock);
    await calls(limit, clock, 40, failure);
    expect(limit.inspect().adaptive).toMatchObject({ samples: 0, baseline: 0, estimate: 1 });
    limit.free();
  });

  test.each([
    ['a TimeoutError of Sluice', new TimeoutError('late')],
    ['a TimeoutError of the platform', new DOMException('late', 'TimeoutError')],
    ['an OverloadedError', new OverloadedError('full')],
  ])('a call that throws %s counts as overload', async (_, failure) => {
    const clock = new Clock();
    const limit = limitOf(clock, { adaptive: { min: 1, max: 10, initial: 10 } });
    await calls(limit, clock, 42, failure);
    expect(limit.concurrency).toBe(9);
    limit.free();
  });

  test('a call with an error that isOverload accepts counts as overload, and each agent has its own isOverload', async () => {
    const clock = new Clock();
    const isOverload = (error: unknown): boolean => (error as { readonly status?: number }).status === 503;
    const limit = limitOf(clock, { adaptive: { min: 1, max: 10, initial: 10 }, isOverload });
    const other = openAs(secondAgent(arena), limit.handle, (handle) => openControlledLimit(handle, {}, clock.read));
    await calls(limit, clock, 40, withStatus(404));
    await calls(other, clock, 40, withStatus(503));
    expect(limit.concurrency).toBe(10);
    await calls(limit, clock, 42, withStatus(503));
    expect(limit.concurrency).toBe(9);
    limit.free();
  });

  test('a call whose error makes isOverload throw rejects with the error of its function, and does not count', async () => {
    const clock = new Clock();
    const limit = limitOf(clock, {
      isOverload: () => {
        throw new Error('in isOverload');
      },
    });
    await expect(limit(() => Promise.reject(new Error('in the function')))).rejects.toThrow('in the function');
    expect(limit.inspect().adaptive?.samples).toBe(0);
    limit.free();
  });

  test('a call that was refused, aborted or timed out while it waited does not count', async () => {
    const clock = new Clock();
    const limit = limitOf(clock, { maxWaiting: 1 });
    const gate = new Gate();
    const first = limit(() => gate.passed);
    await turns();
    for (let call = 0; call < 40; call++) {
      await expect(limit.run(() => 1, { timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
      const waits = limit.run(() => 1, { signal: AbortSignal.abort() });
      await expect(waits).rejects.toThrow('aborted');
    }
    const last = limit(() => 1);
    await expect(limit(() => 1)).rejects.toMatchObject({ code: 'SLUICE_OVERLOADED' });
    gate.open();
    await Promise.all([first, last]);
    expect(limit.inspect()).toMatchObject({ adaptive: { samples: 2, estimate: 1 }, shedding: { shedCount: 1 } });
    limit.free();
  });

  test('a call during which the size changed does not count', async () => {
    const clock = new Clock();
    const limit = limitOf(clock, { adaptive: { min: 1, max: 10, initial: 2 } });
    const gate = new Gate();
    const long = limit(() => gate.passed);
    // A probe at 1 slot begins, and the long call has that slot.
    await calls(limit, clock, 32);
    expect(limit.inspect().adaptive).toMatchObject({ isProbing: true, estimate: 1, latency: 10 });
    clock.now += 100_000;
    gate.open();
    await long;
    expect(limit.inspect().adaptive?.samples).toBe(0);
    await calls(limit, clock, 32);
    expect(limit.inspect().adaptive).toMatchObject({ isProbing: false, baseline: 10, latency: 10 });
    limit.free();
  });

  test('a call that hangs counts as at most ten times the baseline', async () => {
    const clock = new Clock();
    const limit = limitOf(clock, { adaptive: { min: 1, max: 1 } });
    await calls(limit, clock, 32);
    await limit(() => void (clock.now += 1_000_000));
    await calls(limit, clock, 31);
    expect(limit.inspect().adaptive).toMatchObject({ samples: 0, latency: (31 * 10 + 100) / 32, baseline: 10 });
    limit.free();
  });

  test('a call that takes no time counts', async () => {
    const clock = new Clock();
    const limit = limitOf(clock);
    for (let call = 0; call < 32; call++) await limit(() => 1);
    expect(limit.inspect().adaptive).toMatchObject({ samples: 0, estimate: 2 });
    limit.free();
  });
});

test('the result of a function arrives even if the limit was closed while it ran', async () => {
  const clock = new Clock();
  const limit = limitOf(clock);
  await calls(limit, clock, 31);
  const gate = new Gate<string>();
  const call = limit(() => gate.passed);
  await turns();
  limit.close();
  gate.open('result');
  expect(await call).toBe('result');
  // The window is complete, but the size of a closed limit does not change.
  expect(limit.concurrency).toBe(1);
  limit.free();
});

test('inspect shows how the limit found its size', () => {
  const limit = createLimit({ adaptive: { min: 2, max: 20, initial: 5, target: 'latency', tolerance: 2 }, arena });
  expect(limit.inspect()).toMatchObject({
    concurrency: 5,
    adaptive: {
      min: 2,
      max: 20,
      target: 'latency',
      tolerance: 2,
      estimate: 5,
      baseline: 0,
      latency: 0,
      isProbing: false,
      samples: 0,
      samplesNeeded: 32,
    },
  });
  limit.free();
});

test('an adaptive limit with an interval does not grow while fewer calls run than it allows', async () => {
  const clock = new Clock();
  const limit = limitOf(clock, { adaptive: { min: 2, max: 10 }, interval: 1000, intervalCap: 100_000 });
  await calls(limit, clock, 1000);
  expect(limit.concurrency).toBe(2);
  limit.free();
});
