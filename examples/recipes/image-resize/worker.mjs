import { BoundedBuffer, CountdownLatch, Region } from 'sluice';
import { scaleRows } from './scale.mjs';

self.onmessage = ({ data }) => {
  const source = Region.from(data.source).bytes;
  const result = Region.from(data.result).bytes;
  const done = CountdownLatch.from(data.done);
  for (const row of BoundedBuffer.from(data.queue)) {
    scaleRows({
      source,
      from: data.from,
      result,
      to: data.to,
      begin: row,
      end: Math.min(row + data.rows, data.to.height),
    });
    done.done(); // publishes the rows
  }
};
