// Every step that the condition's WebAssembly kernel exports: the entry of its build.

export {
  cancelConditionWait,
  endConditionWait,
  enqueueAtCondition,
  notifyCondition,
  pollCondition,
  restoreNotifications,
} from './condition.ts';
export { moveToMutex } from './move-to-mutex.ts';
export { notifyAndMoveToMutex, sleepAtCondition, wakeAtCondition } from './sleep-at-condition.ts';
