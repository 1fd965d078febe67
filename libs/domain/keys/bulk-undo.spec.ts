import { whySkipped, type KeySinceChange } from './bulk-undo';

const key: KeySinceChange = {
  id: '8c1f1b1e-0b7a-4a63-9d0e-3f5c6a7b8c9d',
  name: 'Production',
  unchanged: true,
  deleted: false,
  disabled: true,
  accountClosed: false,
  managed: false,
  beyondPolicy: false,
  before: null,
};

it.each([
  ['is as the change has left it', 'disable', {}, null],
  ['is deleted', 'disable', { deleted: true, unchanged: false }, 'deleted'],
  ['was enabled by hand', 'disable', { disabled: false, unchanged: false }, 'enabled_since'],
  ['was disabled again, for another reason', 'disable', { unchanged: false }, 'changed_since'],
  ['belongs to a closed account', 'disable', { accountClosed: true }, 'account_closed'],
  ['is as it was enabled', 'enable', { disabled: false }, null],
  ['was disabled by hand', 'enable', { unchanged: false }, 'disabled_since'],
  ['is enabled in a closed account', 'enable', { disabled: false, accountClosed: true }, null],
  ['has the expiry of the change', 'set_expiry', {}, null],
  ['had an expiry that its policy rules out', 'set_expiry', { beyondPolicy: true }, 'beyond_policy'],
  ['had a limit, whatever its expiry', 'set_credit_limit', { beyondPolicy: true }, null],
  ['is managed by a file now', 'set_credit_limit', { managed: true }, 'managed_by_file'],
  ['is disabled and managed by a file', 'disable', { managed: true }, null],
  ['was edited since', 'set_credit_limit', { unchanged: false }, 'changed_since'],
  ['has a limit in a closed account', 'set_credit_limit', { accountClosed: true }, 'account_closed'],
] as const)('a key that %s', (_, action, since, expected) => {
  expect(whySkipped(action, { ...key, ...since })).toBe(expected);
});
