// @ts-check
// Serves, and prints on request how much memory its objects take (`memory`), and how many files and sockets it has open
// (`files`).
import { connect } from '@sluice/local';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import process, { stdin, stdout } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

await connect({ namespace: 'connects', lease: 600_000 });
setFlagsFromString('--expose-gc');
const collect = /** @type {() => void} */ (runInNewContext('gc'));
createInterface({ input: stdin }).on('line', (line) => {
  collect();
  const number = line.startsWith('memory') ? process.memoryUsage().heapUsed : readdirSync('/proc/self/fd').length;
  stdout.write(`${line} ${number}\n`);
});
stdout.write('ready\n');
