import { suite } from './suite.ts';

suite('chromium');
