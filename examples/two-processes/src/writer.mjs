// @ts-check
// One process: holds a mutex and asks its parent, which has the database, to write.
import { connect } from '@sluice/redis';
import { once } from 'node:events';
import process, { argv } from 'node:process';
import { createClient } from 'redis';

const [, , url = '', name = '', lease = '1000'] = argv;
const space = await connect(createClient({ url }), {
  namespace: 'paused',
  lease: Number(lease),
  name,
  onWarning: () => undefined,
});
const guard = await space.mutex('report').holdAsync();
process.send?.({ name, event: 'holds', token: String(guard.fencingToken) });

// A check here would not help: the process can be stopped after it, as now.
await once(process, 'message');
process.send?.({ name, event: 'writes', token: String(guard.fencingToken) });
await once(process, 'message');
await space.close();
process.disconnect();
