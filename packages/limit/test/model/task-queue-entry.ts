// The sources that the models of a task queue use, as one entry. It is built with lowered `async` functions.

export * from './entry.ts';
export { slotSourceOver } from '../../src/task-queue/slot-source.ts';
export { SharedState } from '../../src/task-queue/shared-state.ts';
export { Task } from '../../src/task-queue/task.ts';
export { Tasks } from '../../src/task-queue/tasks.ts';
