// @ts-check
import { Mutex } from '@sluice/mutex';
import { subjectOf } from './primitive.mjs';

/** A mutex in strict order. */
const Strict = {
  create: (/** @type {{ arena: import('@sluice/core').Arena }} */ options) =>
    Mutex.create({ ...options, order: 'fifo' }),
  from: (/** @type {Mutex['handle']} */ handle) => Mutex.from(handle),
};

export const { create, open, wakeUps } = subjectOf(Strict, (mutex) => mutex);
