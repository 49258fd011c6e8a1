// @ts-check
import { Arena, Semaphore } from '@sluice/core';

/**
 * Only what a specification names is passed on; the rest is the library's own default.
 * @param {import('./subject.mjs').SubjectOptions & { permits?: number }} options
 */
export function createSemaphore({ permits = 1, engine, buckets, policy, recovery }) {
  const arena = Arena.create({
    ...(engine !== undefined && { engine }),
    ...(buckets !== undefined && { buckets }),
    ...(policy !== undefined && { policy }),
  });
  return Semaphore.create(permits, { arena, ...(recovery !== undefined && { recovery }) });
}

/** @param {import('./subject.mjs').SubjectOptions} options */
export function create(options) {
  return createSemaphore(options).handle;
}

/** @param {Parameters<typeof Semaphore.from>[0]} handle */
export function open(handle) {
  return Semaphore.from(handle);
}
