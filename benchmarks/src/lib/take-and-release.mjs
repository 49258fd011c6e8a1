// @ts-check
// One process of a benchmark of locks over a server: so many waiters that take and release for a while.
import process, { argv } from 'node:process';

/** @typedef {{ take: () => Promise<() => Promise<unknown>>, close: () => Promise<unknown> }} Subject */

/** Makes the subject that the arguments name, and uses it. @param {Record<string, (url: string) => Promise<Subject>>} subjects */
export async function takeAndRelease(subjects) {
  const [, , url = '', name = '', waiters = '1', holdMs = '0', thinkMs = '0', seconds = '1'] = argv;
  const subject = await subjects[name]?.(url);
  if (subject === undefined) throw new Error(`There is no subject ${name}`);
  const pause = (/** @type {number} */ ms) => (ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined);

  process.send?.('ready');
  await new Promise((resolve) => process.once('message', resolve));
  const end = performance.now() + Number(seconds) * 1000;
  /** @type {number[]} */
  const waits = [];
  /** Also those that end after the time is up: their commands count too. */
  let takes = 0;
  const passes = await Promise.all(
    Array.from({ length: Number(waiters) }, async () => {
      let count = 0;
      while (performance.now() < end) {
        const start = performance.now();
        const release = await subject.take();
        if (performance.now() < end) waits.push(performance.now() - start);
        takes++;
        await pause(Number(holdMs));
        await release();
        if (performance.now() < end) count++;
        await pause(Math.random() * Number(thinkMs));
      }
      return count;
    }),
  );
  // `disconnect` drops what is not written yet, and this is a long message.
  await new Promise((resolve) => process.send?.({ passes, takes, waits: waits.slice(-20_000) }, resolve));
  await subject.close();
  process.disconnect();
}
