// A process that exits by itself: with code 0 if nothing kept it alive, with 7 if a wait did.
import { connect } from '@sluice/postgres';
import process, { argv, exit } from 'node:process';
import pg from 'pg';

const [, , url = '', namespace = '', what = ''] = argv;
const space = await connect(new pg.Pool({ connectionString: url }), { namespace: `${namespace}-${what}` });
const mutex = space.mutex('m');
await mutex.lockAsync();
if (what === 'waits') mutex.lockAsync({ timeout: 300 }).catch(() => exit(7));
if (what === 'unref') mutex.lockAsync({ timeout: 20_000, ref: false }).catch(() => exit(8));
process.exitCode = 0;
