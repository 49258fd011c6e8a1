// @ts-check
// Answers each wake-up of the main thread with one of its own.
import { parentPort, workerData } from 'node:worker_threads';
import { ANSWER, CALL } from '../lib/round-trip.mjs';

const { ways, words } = /** @type {{ ways: import('../lib/round-trip.mjs').Ways, words: Int32Array }} */ (workerData);
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
let answers = 0;

function answer() {
  answers += 1;
  if (ways.back === 'port') port.postMessage(0);
  else {
    Atomics.store(words, ANSWER, answers);
    Atomics.notify(words, ANSWER);
  }
}

async function answerAsync() {
  // Keeps the event loop alive.
  port.on('message', () => undefined);
  for (;;) {
    const told = Atomics.waitAsync(words, CALL, answers);
    if (told.async) await told.value;
    answer();
  }
}

port.postMessage('ready');
if (ways.there === 'port') port.on('message', answer);
else if (ways.there === 'waitAsync') void answerAsync();
else
  for (;;) {
    Atomics.wait(words, CALL, answers);
    answer();
  }
