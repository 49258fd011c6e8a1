// @ts-check
// A process that does what its standard input says.
import { connect } from '@sluice/postgres';
import { argv } from 'node:process';
import pg from 'pg';
import { obey } from '../../../remote/test/faults/obey.mjs';

const [, , url = '', namespace = '', lease = ''] = argv;
obey(await connect(new pg.Pool({ connectionString: url }), { namespace, lease: Number(lease) }));
