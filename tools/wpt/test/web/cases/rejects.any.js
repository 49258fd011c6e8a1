// META: title=A rejection that no test handles
// META: global=window,dedicatedworker

'use strict';

promise_test(async () => {
  void Promise.reject(new Error('without a handler'));
  await new Promise((resolve) => setTimeout(resolve, 0));
}, 'it passes by itself');
