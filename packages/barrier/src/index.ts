export { Barrier, type BarrierHandle, type BarrierOptions, type BarrierResult } from './barrier.ts';
export type { BarrierBreak, BarrierReport } from './barrier-report.ts';
export { CountdownLatch, type CountdownLatchHandle, type CountdownLatchOptions } from './countdown-latch.ts';
export type { CountdownLatchReport } from './report.ts';
