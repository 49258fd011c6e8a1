// META: title=Each subtest but the first fails
// META: global=window,dedicatedworker

'use strict';

test(() => undefined, 'passes');

test(() => assert_equals(1, 2), 'an assertion fails');

promise_test(async () => assert_true(await navigator.locks.request('res', () => false)), 'an assertion fails later');

promise_test(
  (t) =>
    promise_rejects_js(
      t,
      TypeError,
      navigator.locks.request('res', () => 1),
    ),
  'no rejection',
);

promise_test((t) => promise_rejects_js(t, RangeError, navigator.locks.request()), 'another error');
