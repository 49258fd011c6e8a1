'use strict';

test(() => process.kill(process.pid, 'SIGKILL'), 'ends the process');
