// The kind of this package, for tests that run with both engines and for agents that recover others.

import { useKind } from '../../../../core/test/support/engines.ts';
import { entriesAreNotReported, waitersTakeNothing } from '../../../../core/test/support/predict-report.ts';
import { jsWatch } from '../../../src/watch/js.ts';
import { WATCH_CELL } from '../../../src/watch/kinds.ts';

useKind(WATCH_CELL, jsWatch);
waitersTakeNothing(WATCH_CELL.code);
entriesAreNotReported(WATCH_CELL.code);
