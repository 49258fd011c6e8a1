// @ts-check
import { connect } from '@sluice/redis';
import { createClient } from 'redis';

const client = createClient({ url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' });
const space = await connect(client, { namespace: 'my-tool', onWarning: () => {} });
const slots = space.semaphore('downloads', 2);

const pages = ['a', 'b', 'c', 'd'];
let open = 0;
const fetched = pages.map((page) =>
  slots.runAsync(async () => {
    if (++open > 2) throw new Error('more than two at a time');
    await new Promise(setImmediate);
    open--;
    return page.toUpperCase();
  }),
);
console.log((await Promise.all(fetched)).join(' '));
