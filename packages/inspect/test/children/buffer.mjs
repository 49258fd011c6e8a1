// @ts-check
// The main thread blocks at a full buffer.
import { BoundedBuffer } from '@sluice/bounded-buffer';

const jobs = BoundedBuffer.create({ codec: 'int32', capacity: 1, name: 'jobs' });
for (;;) jobs.push(1);
