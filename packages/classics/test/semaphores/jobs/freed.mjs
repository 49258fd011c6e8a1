// @ts-check Blocks at a semaphore, forever.
import * as family from '@sluice/classics';

/** @import { FamilyHandle } from '@sluice/classics' */
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
