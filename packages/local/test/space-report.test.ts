// Tests the report of a namespace.

import { expect, test } from 'vitest';
import { reportOf, SUMMARY, summaryOf } from '../../remote/test/programs/report-of-a-space.ts';
import { makeOpen } from './support/spaces.ts';

test.each(['the member that serves', 'another member'])(
  'space.report() of %s lists what both sessions hold',
  async (which) => {
    const open = makeOpen();
    const [first, second] = [await open({ name: 'first' }), await open({ name: 'second' })];
    const spaces = which === 'another member' ? ([second, first] as const) : ([first, second] as const);
    const { report, text } = await reportOf(first, second);
    expect(summaryOf(report)).toEqual(SUMMARY);
    expect(summaryOf(await spaces[0].report())).toEqual(SUMMARY);
    expect(text).toMatch(/Mutex 'b'\n {2}held by second \(.+\) for \d+ ms\n {2}1\. first \(.+\) waits\n/);
  },
);
