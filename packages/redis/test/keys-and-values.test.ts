// Tests what keys leave on a server.

import { expect } from 'vitest';
import { onServer } from './support/server.ts';

onServer('what belongs to one key', (it) => {
  it('leaves nothing on the server when no call uses it', async ({ open, command, namespace }) => {
    const space = await open();
    const keys = async (): Promise<unknown> => command('KEYS', `sl:{${namespace}}:[pqu]:*`);
    const limit = space.keyedLimit('tenants', { concurrency: 2 });
    await Promise.all(Array.from({ length: 200 }, (_, n) => limit.runAsync(`tenant ${n % 100}`, () => undefined)));
    const rates = space.keyedRateLimiter('api', { permits: 1000, interval: 1 });
    await Promise.all(Array.from({ length: 200 }, (_, n) => rates.consume(`tenant ${n}`)));
    const cache = space.cache<number>('short', { ttl: 1 });
    await Promise.all(Array.from({ length: 200 }, (_, n) => cache.getAsync(`tenant ${n % 100}`, () => n)));
    // The server removes a value and a rate in the second in which their time is over.
    while (((await keys()) as unknown[]).length > 0);
    expect(await keys()).toEqual([]);
  });
});
