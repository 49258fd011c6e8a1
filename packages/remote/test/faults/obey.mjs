// @ts-check
// The program of a process that a test kills and stops. It does what its standard input says, and prints what comes of
// it:
//
//   hold NAME      waits for a mutex and holds it
//   wait NAME      waits for a mutex, holds it, and gives it back
//   check NAME     whether it still holds it
//   release NAME   gives it back
//   begin NAME     begins the run of a job, which does not end
//   run NAME       runs the job, or learns that it has run
//   never NAME     as begin, for a job that must not run again
//   unless NAME    as run, for such a job
import { createInterface } from 'node:readline';
import { stdin, stdout } from 'node:process';

const JOBS = ['begin', 'run', 'never', 'unless'];
/** @param {string} line */
const say = (line) => stdout.write(`${line}\n`);
/** @param {unknown} failure */
const codeOf = (failure) => /** @type {{ code?: string }} */ (failure).code ?? String(failure);

/** @param {import('@sluice/remote').Space} space */
export function obey(space) {
  /** @type {Map<string, import('@sluice/remote').RemoteGuard>} */
  const guards = new Map();

  /** @param {string} what @param {string} name @returns {Promise<string>} */
  const job = async (what, name) => {
    let ran = 'over';
    await space.once(name, { at: 1, rerun: what === 'begin' || what === 'run' }).runAsync(() => {
      ran = 'ran';
      if (what === 'run' || what === 'unless') return undefined;
      say(`${what} ${name} begun`);
      return new Promise(() => undefined);
    });
    return ran;
  };

  /** @param {string} what @param {string} name @returns {Promise<string>} */
  const answer = async (what, name) => {
    if (JOBS.includes(what)) return job(what, name);
    const guard = guards.get(name);
    if (what === 'check') {
      guard?.assertHeld();
      return 'held';
    }
    if (what === 'release') {
      await guard?.release();
      return 'done';
    }
    const granted = await space.mutex(name).holdAsync();
    if (what === 'hold') guards.set(name, granted);
    else await granted.release();
    return String(granted.fencingToken);
  };

  createInterface({ input: stdin }).on('line', (line) => {
    const [what = '', name = ''] = line.split(' ');
    answer(what, name).then(
      (text) => say(`${what} ${name} ${text}`),
      (/** @type {unknown} */ failure) => say(`${what} ${name} ${codeOf(failure)}`),
    );
  });
  say('ready');
}
