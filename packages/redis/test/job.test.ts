// Tests the memory of a job that runs once in a fleet, and its messages.

import { expect } from 'vitest';
import { failureOf, onServer } from './support/server.ts';

onServer('a job', (it) => {
  it('takes as much memory after many times as after one', async ({ open, command, namespace }) => {
    const space = await open();
    const run = (at: number): Promise<void> => space.once('report', { at }).runAsync(() => undefined);
    await run(1);
    const before = await command('HLEN', `sl:{${namespace}}:p:j:report`);
    for (let at = 2; at < 100; at++) await run(at);
    expect(await command('HLEN', `sl:{${namespace}}:p:j:report`)).toBe(before);
    expect(await command('HGET', `sl:{${namespace}}:p:j:report`, 'done')).toBe('99');
  });

  it('is refused with a wrong time or option', async ({ open }) => {
    const space = await open();
    const refused = (options: unknown): Promise<unknown> =>
      failureOf(Promise.resolve().then(() => space.once('report', options as never)));
    for (const [at, kind] of [
      ['tomorrow', TypeError],
      [undefined, TypeError],
      [{}, TypeError],
      [new Date(Number.NaN), RangeError],
      [-1, RangeError],
      [0.5, RangeError],
      [8.64e15 + 1, RangeError],
    ] as const)
      expect(await refused({ at })).toBeInstanceOf(kind);
    expect(await refused({ at: 1, rerun: 1 })).toMatchObject({
      message: 'Once "report": rerun must be a boolean: received 1',
    });
    expect(await refused({ at: 1, every: 1 })).toBeInstanceOf(TypeError);
    expect(await refused({ at: 'x' })).toMatchObject({
      message: 'Once "report": at must be a Date or a number of ms: received "x"',
    });
  });

  it('is named with its time by an error', async ({ open }) => {
    const space = await open();
    const at = Date.UTC(2026, 10, 30, 3);
    const failure = await failureOf(space.once('report', { at }).waitAsync({ timeout: 1 }));
    expect(failure.message).toBe("Once 'report' at 2026-11-30T03:00:00.000Z: timed out after 1 ms. It was not done.");
  });
});
