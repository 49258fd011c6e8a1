import { Arena, HandleError } from '@sluice/core';
import { kernelModules } from '../../core/src/kernel/kernel.ts';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { BoundedBuffer, type BoundedBufferHandle } from '../src/index.ts';
import { BUFFER } from '../src/sides/kinds.ts';
import { KINDS } from './support/kinds.ts';

const arena = Arena.create({ maxPages: 16 });

function throughPort(message: { readonly handle: BoundedBufferHandle }): Promise<typeof message> {
  const { port1, port2 } = new MessageChannel();
  return new Promise<typeof message>((resolve) => {
    port2.onmessage = ({ data }: MessageEvent<typeof message>) => resolve(data);
    port1.postMessage(message);
  }).finally(() => port1.close());
}

describe.each(KINDS)('$name', ({ codec, create, from, value }) => {
  test('a handle is a frozen plain object with its kind and its codec', () => {
    const { handle } = create(arena, 2);
    const { layout, memory } = arena.handle;
    const modules = kernelModules(BUFFER.kernel.id);
    expect(Object.keys(modules ?? {})).toContain(BUFFER.kernel.id);
    const { address, tag } = handle;
    expect(handle).toEqual({
      kind: 'sluice.bounded-buffer',
      layout,
      modules,
      arena: arena.id,
      memory,
      address,
      tag,
      codec,
    });
    expect([Object.isFrozen(handle), Object.getPrototypeOf(handle)]).toEqual([true, Object.prototype]);
  });

  test('from() of a posted handle opens the same buffer, although its memory object differs', async () => {
    const ours = create(arena, 2, 'posted');
    const { handle } = await throughPort({ handle: ours.handle });
    expect(handle.memory).not.toBe(ours.handle.memory);
    const twin = from(handle);
    ours.push(value(1));
    expect([twin.handle.memory, twin.inspect(), twin.pop()]).toEqual([
      ours.handle.memory,
      { ...ours.inspect(), length: 1 },
      value(1),
    ]);
  });

  test("from() of another agent's handle opens the same buffer", () => {
    const ours = create(arena, 2);
    const theirs = openAs(secondAgent(arena), ours.handle, from);
    theirs.push(value(2));
    expect([ours.pop(), { ...theirs.handle, arena: '' }]).toEqual([value(2), { ...ours.handle, arena: '' }]);
  });

  test("from() of a freed buffer's handle does not open the buffer that reuses the memory", () => {
    const { handle } = create(arena, 2);
    from(handle).free();
    const next = create(arena, 2);
    expect([next.handle.address, next.handle.tag === handle.tag]).toEqual([handle.address, false]);
    expect(() => from(handle)).toThrow(HandleError);
    next.free();
  });
});

test('from() of a value that is not a handle throws a HandleError', () => {
  for (const handle of [undefined, {}, arena.handle])
    expect(() => BoundedBuffer.from(handle as never)).toThrow(HandleError);
});
