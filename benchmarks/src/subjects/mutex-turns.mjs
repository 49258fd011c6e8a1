// @ts-check
import { Mutex } from '@sluice/mutex';
import { subjectOf } from './primitive.mjs';

/** A mutex with the order 'turns'. */
const InTurns = {
  create: (/** @type {{ arena: import('@sluice/core').Arena }} */ options) => Mutex.create({ ...options, order: 'turns' }),
  from: (/** @type {Mutex['handle']} */ handle) => Mutex.from(handle),
};

export const { create, open, wakeUps } = subjectOf(InTurns, (mutex) => mutex);
