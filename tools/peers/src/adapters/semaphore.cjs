// semaphore's interface over Semaphore: callbacks, `current`, `queue`.
'use strict';
const { Semaphore } = require('@sluice/core');

module.exports = function semaphore(capacity = 1) {
  const permits = Semaphore.create(capacity);
  const queue = [];
  const leave = (n = 1) => permits.release(n);
  return {
    capacity,
    queue,
    leave,
    get current() {
      return capacity - permits.available;
    },
    take(n, task) {
      if (typeof n === 'function') [n, task] = [1, n];
      if (permits.tryAcquire(n)) {
        task(leave);
        return;
      }
      queue.push(task);
      void permits.acquireAsync(n).then(() => {
        queue.shift();
        task(leave);
      });
    },
  };
};
