'use strict';

// Answers with a name once it holds the lock of that name.
self.addEventListener('message', function (event) {
  const target = this;
  navigator.locks.request(event.data, () => {
    target.postMessage(event.data);
    return new Promise(() => undefined);
  });
});
