// @ts-check
// Locks that one thread owns at a time, bare and behind a capacitor.
import { CapacitorLock } from '@sluice/capacitor';
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '@sluice/classics';
import { Mutex, RecursiveMutex } from '@sluice/mutex';
import { checksOf, unless, visitorOf } from './subject.mjs';

/** @import { Arena, OwnedLock } from '@sluice/core' */
/** @import { CapacitorLockHandle } from '@sluice/capacitor' */
/** @import { Place, Subject } from './subject.mjs' */

/** @typedef {Pick<OwnedLock, 'lock' | 'tryLock' | 'lockAsync' | 'unlock' | 'takeOver' | 'takeOverAsync'>} AnyLock */
/**
 * @typedef {AnyLock & { readonly handle: unknown, inspect(): { owner: number, consistency: string, waiters: readonly
 *   unknown[] }, free(): void }} PlacedLock
 */

/**
 * @typedef {{ isReentrant?: boolean, extra?: (() => void) | undefined, checks?: ReturnType<typeof checksOf> }}
 *   VisitorOptions
 */

/** @param {AnyLock} lock @param {Place} place @param {VisitorOptions} [options] */
export function lockVisitor(
  lock,
  place,
  { isReentrant = false, extra, checks = checksOf(place, 1, isReentrant) } = {},
) {
  return visitorOf(
    {
      enter: () => lock.lock(),
      tryEnter: (_, timeoutMs) => lock.tryLock(timeoutMs),
      enterAsync: (_, options) => lock.lockAsync(options),
      leave: () => lock.unlock(),
      takeOver: () => lock.takeOver(),
      takeOverAsync: () => lock.takeOverAsync(),
      most: 1,
      ...(extra === undefined ? {} : { extra }),
      ...checks,
    },
    place,
  );
}

/**
 * Repairs a lock whose last owner died: no other thread may have come since.
 * @param {Pick<AnyLock, 'takeOverAsync'>} lock
 */
export async function repair(lock) {
  const guard = await lock.takeOverAsync();
  guard?.markConsistent();
  guard?.release();
}

/** @param {string} name @param {PlacedLock} lock */
async function lockProblems(name, lock) {
  await repair(lock);
  const { owner, consistency, waiters } = lock.inspect();
  return unless(name, { owner, consistency, waiters }, { owner: 0, consistency: 'consistent', waiters: [] });
}

/**
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.group
 * @param {string} options.exported
 * @param {(options: { arena: Arena, name: string }) => PlacedLock} options.create
 * @param {(handle: never) => AnyLock} options.from
 * @param {boolean} [options.isReentrant]
 * @returns {Subject}
 */
function ownedLock({ name, group, exported, create, from, isReentrant = false }) {
  return {
    name,
    group,
    covers: [exported],
    blocks: 1,
    create: (arena) => {
      const made = create({ arena, name });
      return { handles: made.handle, problems: () => lockProblems(name, made), free: () => made.free() };
    },
    open: (handles, place) => {
      const lock = from(/** @type {never} */ (handles));
      const deeper = () => {
        lock.lock();
        lock.unlock();
      };
      return lockVisitor(lock, place, { isReentrant, extra: isReentrant ? deeper : undefined });
    },
  };
}

/** @typedef {{ lock: CapacitorLockHandle, inner: unknown }} BehindHandles */

/**
 * @param {string} name
 * @param {typeof TtsLock | typeof McsLock} Inner
 * @param {import('@sluice/capacitor').CapacitorLockOptions} options
 * @returns {Subject}
 */
function behindCapacitor(name, Inner, options) {
  return {
    name,
    group: 'capacitor',
    covers: ['CapacitorLock'],
    blocks: 2,
    create: (arena) => {
      const inner = Inner.create({ arena, name });
      const made = CapacitorLock.create(inner, { ...options, arena, name });
      /** @type {BehindHandles} */
      const handles = { lock: made.handle, inner: inner.handle };
      return {
        handles,
        problems: async () => {
          // Through the capacitor, so that a turn that was left ends.
          await repair(made);
          await made.lockAsync();
          made.unlock();
          return lockProblems(name, inner);
        },
        free: () => {
          made.free();
          inner.free();
        },
      };
    },
    open: (handles, place) => {
      const { lock, inner } = /** @type {BehindHandles} */ (handles);
      return lockVisitor(CapacitorLock.from(lock, Inner.from(/** @type {never} */ (inner))), place);
    },
  };
}

const CLASSIC = { TtsLock, TicketLock, McsLock, LifoLock, ReciprocatingLock };

/** @type {readonly Subject[]} */
export const LOCKS = [
  ownedLock({
    name: 'Mutex(turns)',
    group: 'mutex',
    exported: 'Mutex',
    create: (o) => Mutex.create({ ...o, order: 'turns' }),
    from: (h) => Mutex.from(h),
  }),
  ownedLock({
    name: 'Mutex(fifo)',
    group: 'mutex',
    exported: 'Mutex',
    create: (o) => Mutex.create({ ...o, order: 'fifo' }),
    from: (h) => Mutex.from(h),
  }),
  ownedLock({
    name: 'RecursiveMutex(turns)',
    group: 'mutex',
    exported: 'RecursiveMutex',
    create: (o) => RecursiveMutex.create({ ...o, order: 'turns' }),
    from: (h) => RecursiveMutex.from(h),
    isReentrant: true,
  }),
  ownedLock({
    name: 'RecursiveMutex(fifo)',
    group: 'mutex',
    exported: 'RecursiveMutex',
    create: (o) => RecursiveMutex.create({ ...o, order: 'fifo' }),
    from: (h) => RecursiveMutex.from(h),
    isReentrant: true,
  }),
  ...Object.entries(CLASSIC).map(([exported, Lock]) =>
    ownedLock({
      name: exported,
      group: 'classics',
      exported,
      create: (o) => Lock.create(o),
      from: (h) => Lock.from(h),
    }),
  ),
  behindCapacitor('CapacitorLock(TtsLock)', TtsLock, {}),
  behindCapacitor('CapacitorLock(McsLock)', McsLock, { bypassLimit: 3 }),
];
