// @ts-check
// Uses a cache and the limits of keys, or holds a value or a slot, until it is killed.
import { connect } from '@sluice/postgres';
import { argv } from 'node:process';
import pg from 'pg';
import { holdForEver, workForEver } from '../../../remote/test/programs/cacher.mjs';

const [, , url = '', namespace = '', lease = '', what = ''] = argv;
const space = await connect(new pg.Pool({ connectionString: url }), { namespace, lease: Number(lease) });
if (what === 'work') workForEver(space);
else holdForEver(space, what);
