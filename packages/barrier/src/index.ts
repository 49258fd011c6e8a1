export { CountdownLatch, type CountdownLatchHandle, type CountdownLatchOptions } from './countdown-latch.ts';
export type { CountdownLatchReport } from './report.ts';
