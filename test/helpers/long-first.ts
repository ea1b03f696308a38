import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, whatever their size says: the longest first, then those of half a minute. */
const LONG: readonly RegExp[] = [
  /\/web\/log-corpus\./,
  /\/whole\/memory\.test/,
  /\/facts\/behind\.test/,
  /\/lake\/damage\.test/,
  /\/sql\/attacks\.test|\/bus\/jobs\.test|\/web\/live\.|\/facts\/answers\.test/,
  /\/(?:suite|agree|load|corrupt|answers-variants|nth-call|fleet|truth|repair|same-answers|chance)\.test|\/web\/(?:log|hosts|lake)\.|\/bus\/(?:live|sum)\./,
];

/** Starts what takes long first: begun last, it would keep one worker busy while the others have nothing to do. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONG.findIndex((each) => each.test(moduleId));
      return rank < 0 ? LONG.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
