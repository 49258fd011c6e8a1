// @ts-check
import { connect } from '@sluice/postgres';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const space = await connect(pool, { namespace: 'my-tool' });
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
