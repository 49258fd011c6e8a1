export { addressSignal, addressSignalPolite, addressWaitUntil, addressWaitUntilAsync } from './address-wait.ts';
export { keyOf, type TicketKey, type WaitKey } from './key.ts';
export { keyMonitor, keySignal, keySignalPolite, keyWait, keyWaitAsync, keyWaitLazy } from './key-monitor.ts';
export { locationWait, locationWakeAll, locationWakeAllPolite } from './location-wait.ts';
export { park, parkAsync, unpark } from './park.ts';
export { SharedWord, type SharedWordHandle } from './shared-word.ts';
export { waitOnAddress, waitOnAddressAsync, wakeByAddressAll, wakeByAddressSingle } from './wait-on-address.ts';
