// mutexify's interface over Mutex: a function that takes a callback.
'use strict';
const { Mutex } = require('@sluice/mutex');

module.exports = function mutexify() {
  const mutex = Mutex.create();
  const acquire = (task) => {
    void mutex.lockAsync().then(() => {
      acquire.locked = true;
      task((then, failure, value) => {
        acquire.locked = false;
        mutex.unlock();
        if (then !== undefined) then(failure, value);
      });
    });
  };
  acquire.locked = false;
  return acquire;
};
