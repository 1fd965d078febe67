import { expectedVersion } from './etag';
import { checkVersion, etagOf } from '@app/domain/common/version';

const outcome = (header: string | undefined, current: number): string => {
  try {
    checkVersion(expectedVersion(header), current);
    return 'accepted';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('If-Match', () => {
  it.each([
    [undefined, 'precondition_required'],
    ['', 'precondition_required'],
    [etagOf(3), 'accepted'],
    ['"v2", "v3"', 'accepted'],
    ['*', 'accepted'],
    [etagOf(2), 'precondition_failed'],
    ['W/"v3"', 'precondition_failed'],
    ['v3', 'precondition_failed'],
    ['"3"', 'precondition_failed'],
    ['"v03"', 'accepted'],
    [etagOf(1, 3), 'accepted'],
    [etagOf(3, 1), 'accepted'],
    [etagOf(1, 2), 'precondition_failed'],
    ['"yesterday"', 'precondition_failed'],
  ])('%s on version 3: %s', (header, expected) => {
    expect(outcome(header, 3)).toBe(expected);
  });
});
