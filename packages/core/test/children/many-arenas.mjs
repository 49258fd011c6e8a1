// @ts-check
// Creates many arenas, leaves them, and prints how many of their memories were collected meanwhile.
import { Arena, Semaphore } from '@sluice/core';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = /** @type {() => void} */ (runInNewContext('gc'));

const count = Number(process.argv[2]);
let collected = 0;
const registry = new FinalizationRegistry(() => (collected += 1));

for (let made = 0; made < count; made++) {
  const arena = Arena.create({ initialPages: 2, maxPages: 16_384 });
  const sem = Semaphore.create(1, { arena });
  sem.acquire();
  sem.release();
  arena.leave();
  registry.register(arena.handle.memory, undefined);
  if (made % 50 === 0) await turn();
}
// A FinalizationRegistry calls back late and in batches.
for (let round = 0; round < 1000 && collected < count - 1; round++) {
  collect();
  await pause(1);
}
process.stdout.write(collected >= count - 1 ? 'collected' : `${collected} of ${count} collected`);
