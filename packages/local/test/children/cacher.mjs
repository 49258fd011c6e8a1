// @ts-check
// Uses a cache and the limits of keys until it is killed.
import { connect } from '@sluice/local';
import { argv } from 'node:process';
import { workForEver } from '../../../remote/test/programs/cacher.mjs';

const [, , namespace = '', lease = ''] = argv;
workForEver(await connect({ namespace, lease: Number(lease) }));
