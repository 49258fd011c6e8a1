// @ts-check
// A program that loads the package both with import and with require.
import { Semaphore } from '@sluice/core';
import { createRequire } from 'node:module';

const required = /** @type {typeof import('@sluice/core')} */ (createRequire(import.meta.url)('@sluice/core'));
console.log(required.Semaphore === Semaphore ? 'one copy' : 'two copies');
