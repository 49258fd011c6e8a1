// The sources that the models of shedding use, as one entry. It is built with lowered `async` functions.

export * from '../../model/entry.ts';
export { WaitingCall } from '../../../src/calls/calls.ts';
export { WaitingPlaces } from '../../../src/overload/waiting-places.ts';
export { SlotQueue } from '../../../src/calls/slot-queue.ts';
