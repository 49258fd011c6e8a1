// Runs the cases that the URL names, one after the other.
import { runMain } from './cases/main.ts';
import { loaderOf } from './load.js';

function startWorker() {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  return {
    worker,
    post: (order) => worker.postMessage(order),
    onSaid: (listener) => (worker.onmessage = ({ data }) => listener(data)),
    onFailure: (listener) => (worker.onerror = ({ message }) => listener(message)),
  };
}

const host = {
  platform: { mayBlock: false, endings: { 'is idle': true, sleeps: true, computes: true } },
  loaderOf,
  fileOf: (name) => new URL(name, location.href),
  startWorker,
};

async function run(names) {
  for (const name of names) {
    const result = await runMain({ case: name, build: 'bundle', js: false, bare: false }, host);
    if ('failed' in result) throw new Error(`${name}: ${result.failed}`);
  }
  return `${names.length} cases passed`;
}

const output = document.querySelector('output');
run(new URLSearchParams(location.search).get('cases').split(' ')).then(
  (text) => (output.textContent = text),
  (failure) => (output.textContent = `failed: ${failure}`),
);
