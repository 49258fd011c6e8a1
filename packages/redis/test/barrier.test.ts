import { expect } from 'vitest';
import type { RemoteBarrier } from '@sluice/redis';
import { failureOf, onServer, until } from './support/server.ts';

/** Returns the number of waits that have arrived at the server. */
async function arrived(barrier: RemoteBarrier, n: number): Promise<void> {
  await until(`${n} have arrived`, async () => (await barrier.waiting) === n);
}

onServer(
  'a barrier',
  (it) => {
    for (const library of ['redis', 'ioredis'] as const)
      it(`releases the parties of all sessions together, one of them as the leader, through ${library}`, async ({
        open,
      }) => {
        const [a, b] = [(await open({}, library)).barrier('phase', 3), (await open({}, library)).barrier('phase', 3)];
        const first = a.waitAsync();
        await arrived(a, 1);
        const second = b.waitAsync();
        await arrived(a, 2);
        expect(await a.inspect()).toMatchObject({
          name: 'phase',
          parties: 3,
          arrived: 2,
          generation: 0,
          acting: false,
          broken: undefined,
          claimedBy: [],
        });
        expect(await a.tryWait()).toEqual({ leader: false });
        expect([await first, await second]).toEqual([{ leader: true }, { leader: false }]);
        expect([await a.generation, await b.waiting, await b.parties, await b.broken]).toEqual([1, 0, 3, false]);
      });

    it('keeps four parties in step for many generations', async ({ open }) => {
      const barriers = [(await open()).barrier('phase', 4), (await open()).barrier('phase', 4)];
      const phases = [0, 0, 0, 0];
      const leaders: number[] = [];
      await Promise.all(
        phases.map(async (_, party) => {
          for (let phase = 0; phase < 50; phase++) {
            phases[party] = phase;
            const { leader } = await (barriers[party % 2] as RemoteBarrier).waitAsync();
            if (leader) leaders.push(phase);
            expect(Math.min(...phases)).toBeGreaterThanOrEqual(phase);
          }
        }),
      );
      expect(leaders.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 50 }, (_, phase) => phase));
    });

    it('is broken for all parties when one times out, until mend()', async ({ open }) => {
      const [a, b] = [(await open()).barrier('phase', 3), (await open()).barrier('phase', 3)];
      const waiting = failureOf(b.waitAsync());
      await arrived(b, 1);
      expect(await failureOf(a.waitAsync({ timeout: 20 }))).toMatchObject({
        code: 'SLUICE_TIMEOUT',
        message: "Barrier 'phase': timed out after 20 ms. A party that has arrived and leaves breaks the barrier.",
      });
      const message =
        "Barrier 'phase' is broken: a wait timed out or was aborted. Call mend() when its parties are ready to begin again.";
      expect(await waiting).toMatchObject({ name: 'BrokenBarrierError', code: 'SLUICE_BROKEN_BARRIER', message });
      expect((await failureOf(b.waitAsync())).message).toBe(message);
      expect(await b.inspect()).toMatchObject({ broken: 'gave-up', generation: 1, arrived: 0 });
      await Promise.all([a.mend(), b.mend()]);
      expect(await Promise.all([a.waitAsync(), a.waitAsync(), b.waitAsync()])).toHaveLength(3);
    });

    it('is broken by a signal, by abort(), and by the end of a session', async ({ open }) => {
      const [a, spaceB] = [(await open()).barrier('phase', 3), await open()];
      const b = spaceB.barrier('phase', 3);
      const controller = new AbortController();
      const aborted = failureOf(b.waitAsync({ signal: controller.signal }));
      const first = failureOf(a.waitAsync());
      await arrived(a, 2);
      controller.abort(new Error('stop'));
      expect((await aborted).message).toBe('stop');
      expect((await first).code).toBe('SLUICE_BROKEN_BARRIER');
      await a.mend();
      const second = failureOf(a.waitAsync());
      await arrived(a, 1);
      await b.abort();
      expect((await second).message).toBe(
        "Barrier 'phase' is broken: abort() was called. Call mend() when its parties are ready to begin again.",
      );
      await a.mend();
      const third = failureOf(a.waitAsync());
      const own = failureOf(b.waitAsync());
      await arrived(a, 2);
      await spaceB.close();
      expect((await own).code).toBe('SLUICE_CLOSED');
      expect((await third).message).toBe(
        "Barrier 'phase' is broken: a session ended. Call mend() when its parties are ready to begin again.",
      );
      expect(await a.parties).toBe(3);
    });

    it('is whole after reset(), which ends the earlier waits', async ({ open }) => {
      const [a, b] = [(await open()).barrier('phase', 2), (await open()).barrier('phase', 2)];
      await b.reset();
      expect(await a.generation).toBe(0);
      const waiting = failureOf(a.waitAsync());
      await arrived(a, 1);
      await b.reset();
      expect((await waiting).message).toBe("Barrier 'phase' is broken: it was reset while parties waited. Call again.");
      expect(await a.inspect()).toMatchObject({ broken: undefined, generation: 1 });
      await a.abort();
      await b.reset();
      await Promise.all([a.waitAsync(), b.waitAsync()]);
    });

    it('register() adds parties, and deregister() removes them', async ({ open }) => {
      const [a, b] = [
        (await open({ name: 'one' })).barrier('phase', 0),
        (await open({ name: 'two' })).barrier('phase', 0),
      ];
      expect((await failureOf(a.waitAsync())).message).toBe(
        "Barrier 'phase' has no parties: register() adds them. It was not changed.",
      );
      await a.register();
      await b.register(2);
      expect((await a.inspect()).claimedBy.toSorted((x, y) => x.parties - y.parties)).toMatchObject([
        { label: 'one', parties: 1 },
        { label: 'two', parties: 2 },
      ]);
      const waits = [a.waitAsync(), b.waitAsync()];
      await arrived(a, 2);
      expect((await failureOf(b.deregister(2))).message).toBe(
        "Barrier 'phase': 2 cannot leave: 2 of 3 parties have arrived. It was not changed.",
      );
      await b.deregister();
      await Promise.all(waits);
      expect((await a.inspect()).claimedBy.map(({ parties }) => parties)).toEqual([1, 1]);
      expect((await failureOf(a.register(32766))).message).toBe(
        "Barrier 'phase' cannot have 32766 more than its 2 parties: the maximum is 32767. It was not changed.",
      );
      expect((await failureOf(a.claim(2))).message).toBe(
        "Barrier 'phase': this process cannot be 2 more of its 2 parties. It was not changed.",
      );
    });

    it('is broken when a session ends, and loses the parties of that session', async ({ open }) => {
      const [a, spaceB] = [(await open()).barrier('phase', 3), await open()];
      await spaceB.barrier('phase', 3).claim();
      const waiting = failureOf(a.waitAsync());
      await arrived(a, 1);
      await spaceB.close();
      expect((await waiting).code).toBe('SLUICE_BROKEN_BARRIER');
      expect(await a.inspect()).toMatchObject({ parties: 2, broken: 'died' });
      await a.mend();
      await Promise.all([a.waitAsync(), a.waitAsync()]);
    });

    it('tells a process whose lease ended that its parties have left', async ({ open, command }) => {
      const barrier = (await open()).barrier('phase', 0);
      await barrier.register();
      await command('FLUSHALL');
      expect((await failureOf(barrier.waitAsync())).message).toBe(
        "Barrier 'phase': the lease of this process ended, so its parties have left, and the generation was broken. This call changed nothing.",
      );
      await barrier.register();
      expect(await barrier.waitAsync()).toEqual({ leader: true });
    });

    it('runs the action of the last party and awaits it before it releases any party', async ({ open }) => {
      const log: string[] = [];
      const action = (name: string) => async (): Promise<void> => {
        await Promise.resolve();
        log.push(`action of ${name}`);
      };
      const [a, b] = [
        (await open()).barrier('phase', 2, { action: action('a') }),
        (await open()).barrier('phase', 2, { action: action('b') }),
      ];
      const first = a.waitAsync().then(() => log.push('a goes on'));
      await arrived(a, 1);
      await b.waitAsync();
      log.push('b goes on');
      await first;
      expect(log[0]).toBe('action of b');
      expect(log.slice(1).toSorted()).toEqual(['a goes on', 'b goes on']);
    });

    it('counts an arrival during the action for the next generation', async ({ open }) => {
      const gate = { open: (): void => undefined, runs: 0 };
      const action = (): Promise<void> =>
        new Promise((resolve) => {
          gate.runs++;
          gate.open = resolve;
        });
      const [a, b] = [(await open()).barrier('phase', 1, { action }), (await open()).barrier('phase', 1)];
      const first = a.waitAsync();
      await until('the action runs', () => gate.runs === 1);
      const early = b.waitAsync();
      await arrived(a, 2);
      expect(await b.tryWait()).toBeUndefined();
      expect(await a.inspect()).toMatchObject({ acting: true, arrived: 1, generation: 0 });
      // This party has not arrived, so its abort does not break the barrier.
      const controller = new AbortController();
      const leaves = failureOf(b.waitAsync({ signal: controller.signal }));
      await arrived(a, 3);
      controller.abort(new Error('stop'));
      expect((await leaves).message).toBe('stop');
      gate.open();
      expect(await first).toEqual({ leader: true });
      expect(await early).toEqual({ leader: true });
      expect(await a.generation).toBe(2);
    });

    it('is broken by an action that rejects, and only the call with the action gets its error', async ({ open }) => {
      const action = (): Promise<never> => Promise.reject(new Error('no swap'));
      const [a, b] = [(await open()).barrier('phase', 2), (await open()).barrier('phase', 2, { action })];
      const first = failureOf(a.waitAsync());
      await arrived(a, 1);
      expect((await failureOf(b.waitAsync())).message).toBe('no swap');
      expect((await first).message).toBe(
        "Barrier 'phase' is broken: its action threw an error. Call mend() when its parties are ready to begin again.",
      );
    });

    it('is broken even for the party that runs the action if it is reset meanwhile', async ({ open }) => {
      const gate = { open: (): void => undefined, runs: 0 };
      const action = (): Promise<void> =>
        new Promise((resolve) => {
          gate.runs++;
          gate.open = resolve;
        });
      const [a, b] = [(await open()).barrier('phase', 1, { action }), (await open()).barrier('phase', 1)];
      const first = failureOf(a.waitAsync());
      await until('the action runs', () => gate.runs === 1);
      await b.reset();
      gate.open();
      expect((await first).code).toBe('SLUICE_BROKEN_BARRIER');
      expect(await b.inspect()).toMatchObject({ broken: undefined, acting: false });
    });

    it('runs the action of a leaving party if all others have arrived', async ({ open }) => {
      let runs = 0;
      const [a, b] = [(await open()).barrier('phase', 2), (await open()).barrier('phase', 2, { action: () => ++runs })];
      const waiting = a.waitAsync();
      await arrived(a, 1);
      await b.deregister();
      await waiting;
      expect([runs, await a.parties]).toEqual([1, 1]);
    });

    it('throws if its number of parties differs from that of another process', async ({ open }) => {
      const [a, b] = [(await open()).barrier('phase', 2), (await open()).barrier('phase', 3)];
      await a.mend();
      expect((await failureOf(b.waitAsync())).message).toBe(
        "Barrier 'phase' was made with 2 parties, and this process makes it with 3. All processes must agree. It was not changed.",
      );
      expect(await a.waiting).toBe(0);
    });

    it('forgets waits that have ended, and leaves no data when its sessions close', async ({
      open,
      command,
      namespace,
    }) => {
      const [a, b] = [await open({ lease: 3000 }), await open({ lease: 3000 })];
      for (let i = 0; i < 5; i++) await Promise.all([a, b].map((space) => space.barrier('phase', 2).waitAsync()));
      const key = `sl:{${namespace}}:p:b:phase`;
      await until('heartbeats have told the server', async () =>
        ((await command('HKEYS', key)) as string[]).every((field) => !/:\d/.test(field)),
      );
      await Promise.all([a.close(), b.close()]);
      expect(await command('KEYS', `sl:{${namespace}}*`)).toEqual([`sl:{${namespace}}:T`]);
    });
  },
  { own: true },
);
