// In an arena that is full.

import { describe } from 'vitest';
import { fullLockSuite } from '../../core/test/support/full-lock-suite.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';

describe('Mutex', () => fullLockSuite(Mutex));
describe('RecursiveMutex', () => fullLockSuite(RecursiveMutex));
