// page.js
import { Mutex } from 'sluice';
const ledger = Mutex.create({ name: 'ledger' });
for (const worker of workers) {
  ledger.arena.watch(worker); // finds out when the worker dies
  worker.postMessage(ledger.handle);
}

// worker.js
import { Mutex } from 'sluice';
onmessage = ({ data }) => {
  const ledger = Mutex.from(data);
  for (;;) ledger.run(() => pass(), { onOwnerDied: (guard) => guard.markConsistent() }); // after a repair
};
