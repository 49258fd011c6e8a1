import { useKind } from '../../../core/test/support/engines.ts';
import { jsBaton } from '../../src/js.ts';
import { BATON } from '../../src/kinds.ts';

useKind(BATON, jsBaton);
