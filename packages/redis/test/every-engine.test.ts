// Runs the suite of every engine on a real server.

import { engineSuite } from '../../remote/test/engine-suite.ts';
import { onServer } from './support/server.ts';

onServer('a space over Redis', (it, ground) => engineSuite({ it, ground }));
