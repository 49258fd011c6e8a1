// page.js
import { BoundedBuffer } from 'sluice';
const jobs = BoundedBuffer.create({ codec: 'int32', capacity: 24, name: 'jobs' });
workers.forEach((worker, n) => worker.postMessage([jobs.handle, n % 2 === 0]));

// worker.js
import { BoundedBuffer } from 'sluice';
onmessage = ({ data: [handle, isProducer] }) => {
  const jobs = BoundedBuffer.from(handle);
  if (isProducer) for (;;) jobs.push(pass()); // waits while the buffer is full
  for (;;) pass(jobs.pop()); // waits while it is empty
};
