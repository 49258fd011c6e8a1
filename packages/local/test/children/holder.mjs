// @ts-check
// Does what its standard input says, and prints what comes of it:
//
//   hold NAME      waits for a mutex and holds it
//   wait NAME      waits for a mutex, holds it, and gives it back
//   check NAME     whether it still holds it
//   release NAME   gives it back
import { connect } from '@sluice/local';
import { createInterface } from 'node:readline';
import { argv, stdin, stdout } from 'node:process';

const [, , namespace = '', lease = ''] = argv;
const space = await connect({ namespace, lease: Number(lease) });
/** @type {Map<string, import('@sluice/local').RemoteGuard>} */
const guards = new Map();
/** @param {string} line */
const say = (line) => stdout.write(`${line}\n`);
/** @param {unknown} failure */
const codeOf = (failure) => /** @type {{ code?: string }} */ (failure).code ?? String(failure);

createInterface({ input: stdin }).on('line', async (line) => {
  const [what = '', name = ''] = line.split(' ');
  const guard = guards.get(name);
  try {
    if (what === 'hold' || what === 'wait') {
      const granted = await space.mutex(name).holdAsync();
      say(`${what} ${name} ${granted.fencingToken}`);
      if (what === 'hold') guards.set(name, granted);
      else await granted.release();
    } else if (what === 'check') {
      guard?.assertHeld();
      say(`check ${name} held`);
    } else {
      await guard?.release();
      say(`release ${name} done`);
    }
  } catch (failure) {
    say(`${what} ${name} ${codeOf(failure)}`);
  }
});
say('ready');
