// @ts-check
// Circles of files that are still to be undone (circles.mjs). A file that leaves its circle leaves this list, and no file is added.

/** @param {string} folder @param {string} files */
const below = (folder, files) => files.trim().split(/\s+/).map((file) => `${folder}/${file}`);

/** @type {readonly (readonly string[])[]} */
export const KNOWN_CIRCLES = [
  below(
    'packages/core/src',
    `
      account/title.ts arena/agent-context.ts arena/arena.ts arena/bell.ts arena/blocks.ts arena/compaction.ts
      arena/corrupt.ts arena/deadlock.ts arena/element-pool.ts arena/engine.ts arena/found.ts arena/free-lists.ts
      arena/handle.ts arena/heap.ts arena/holders-and-waiters.ts arena/leave.ts arena/life.ts
      arena/liveness-poller.ts arena/local-states.ts arena/losses.ts arena/name.ts arena/other-entries.ts arena/pending.ts arena/pool.ts
      arena/primitive.ts arena/reclaim.ts arena/recover-blocks.ts arena/recovery.ts arena/references.ts
      arena/report-agents.ts arena/report.ts arena/retry.ts arena/tags.ts arena/traps.ts arena/watch.ts body.ts
      channel/recover.ts channel/waiting.ts errors.ts kernel/admit.ts kernel/chain.ts kernel/channel.ts
      kernel/gather.ts kernel/guard.ts kernel/heap.ts kernel/kernel.ts kernel/leave.ts kernel/owner.ts
      kernel/recover.ts kernel/release.ts kernel/roll-back.ts kernel/steps.ts kernel/wait.ts kernel/walk.ts
      kernel/words.ts kind.ts lock-health.ts lock.ts one-line.ts owner-died.ts parking.ts semaphore/options.ts
      semaphore/report.ts wrong-instance.ts
    `,
  ),
  below(
    'packages/redis/src',
    `
      attempts.ts barrier.ts bridge.ts countdown-latch.ts key-lock.ts keyed-mutex.ts lazy.ts limit.ts lock.ts
      meeting.ts once.ts rate-limiter.ts semaphore.ts space.ts
    `,
  ),
  below(
    'packages/redis/src',
    `
      entries.ts grant.ts news.ts round-wait.ts rounds.ts session.ts wait.ts
    `,
  ),
  below(
    'packages/limit/src',
    `
      handle.ts report.ts sized-slots.ts slots.ts
    `,
  ),
  below(
    'packages/semaphores/src',
    `
      permit-guard.ts resizable-semaphore.ts
    `,
  ),
];
