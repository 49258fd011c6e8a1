// @ts-check
// A worker that waits for the next round at one condition and reports at another that it has seen it.
import { Arena } from '@sluice/core';
import { parentPort, workerData } from 'node:worker_threads';
import { wakeUps } from '../subjects/agent-options.mjs';
import { loadMonitor } from '../subjects/condition-variables.mjs';
import { DONE, GO, LEFT, ROUND } from '../jobs/condition.mjs';

/**
 * @typedef {{ subject: import('../subjects/condition-variables.mjs').MonitorName, arena: Arena['handle'], handle:
 *   unknown, words: Int32Array, rounds: number }} ConditionAssignment
 */

const { subject, arena, handle, words, rounds } = /** @type {ConditionAssignment} */ (workerData);
Arena.from(arena);
const monitor = (await loadMonitor(subject)).open(/** @type {never} */ (handle));
const seen = () => {
  words[LEFT] = (words[LEFT] ?? 0) - 1;
  if (words[LEFT] === 0) monitor.notifyOne(DONE);
};
monitor.acquire();
for (let round = 0; round < rounds; round++) {
  seen();
  while (words[ROUND] === round) monitor.wait(GO);
}
seen();
monitor.release();
parentPort?.postMessage(wakeUps({ arena }));
