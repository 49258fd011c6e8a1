// @ts-check
// A process that does what its standard input says.
import { connect } from '@sluice/local';
import { argv } from 'node:process';
import { obey } from '../../../remote/test/faults/obey.mjs';

const [, , namespace = '', lease = ''] = argv;
obey(await connect({ namespace, lease: Number(lease) }));
