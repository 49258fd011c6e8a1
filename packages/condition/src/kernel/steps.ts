// Every step that the condition's WebAssembly kernel exports: the entry of its build.

export {
  cancelConditionWait,
  cancelDeadConditionWait,
  endConditionWait,
  enqueueAtCondition,
  moveToMutex,
  moveToWriter,
  notifyCondition,
  pollCondition,
  restoreNotifications,
} from './condition.ts';
