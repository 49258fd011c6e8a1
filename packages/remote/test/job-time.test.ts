// Tests the wait for the time of a job, on the clocks of the test.

import { hasCode } from '@sluice/core';
import { expect, test } from 'vitest';
import { rejection } from '../../../tools/conformance/src/observe.ts';
import type { RemoteEngine } from '../src/engine/engine.ts';
import type { RemoteStep } from '../src/engine/protocol.ts';
import type { Timer, Timing } from '../src/engine/timing.ts';
import { Space } from '../src/space.ts';

const AT = 100_000;

/** An engine that grants everything, a monotonic clock, and a wall clock that can be set. */
class Ground implements RemoteEngine, Timing {
  readonly space = new Space({ namespace: 'space', lease: 1e7, label: '', engine: this, timing: this });
  readonly format = '1';
  readonly retryMs = 50;
  readonly log: string[] = [];
  #now = 0;
  #wall = 0;
  readonly #alarms = new Set<{ readonly at: number; readonly ring: () => void }>();

  run([operation, , , ...args]: RemoteStep): Promise<string[]> {
    if (operation === 'attempt' || operation === 'finish') this.log.push(`${operation} ${args.at(-1)}`);
    if (operation === 'attempt') return Promise.resolve(['granted', '17', '0']);
    return Promise.resolve(operation === 'finish' ? ['finished'] : ['attached']);
  }

  otherFormat(): Error {
    return new Error('another format');
  }

  unreachable(cause: unknown): Error {
    return new Error('unreachable', { cause });
  }

  listen(): Promise<{ close: () => void }> {
    return Promise.resolve({ close: () => undefined });
  }

  close(): void {
    // There is no connection.
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#wall;
  }

  after(ms: number, ring: () => void): Timer | undefined {
    if (ms === Infinity) return undefined;
    const alarm = { at: this.#now + ms, ring };
    this.#alarms.add(alarm);
    return { stop: () => void this.#alarms.delete(alarm) };
  }

  get alarms(): number {
    return this.#alarms.size;
  }

  /** Moves the wall clock alone: it is set, or the machine sleeps. */
  set(ms: number): void {
    this.#wall = ms;
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    this.#wall += ms;
    for (const alarm of [...this.#alarms]) {
      if (alarm.at > this.#now || !this.#alarms.delete(alarm)) continue;
      alarm.ring();
    }
    for (let turn = 0; turn < 30; turn++) await Promise.resolve();
  }

  readonly job = (rerun?: boolean) => this.space.once('report', { at: AT, ...(rerun === undefined ? {} : { rerun }) });
  readonly body = (): void => void this.log.push('ran');
}

async function opened(): Promise<Ground> {
  const ground = new Ground();
  await ground.space.session();
  return ground;
}

test('a run asks no engine before its time, and begins when the clock has reached it', async () => {
  const ground = await opened();
  const run = ground.job().runAsync(ground.body);
  for (let i = 0; i < 9; i++) await ground.pass(AT / 10);
  await ground.pass(AT / 10 - 1);
  expect(ground.log).toEqual([]);
  await ground.pass(1);
  await run;
  expect(ground.log).toEqual([`attempt ${AT}`, 'ran', `finish ${AT}`]);
});

test('a job that must not run again is finished before it runs', async () => {
  const ground = await opened();
  ground.set(AT);
  await ground.job(false).runAsync(ground.body);
  expect(ground.log).toEqual([`attempt ${AT}`, `finish ${AT}`, 'ran']);
});

test('a run follows a wall clock that is set forward, and one that is set back', async () => {
  const ground = await opened();
  const run = ground.job().runAsync(ground.body);
  await ground.pass(30_000);
  ground.set(0);
  for (let i = 0; i < 3; i++) await ground.pass(30_000);
  expect(ground.log).toEqual([]);
  ground.set(AT);
  await ground.pass(30_000);
  await run;
  expect(ground.log).toContain('ran');
});

test('a timeout and a signal end the wait for the time, and leave no timer', async () => {
  const ground = await opened();
  const before = ground.alarms;
  const late = rejection(ground.job().runAsync(ground.body, { timeout: 50 }));
  await ground.pass(50);
  expect(hasCode(await late, 'SLUICE_TIMEOUT')).toBe(true);
  const controller = new AbortController();
  const ended = rejection(ground.job().runAsync(ground.body, { signal: controller.signal }));
  controller.abort('enough');
  expect(await ended).toBe('enough');
  expect(ground.alarms).toBe(before);
  expect(ground.log).toEqual([]);
});

test('a try before its time runs nothing', async () => {
  const ground = await opened();
  expect(await ground.job().tryRun(ground.body)).toBe(false);
  expect(ground.log).toEqual([]);
});
