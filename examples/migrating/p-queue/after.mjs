import { TaskQueue } from 'sluice';
import { setTimeout as sleep } from 'node:timers/promises';

const queue = TaskQueue.create({ concurrency: 2, timeout: 60_000 });
const cancel = new AbortController();
/** @type {string[]} */
const stored = [];

/** @param {string} name */
async function store(name) {
  await sleep(5);
  stored.push(name);
}

void queue.add(() => store('a'));
void queue.add(() => store('b'));
void queue.add(() => store('never'), { signal: cancel.signal }).catch(() => undefined);
cancel.abort();
await queue.addAll(['c', 'd'].map((name) => () => store(name)));
console.log(`${queue.size} waiting, ${queue.pending} running`);

while (queue.size > 10) await queue.onSizeLessThan(10); // back-pressure, over all threads
void queue.add(() => store('e'));
await queue.onIdle();
console.log(stored.sort().join(' '));
