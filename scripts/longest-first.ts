// The order of test files: those that take longest begin first, so that no core waits for one that began last. Vitest
// goes by the size of a file where it has no times of an earlier run, and a crash test is a short file.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They take ten seconds and more. */
const LONG = /(crash|family|memory|bundlers|dining-philosophers|capacitor-fairness|slots|workers)\.test\.ts$/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    const ordered = [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    // Files that share a process come last, one after the other: a file of another project between them would end it.
    const isAlone = ({ project }: TestSpecification): boolean => project.config.isolate;
    return [...ordered.filter(isAlone), ...ordered.filter((file) => !isAlone(file))];
  }
}
