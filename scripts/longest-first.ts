// Orders the test files: the longest begin first, so that no core waits for one that began last. Without times of an
// earlier run, Vitest orders by file size, and a crash test is a short file.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take ten seconds or more. */
const LONG =
  /(crash|family|memory|bundlers|dining-philosophers|capacitor-fairness|slots|workers|damage|thousands|making|processes|steps)\.test\.ts$/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    const ordered = [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    // Files that share a process come last, one after the other, because a file of another project between them would
    // end the process.
    const isAlone = ({ project }: TestSpecification): boolean => project.config.isolate;
    return [...ordered.filter(isAlone), ...ordered.filter((file) => !isAlone(file))];
  }
}
