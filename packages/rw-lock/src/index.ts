export { RwLock, type RwLockHandle, type RwLockOptions, type RwLockOrder } from './rw-lock.ts';
export type { ReaderLock } from './reader.ts';
export type { RwLockReport } from './report.ts';
export type { UpgradeableLock } from './upgradeable.ts';
export type { WriterLock } from './writer.ts';
