// META: script=resources/absent.js
// META: global=window

'use strict';

test(() => undefined, 'it is not reached');
