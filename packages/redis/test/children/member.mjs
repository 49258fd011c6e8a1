// @ts-check
// A process that does what its standard input says.
import { connect } from '@sluice/redis';
import { argv } from 'node:process';
import { createClient } from 'redis';
import { obey } from '../../../remote/test/faults/obey.mjs';

const [, , url = '', namespace = '', lease = ''] = argv;
const client = createClient({ url, socket: { reconnectStrategy: 50 } });
client.on('error', () => undefined);
obey(await connect(client, { namespace, lease: Number(lease), onWarning: () => undefined }));
