// Returns the number of timers that a call adds to those that keep the process alive. Both counts are taken in one turn
// of the event loop, because timers of the test runner begin and end in other turns.

import process from 'node:process';

const count = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

export function timersAddedBy(call: () => void): number {
  const before = count();
  call();
  return count() - before;
}
