import { useKind } from '../../../core/test/support/engines.ts';
import { jsBell } from '../../src/js.ts';
import { BELL } from '../../src/kinds.ts';

useKind(BELL, jsBell);
