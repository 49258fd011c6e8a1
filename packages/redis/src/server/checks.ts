// The requirements and recommendations for a server, checked with its INFO.

import { UnsupportedError } from '@sluice/core';

/** Sharded Pub/Sub came with Redis 7. Valkey began at 7.2. */
const MIN_MAJOR = 7;

/**
 * Checks a server. Returns a sentence for each dangerous setting. Throws `UnsupportedError` for a server that lacks a
 * command.
 */
export function checkServer(info: string): string[] {
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const version = field('valkey_version') || field('redis_version');
  if (version !== '' && Number(version.split('.')[0]) < MIN_MAJOR) {
    throw new UnsupportedError(
      `The server is version ${version}: @sluice/redis needs Redis ${MIN_MAJOR} or newer, or Valkey.`,
    );
  }
  const warnings: string[] = [];
  const policy = field('maxmemory_policy');
  if (policy !== '' && policy !== 'noeviction') {
    warnings.push(
      `The server's maxmemory-policy is ${policy}: it may evict the keys of locks that are held. Set it to noeviction.`,
    );
  }
  if (field('aof_enabled') === '0' && field('role') !== '' && field('connected_slaves') === '0') {
    warnings.push(
      'The server has neither an append-only file nor a replica: after a crash all sessions are lost, and each holder learns of it within a lease. Set appendonly to yes.',
    );
  }
  return warnings;
}
