export type { Capabilities } from './capabilities.ts';
export type { PermitGuard } from './permit-guard.ts';
export {
  PrioritySemaphore,
  type PriorityHandle,
  type PriorityOptions,
  type PriorityReport,
  type PriorityWaitOptions,
} from './priority-semaphore.ts';
export type { ResizableHandle, ResizableOptions, ResizableReport } from './resizable-permits.ts';
export { ResizableSemaphore } from './resizable-semaphore.ts';
