export type { BarrierResult } from './arrivals.ts';
export { Barrier, type BarrierHandle } from './barrier.ts';
export type { BarrierOptions } from './barrier-shape.ts';
export type { BarrierBreak, BarrierReport } from './barrier-report.ts';
export { CountdownLatch, type CountdownLatchHandle, type CountdownLatchOptions } from './countdown-latch.ts';
export type { CountdownLatchReport } from './report.ts';
