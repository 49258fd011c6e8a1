// @ts-check
// The core's semaphore and those of the papers.
import { Semaphore } from '@sluice/core';
import {
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  LocationSemaphore,
  MonitorSemaphore,
  MultilaneSemaphore,
  PrioritySemaphore,
  ResizableSemaphore,
  TicketSemaphore,
  WaitingArraySemaphore,
} from '@sluice/semaphores';
import { checksOf, unless, visitorOf } from './subject.mjs';

/** @import { Arena } from '@sluice/core' */
/** @import { Subject } from './subject.mjs' */

/**
 * @typedef {Pick<Semaphore, 'acquire' | 'tryAcquire' | 'acquireAsync' | 'release' | 'available' | 'inspect' | 'close' |
 *   'free'> & { readonly handle: unknown }} AnySemaphore
 */

/**
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.group
 * @param {string} options.exported
 * @param {number} options.permits
 * @param {number} options.most of one call
 * @param {number} [options.blocks]
 * @param {(permits: number, options: { arena: Arena, name: string }) => AnySemaphore} options.create
 * @param {(handle: never) => AnySemaphore} options.from
 * @returns {Subject}
 */
function semaphore({ name, group, exported, permits, most, blocks = 1, create, from }) {
  return {
    name,
    group,
    covers: [exported],
    blocks,
    create: (arena) => {
      const made = create(permits, { arena, name });
      return {
        handles: made.handle,
        problems: () => {
          const { available, waiters, holders, state } = made.inspect();
          return unless(
            name,
            { state, available, waiters, holders },
            { state: 'open', available: permits, waiters: [], holders: [] },
          );
        },
        close: () => made.close(),
        free: () => made.free(),
      };
    },
    open: (handles, place) => {
      const sem = from(/** @type {never} */ (handles));
      return visitorOf(
        {
          enter: (n) => sem.acquire(n),
          tryEnter: (n, timeoutMs) => sem.tryAcquire(n, timeoutMs),
          enterAsync: (n, options) => sem.acquireAsync(n, options),
          leave: (n) => sem.release(n),
          most,
          ...checksOf(place, permits),
        },
        place,
      );
    },
  };
}

const FAMILY = {
  TicketSemaphore,
  WaitingArraySemaphore,
  ChainSemaphore,
  MonitorSemaphore,
  LocationSemaphore,
  AddressSemaphore,
};

/** @type {readonly Subject[]} */
export const SEMAPHORES = [
  semaphore({
    name: 'Semaphore(1)',
    group: 'core',
    exported: 'Semaphore',
    permits: 1,
    most: 1,
    create: (n, o) => Semaphore.create(n, o),
    from: (h) => Semaphore.from(h),
  }),
  semaphore({
    name: 'Semaphore(3)',
    group: 'core',
    exported: 'Semaphore',
    permits: 3,
    most: 3,
    create: (n, o) => Semaphore.create(n, { ...o, max: n }),
    from: (h) => Semaphore.from(h),
  }),
  ...Object.entries(FAMILY).map(([exported, Member]) =>
    semaphore({
      name: exported,
      group: 'semaphores',
      exported,
      permits: 2,
      most: exported === 'AddressSemaphore' ? 1 : 2,
      create: (n, o) => Member.create(n, o),
      from: (h) => Member.from(h),
    }),
  ),
  semaphore({
    name: 'LightweightSemaphore',
    group: 'semaphores',
    exported: 'LightweightSemaphore',
    permits: 2,
    most: 1,
    create: (n, o) => LightweightSemaphore.create(n, o),
    from: (h) => LightweightSemaphore.from(h),
  }),
  semaphore({
    name: 'LightweightSemaphore(chain)',
    group: 'semaphores',
    exported: 'LightweightSemaphore',
    permits: 1,
    most: 1,
    create: (n, o) => LightweightSemaphore.create(n, { ...o, inner: 'chain' }),
    from: (h) => LightweightSemaphore.from(h),
  }),
  semaphore({
    name: 'MultilaneSemaphore',
    group: 'semaphores',
    exported: 'MultilaneSemaphore',
    permits: 2,
    most: 1,
    create: (n, o) => MultilaneSemaphore.create(n, { ...o, lanes: 2 }),
    from: (h) => MultilaneSemaphore.from(h),
  }),
  semaphore({
    name: 'MultilaneSemaphore(chain)',
    group: 'semaphores',
    exported: 'MultilaneSemaphore',
    permits: 2,
    most: 1,
    create: (n, o) => MultilaneSemaphore.create(n, { ...o, inner: 'chain', lanes: 2, order: 'random' }),
    from: (h) => MultilaneSemaphore.from(h),
  }),
  semaphore({
    name: 'PrioritySemaphore',
    group: 'semaphores',
    exported: 'PrioritySemaphore',
    permits: 2,
    most: 1,
    create: (n, o) => PrioritySemaphore.create(n, o),
    from: (h) => ((sem) => sem.at(sem.arena.agentId % 8))(PrioritySemaphore.from(h)),
  }),
  semaphore({
    name: 'ResizableSemaphore',
    group: 'semaphores',
    exported: 'ResizableSemaphore',
    permits: 3,
    most: 3,
    create: (n, o) => ResizableSemaphore.create(n, o),
    from: (h) => ResizableSemaphore.from(h),
  }),
];
