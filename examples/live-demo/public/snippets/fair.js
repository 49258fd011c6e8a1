// page.js
import { Semaphore } from 'sluice';
const door = Semaphore.create(1, { name: 'door' });
for (const worker of workers) worker.postMessage(door.handle);

// worker.js
import { Semaphore } from 'sluice';
onmessage = ({ data }) => {
  const door = Semaphore.from(data);
  for (;;) door.run(() => pass()); // the longest waiter is next
};
