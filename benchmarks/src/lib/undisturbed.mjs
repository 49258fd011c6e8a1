// @ts-check
import { readFileSync } from 'node:fs';
import { MeasurementError } from './jobs.mjs';
import { sleep } from './sleep.mjs';

/** The share of the machine that other processes may take. */
const MAX_SHARE_OF_OTHERS = 0.05;
const LOOK_MS = 300;

/** @param {string} file @param {number} from @param {number} to */
const numbers = (file, from, to) =>
  (readFileSync(file, 'utf8').split('\n')[0] ?? '').split(/\s+/).slice(from, to).map(Number);

/**
 * Processor time so far, in ticks: all of it, what was used of it, and what this process and its ended children used.
 */
function readTimes() {
  const [user = 0, nice = 0, system = 0, idle = 0, disk = 0, irq = 0, softirq = 0, steal = 0] = numbers(
    '/proc/stat',
    1,
    9,
  );
  const used = user + nice + system + irq + softirq + steal;
  const own = numbers('/proc/self/stat', 13, 17).reduce((sum, ticks) => sum + ticks, 0);
  return { all: used + idle + disk, used, own };
}

/** What others took of the machine since then. @param {ReturnType<typeof readTimes>} before */
function shareOfOthers(before) {
  const { all, used, own } = readTimes();
  return (used - before.used - (own - before.own)) / Math.max(1, all - before.all);
}

/**
 * Takes a measurement when the machine is calm, and again when other processes took more than a twentieth of the
 * machine meanwhile. What it measured, or that it failed, has no say in that.
 * @template Value
 * @param {() => Promise<Value>} measure
 * @returns {Promise<Value>}
 */
export async function undisturbed(measure) {
  if (process.platform !== 'linux') throw new MeasurementError('only Linux tells what other processes do');
  for (;;) {
    await calm();
    const before = readTimes();
    const [outcome] = await Promise.allSettled([measure()]);
    if (shareOfOthers(before) > MAX_SHARE_OF_OTHERS) continue;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}

async function calm() {
  for (;;) {
    const before = readTimes();
    await sleep(LOOK_MS);
    if (shareOfOthers(before) <= MAX_SHARE_OF_OTHERS) return;
  }
}
