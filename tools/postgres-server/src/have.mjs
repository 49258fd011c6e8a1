#!/usr/bin/env node
// @ts-check
// Whether tests can have a Postgres server: exit code 0 if they can, 1 if not. Installs one if it can.
import process, { stderr } from 'node:process';
import { findServer } from './find.mjs';

const found = findServer();
if (found.kind === 'none') {
  stderr.write(`\n*** No Postgres server: ${found.why}. Its tests will be SKIPPED. ***\n\n`);
  process.exitCode = 1;
}
