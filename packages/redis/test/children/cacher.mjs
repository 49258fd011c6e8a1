// @ts-check
// Uses a cache and the limits of keys, or holds a value or a slot, until it is killed.
import { connect } from '@sluice/redis';
import { argv } from 'node:process';
import { createClient } from 'redis';
import { holdForEver, workForEver } from '../../../remote/test/programs/cacher.mjs';

const [, , url = '', namespace = '', lease = '', what = ''] = argv;
const space = await connect(createClient({ url }), { namespace, lease: Number(lease), onWarning: () => undefined });
if (what === 'work') workForEver(space);
else holdForEver(space, what);
