// @ts-check
// Waits at a primitive again and again, a millisecond each time, until it is let in or told to end.
import { parentPort, workerData } from 'node:worker_threads';
import { load } from '../subjects/places.mjs';

/**
 * @typedef {object} PlacesAssignment
 * @property {string} packages
 * @property {string} subject
 * @property {unknown} arena
 * @property {{ name: string }} handle
 * @property {SharedArrayBuffer} gate 0: wait on
 * @property {number} [holdMillis] goes on when it was let in, and stays inside for so long
 */

const { packages, subject, arena, handle, gate, holdMillis } = /** @type {PlacesAssignment} */ (workerData);
const { Arena, kind, description: what } = await load(packages, subject);
Arena.from(arena);
const primitive = kind.from(handle);
const word = new Int32Array(gate);
Atomics.add(word, 1, 1);
Atomics.notify(word, 1);
let polls = 0;
while (Atomics.load(word, 0) === 0) {
  if (!what.poll(primitive)) {
    polls += 1;
    continue;
  }
  if (holdMillis !== undefined) {
    Atomics.wait(word, 2, 0, holdMillis);
    what.end(primitive);
    continue;
  }
  if (what.leave !== undefined) what.leave(primitive);
  else if (what.hold !== undefined) what.end(primitive);
  // What follows is not measured, and would take the processor from what is.
  break;
}
parentPort?.postMessage(polls);
