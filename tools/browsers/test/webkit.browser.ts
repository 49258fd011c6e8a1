import { suite } from './suite.ts';

suite('webkit');
