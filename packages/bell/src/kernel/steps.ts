// The entry of the kernel's build.

export { cancelBellWait, cancelDeadBellWait, enqueueAtBell, pollBell, ringBell } from './bell.ts';
