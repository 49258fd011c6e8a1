// @ts-check
// Has an arena, and ends when a line comes on stdin.
import { Semaphore } from '@sluice/core';
import { once } from 'node:events';
import { stdin } from 'node:process';

Semaphore.create(1, { name: 'jobs' }).acquire();
console.log('ready');
await once(stdin, 'data');
stdin.destroy();
