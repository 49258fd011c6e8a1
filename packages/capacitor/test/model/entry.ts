// What models need of the sources, behind one entry: mutants are made by bundling it with one line changed.

export * from '../../../core/test/model/entry.ts';
export { lifoLockAt } from '../../../locks/src/lifo-lock.ts';
export { capacitorAt, type Capacitor } from '../../src/capacitor.ts';
export { CapacitorLock } from '../../src/capacitor-lock.ts';
export { lanedCapacitorAt, type LanedCapacitor } from '../../src/laned-capacitor.ts';
export { turnAt } from '../../src/turn.ts';
export { turnstileAt, type Turnstile } from '../../src/turnstile.ts';
