// META: title=All subtests pass
// META: script=resources/shared.js
// META: global=window,dedicatedworker,sharedworker

'use strict';

setup({ allow_uncaught_exception: true });

test(() => assert_equals(double(21), 42), 'a helper is loaded first');

promise_test(async (t) => {
  const name = `${self.location.pathname} ${t.name}`;
  const seen = [];
  const held = navigator.locks.request(name, async (lock) => {
    seen.push(lock.mode);
    await navigator.locks.request(name, { ifAvailable: true }, (other) => seen.push(other));
  });
  await held;
  assert_array_equals(seen, ['exclusive', null]);
}, 'a lock is held');

promise_test(async (t) => {
  await promise_rejects_js(t, TypeError, navigator.locks.request());
  await promise_rejects_dom(
    t,
    'NotSupportedError',
    navigator.locks.request('-', () => undefined),
  );
}, 'errors are those of this realm');

promise_test(async (t) => {
  const worker = new Worker('resources/echo.js');
  t.add_cleanup(() => worker.terminate());
  const answer = new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }));
  worker.postMessage('shared by threads');
  const { data } = await answer;
  assert_equals(data, 'shared by threads');
  const { held } = await navigator.locks.query();
  assert_array_equals(
    held.map(({ name }) => name),
    ['shared by threads'],
  );
  const next = navigator.locks.request('shared by threads', (lock) => lock.name);
  worker.terminate();
  assert_equals(await next, 'shared by threads');
}, 'a worker has the same locks until it is terminated');

promise_test(async () => {
  const failed = new Promise((resolve) =>
    self.addEventListener('unhandledrejection', (event) => resolve(event.reason), { once: true }),
  );
  void Promise.reject(new Error('expected'));
  assert_equals((await failed).message, 'expected');
}, 'a rejection without a handler is an event');
