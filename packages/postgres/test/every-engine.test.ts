// Runs the suite of every engine on a real server, directly and through pgbouncer.

import { engineSuite } from '../../remote/test/engine-suite.ts';
import { onServer } from './support/server.ts';

onServer('a space over Postgres', (it, ground) => engineSuite({ it, ground }));

onServer(
  'a space through pgbouncer, which gives each transaction another connection',
  (it, ground) => engineSuite({ it, ground }),
  { pooled: true },
);
