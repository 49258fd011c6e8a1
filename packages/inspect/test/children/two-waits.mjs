// @ts-check
// Two async waits, the second when a line comes on stdin. The next line ends both.
import { Semaphore } from '@sluice/core';
import { once } from 'node:events';
import { stdin } from 'node:process';

const [one, other] = [Semaphore.create(0, { name: 'one' }), Semaphore.create(0, { name: 'other' })];
const waits = [one.acquireAsync()];
await once(stdin, 'data');
waits.push(other.acquireAsync());
await once(stdin, 'data');
one.release();
other.release();
await Promise.all(waits);
stdin.destroy();
