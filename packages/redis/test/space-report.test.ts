// Tests the report of a namespace.

import { expect } from 'vitest';
import { reportOf, SUMMARY, summaryOf } from '../../remote/test/programs/report-of-a-space.ts';
import { onServer } from './support/server.ts';

onServer('space.report()', (it) => {
  it('lists the sessions, what they hold and wait for, and the cycle of two sessions', async ({ open }) => {
    const [first, second] = [await open({ name: 'first' }), await open({ name: 'second' })];
    const { report, text } = await reportOf(first, second);
    expect(summaryOf(report)).toEqual(SUMMARY);
    for (const { leaseLeft } of report.sessions) expect(leaseLeft).toBeGreaterThan(0);
    expect(text).toMatch(/^Space '.+': 2 sessions, 8 primitives in use\n\nSessions that wait for each other/);
    expect(text).toMatch(/Mutex 'a'\n {2}held by first \(.+\) for \d+ ms\n {2}1\. second \(.+\) waits\n/);
    expect(structuredClone(report)).toEqual(report);
  });

  it('is empty but for the own session in a namespace that no process uses', async ({ open, namespace }) => {
    const space = await open({ name: 'alone' });
    expect(await space.report()).toMatchObject({
      namespace,
      sessions: [{ label: 'alone' }],
      primitives: [],
      cycles: [],
    });
  });

  it('names a process that gave no name by its id and its host', async ({ open }) => {
    const space = await open();
    expect((await space.report()).sessions[0]?.label).toMatch(new RegExp(`^process ${process.pid} on \\S+$`));
  });
});
