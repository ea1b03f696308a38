import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, whatever their size says. */
const LONG =
  /\/(?:suite|agree|load|corrupt|memory|answers|behind|log-corpus|damage|attacks|nth-call|fleet|truth|repair|same-answers)\.test|\/web\/(?:log|live|hosts|lake)\.|\/bus\/(?:jobs|live|sum)\./;

/** Starts what takes long first: begun last, it would keep one worker busy while the others have nothing to do. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
