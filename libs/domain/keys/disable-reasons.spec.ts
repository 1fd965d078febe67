import { DISABLE_REASONS, mayHolderDisable, publishedDisableReason } from './disable-reasons';

describe('reasons to disable a key', () => {
  it('reach customers only when the published API knows them', () => {
    const published = DISABLE_REASONS.filter((reason) => publishedDisableReason(reason) !== null);
    expect(published).toEqual(['trial_ended', 'subscription_downgrade', 'exposed_publicly', 'self_disabled']);
    expect(publishedDisableReason(null)).toBeNull();
  });
});

it.each([
  [null, null, true],
  [null, false, false],
  [null, true, true],
  [true, false, true],
  [false, true, false],
  [false, null, false],
])('a holder of a key that says %j, of an account that says %j, may disable it: %j', (key, account, may) => {
  expect(mayHolderDisable(key, account)).toBe(may);
});
