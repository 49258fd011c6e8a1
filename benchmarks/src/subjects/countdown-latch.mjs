// @ts-check
import { CountdownLatch } from '@sluice/barrier';
import { subjectOf } from './primitive.mjs';

const kind = {
  create: (/** @type {import('@sluice/barrier').CountdownLatchOptions} */ options) => CountdownLatch.create(0, options),
  from: (/** @type {import('@sluice/barrier').CountdownLatchHandle} */ handle) => CountdownLatch.from(handle),
};

export const { create, open, wakeUps } = subjectOf(kind, (latch) => latch);
