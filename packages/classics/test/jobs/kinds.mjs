// @ts-check
// The five locks, for workers.
import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '@sluice/classics';

/**
 * @import { LifoLockHandle, McsLockHandle, ReciprocatingLockHandle, TicketLockHandle, TtsLockHandle } from
 *   '@sluice/classics'
 */

/** @typedef {TtsLock | TicketLock | McsLock | LifoLock | ReciprocatingLock} PlacedLock */
/** @typedef {LifoLockHandle | McsLockHandle | ReciprocatingLockHandle | TicketLockHandle | TtsLockHandle} LockHandle */

export const KINDS = /** @type {const} */ ({ TtsLock, TicketLock, McsLock, LifoLock, ReciprocatingLock });

/** @param {LockHandle} handle @returns {PlacedLock} */
export function openLock(handle) {
  switch (handle.kind) {
    case 'sluice.tts-lock':
      return TtsLock.from(handle);
    case 'sluice.ticket-lock':
      return TicketLock.from(handle);
    case 'sluice.mcs-lock':
      return McsLock.from(handle);
    case 'sluice.lifo-lock':
      return LifoLock.from(handle);
    case 'sluice.reciprocating-lock':
      return ReciprocatingLock.from(handle);
  }
}
