// @ts-check
// Does what its standard input says, and prints what comes of it:
//
//   hold NAME      waits for a mutex and holds it
//   wait NAME      waits for a mutex, holds it, and gives it back
//   check NAME     whether it still holds it
//   release NAME   gives it back
//   begin NAME     begins the run of a job, which does not end
//   run NAME       runs the job, or learns that it has run
//   never NAME     as begin, for a job that must not run again
//   unless NAME    as run, for such a job
import { connect } from '@sluice/local';
import { createInterface } from 'node:readline';
import { argv, stdin, stdout } from 'node:process';

const [, , namespace = '', lease = ''] = argv;
const space = await connect({ namespace, lease: Number(lease) });
/** @type {Map<string, import('@sluice/local').RemoteGuard>} */
const guards = new Map();
const JOBS = ['begin', 'run', 'never', 'unless'];
/** @param {string} line */
const say = (line) => stdout.write(`${line}\n`);
/** @param {unknown} failure */
const codeOf = (failure) => /** @type {{ code?: string }} */ (failure).code ?? String(failure);

createInterface({ input: stdin }).on('line', (line) => void obey(line));

/** @param {string} line */
async function obey(line) {
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
    } else if (JOBS.includes(what)) {
      let ran = 'over';
      const job = space.once(name, { at: 1, rerun: what === 'begin' || what === 'run' });
      await job.runAsync(() => {
        ran = 'ran';
        if (what === 'run' || what === 'unless') return undefined;
        say(`${what} ${name} begun`);
        return new Promise(() => undefined);
      });
      say(`${what} ${name} ${ran}`);
    } else {
      await guard?.release();
      say(`release ${name} done`);
    }
  } catch (failure) {
    say(`${what} ${name} ${codeOf(failure)}`);
  }
}
say('ready');
