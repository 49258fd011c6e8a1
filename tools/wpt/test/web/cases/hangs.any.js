// META: global=dedicatedworker

'use strict';

test(() => undefined, 'passes');

promise_test(() => new Promise(() => undefined), 'never ends');
