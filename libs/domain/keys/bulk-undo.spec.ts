import { whyLeftAlone, type KeySinceChange } from './bulk-undo';

const key: KeySinceChange = {
  id: '8c1f1b1e-0b7a-4a63-9d0e-3f5c6a7b8c9d',
  name: 'Production',
  unchanged: true,
  deleted: false,
  disabled: true,
  accountClosed: false,
};

it.each([
  ['is as the change has left it', {}, null],
  ['is deleted', { deleted: true, unchanged: false }, 'deleted'],
  ['was enabled by hand', { disabled: false, unchanged: false }, 'enabled_since'],
  ['was disabled again, for another reason', { unchanged: false }, 'changed_since'],
  ['belongs to a closed account', { accountClosed: true }, 'account_closed'],
] as const)('a key that %s', (_, since, expected) => {
  expect(whyLeftAlone({ ...key, ...since })).toBe(expected);
});
