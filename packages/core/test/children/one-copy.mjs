// @ts-check
// A program that imports the package, and has a part that requires it.
import { Semaphore } from '@sluice/core';
import { createRequire } from 'node:module';

const required = /** @type {typeof import('@sluice/core')} */ (createRequire(import.meta.url)('@sluice/core'));
console.log(required.Semaphore === Semaphore ? 'one copy' : 'two copies');
