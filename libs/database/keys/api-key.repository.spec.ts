import { KEY_FIELD_NAMES, KEY_FIELDS } from '@app/domain/keys/key-fields';
import { VERIFIABLE_KEY } from './api-key.repository';

it.each(KEY_FIELD_NAMES)('a request reads of the setting %s what the table says', (name) => {
  // Of the key itself, and of the keys that limit it.
  const read = ['k', 'm'].map((key) => new RegExp(`\\b${key}\\.${name}\\b`).test(VERIFIABLE_KEY));
  const { gated } = KEY_FIELDS[name];
  expect(read).toEqual([gated, gated]);
});
