// @ts-check
// Blocks at a semaphore, for ever.
import * as family from '@sluice/semaphores';

/** @import { FamilyHandle } from '@sluice/semaphores' */
/** @import { JobContext } from '@sluice/harness' */

/**
 * @typedef {{ member: 'TicketSemaphore' | 'AddressSemaphore' | 'LightweightSemaphore' | 'MultilaneSemaphore', handle:
 *   FamilyHandle }} FreedData
 */

/** @param {FreedData} data @param {JobContext} context */
export function wait({ member, handle }, { say }) {
  say('ready');
  family[member].from(handle).acquire();
}
