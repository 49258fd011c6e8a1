import { expect } from 'vitest';
import { failureOf, onServer, until } from './support/server.ts';

onServer(
  'a countdown latch',
  (it) => {
    it('admits the waiters of all sessions when the count reaches 0, and not before', async ({ open }) => {
      const [a, b] = [(await open()).countdownLatch('parts', 3), (await open()).countdownLatch('parts', 3)];
      let admitted = 0;
      const waits = [a, b, b].map((latch) => latch.waitAsync().then(() => admitted++));
      await until('all wait', async () => (await a.waiting) === 3);
      await a.done(2);
      expect([admitted, await b.count, await b.waiting]).toEqual([0, 1, 3]);
      await b.done();
      await Promise.all(waits);
      expect([await a.count, await a.waiting]).toEqual([0, 0]);
    });

    it('wait() resolves at once at count 0, and add() begins another round', async ({ open }) => {
      const [a, b] = [(await open()).countdownLatch('rounds'), (await open()).countdownLatch('rounds')];
      for (let round = 0; round < 3; round++) {
        await a.waitAsync();
        await a.add(2);
        expect(await b.tryWait()).toBe(false);
        const waiting = b.waitAsync();
        await a.done();
        await b.done();
        await waiting;
      }
      expect(await b.tryWait()).toBe(true);
    });

    it('counts each of many calls once', async ({ open }) => {
      const latches = [(await open()).countdownLatch('many', 200), (await open()).countdownLatch('many', 200)] as const;
      const waiting = latches[0].waitAsync();
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          await latches[i % 2 === 0 ? 0 : 1].add();
          await latches[i % 3 === 0 ? 0 : 1].done(3);
        }),
      );
      await waiting;
      expect(await latches[1].count).toBe(0);
    });

    it('admits thousands of waits of one session', async ({ open }) => {
      const latch = (await open({ lease: 60_000 })).countdownLatch('crowd', 1);
      const waits = Array.from({ length: 3000 }, () => latch.waitAsync());
      await until('all wait', async () => (await latch.waiting) === waits.length);
      await latch.done();
      await Promise.all(waits);
      // The session has learned of more waits than one call may carry.
      await latch.waitAsync();
      expect(await latch.waiting).toBe(0);
    });

    it('done() below 0, add() above 2^31 - 1 and claim() above the count throw', async ({ open }) => {
      const latch = (await open()).countdownLatch('parts', 2);
      expect(await failureOf(latch.done(3))).toMatchObject({
        code: 'SLUICE_MISUSE',
        message: "CountdownLatch 'parts' cannot be counted down by 3: its count is 2. It was not changed.",
      });
      expect(await failureOf(latch.add(2 ** 31 - 2))).toMatchObject({
        name: 'RangeError',
        message:
          "CountdownLatch 'parts' cannot count up by 2147483646: its count is 2, and the maximum is 2147483647. It was not changed.",
      });
      await latch.claim();
      expect((await failureOf(latch.claim(2))).message).toBe(
        "CountdownLatch 'parts': 2 more claims would exceed its count of 2. It was not changed.",
      );
      expect(await latch.count).toBe(2);
    });

    it('a waiter that times out or is aborted leaves alone', async ({ open }) => {
      const [a, b] = [(await open()).countdownLatch('parts', 1), (await open()).countdownLatch('parts', 1)];
      const controller = new AbortController();
      const aborted = failureOf(a.waitAsync({ signal: controller.signal }));
      const stays = b.tryWait(60_000);
      await until('both wait', async () => (await a.waiting) === 2);
      expect((await failureOf(a.waitAsync({ timeout: 5 }))).message).toBe(
        "CountdownLatch 'parts': timed out after 5 ms. It was not changed.",
      );
      controller.abort(new Error('enough'));
      expect((await aborted).message).toBe('enough');
      await until('one waiter is left', async () => (await b.waiting) === 1);
      await a.done();
      expect(await stays).toBe(true);
    });

    it('counts down the unpaid claims of a session that ends', async ({ open }) => {
      const [dies, lives] = [await open({ name: 'dies' }), (await open()).countdownLatch('parts', 5)];
      const latch = dies.countdownLatch('parts', 5);
      await latch.claim(3);
      await latch.done();
      expect((await lives.inspect()).claimedBy).toMatchObject([{ label: 'dies', count: 2 }]);
      await dies.close();
      expect(await lives.inspect()).toMatchObject({ name: 'parts', count: 2, claimedBy: [], waiters: [] });
      await lives.claim(2);
      await lives.done(2);
      await lives.waitAsync();
      // A claim of the previous round has no effect in this one.
      await lives.add(2);
      expect((await lives.inspect()).claimedBy).toEqual([]);
    });

    it('tells a process whose lease ended that its claims have been counted down', async ({ open, command }) => {
      const latch = (await open()).countdownLatch('parts', 2);
      await latch.claim();
      await command('FLUSHALL');
      expect(await failureOf(latch.waitAsync())).toMatchObject({
        code: 'SLUICE_LEASE_LOST',
        message:
          "CountdownLatch 'parts': the lease of this process ended, so what it had claimed has been counted down. This call changed nothing.",
      });
      await latch.done();
      expect(await latch.count).toBe(1);
    });

    it('keeps a count between sessions, and leaves no data if the count is the initial one', async ({
      open,
      command,
      namespace,
    }) => {
      const first = await open();
      await first.countdownLatch('kept', 2).done();
      await first.countdownLatch('unused').waitAsync();
      await first.close();
      expect(await command('KEYS', `sl:{${namespace}}:p:*`)).toEqual([`sl:{${namespace}}:p:d:kept`]);
      expect(Number(await command('TTL', `sl:{${namespace}}:p:d:kept`))).toBeGreaterThan(600_000);
      const second = (await open()).countdownLatch('kept', 2);
      await second.done();
      await second.waitAsync();
    });

    it('keeps no claim on a round that has ended', async ({ open, command, namespace }) => {
      const [first, second] = [await open(), await open()];
      const claimed = first.countdownLatch('parts', 1);
      await claimed.claim();
      await second.countdownLatch('parts', 1).done();
      await claimed.waitAsync();
      await first.close();
      expect(
        ((await command('HKEYS', `sl:{${namespace}}:p:d:parts`)) as string[]).filter((field) => field.endsWith(':own')),
      ).toEqual([]);
    });

    it('on a server without memory, add() fails and done() works', async ({ open, command }) => {
      const [a, b] = [
        (await open({ lease: 10_000 })).countdownLatch('parts', 2),
        (await open({ lease: 10_000 })).countdownLatch('parts', 2),
      ];
      await a.done();
      const waiting = b.waitAsync();
      await until('it waits', async () => (await a.waiting) === 1);
      await command('CONFIG', 'SET', 'maxmemory', '1');
      const [refused, done] = await Promise.allSettled([a.add(), a.done()]);
      await command('CONFIG', 'SET', 'maxmemory', '0');
      expect([refused.status, done.status]).toEqual(['rejected', 'fulfilled']);
      await waiting;
    });
  },
  { own: true },
);
