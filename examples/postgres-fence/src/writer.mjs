// @ts-check
// One process: holds a mutex, and writes when its parent says so. The transaction of the write checks the token.
import { connect, fence } from '@sluice/postgres';
import { once } from 'node:events';
import process, { argv } from 'node:process';
import pg from 'pg';

const [, , url = '', name = '', lease = '1000'] = argv;
const pool = new pg.Pool({ connectionString: url });
const space = await connect(pool, { namespace: 'paused', lease: Number(lease), name });
const guard = await space.mutex('report').holdAsync();
process.send?.({ event: 'holds', token: String(guard.fencingToken) });

// A check here would not help: the process can be stopped after it, as now.
await once(process, 'message');
process.send?.({ event: (await write()) ? 'wrote' : 'refused' });
await space.close();
await pool.end();
process.disconnect();

async function write() {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    if (!(await fence(client, 'report', guard.fencingToken))) {
      await client.query('ROLLBACK');
      return false;
    }
    await client.query('UPDATE report SET text = $1 WHERE id = 1', [name]);
    await client.query('COMMIT');
    return true;
  } finally {
    client.release();
  }
}
