// page.js
import { Mutex } from 'sluice';
const mutex = Mutex.create({ name: 'door' }); // turns; order: 'fifo' is strict
for (const worker of workers) worker.postMessage(mutex.handle);

// worker.js
import { Mutex } from 'sluice';
onmessage = ({ data }) => {
  const mutex = Mutex.from(data);
  for (;;) mutex.run(() => pass()); // many passes in a turn, then the next worker
};
