import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { presetChange } from '@app/domain/allow-lists/preset-change';
import { withPreset } from './draft-text';

const changeOf = (text: string) => presetChange(readAllowListText(text).entries, preset);

const preset = { name: 'runners', blocks: ['192.0.2.0/24', '198.51.100.0/24'] };

it('puts a preset on a list, each block with its name, and leaves the rest of the list as it is', () => {
  const text = withPreset('203.0.113.1 # the office\n', preset);
  expect(text).toBe(
    '203.0.113.1 # the office\n192.0.2.0/24 # preset runners\n198.51.100.0/24 # preset runners\n',
  );
  expect(changeOf(text)).toEqual({ isListed: true, added: [], removed: [] });
});

it('says what has changed since, and takes it', () => {
  const text = '192.0.2.0/24 # preset runners\n10.1.0.0/16 # preset runners\n10.2.0.0/16 # ours\n';
  expect(changeOf(text)).toEqual({
    isListed: true,
    added: ['198.51.100.0/24'],
    removed: ['10.1.0.0/16'],
  });
  expect(withPreset(text, preset)).toBe(
    '192.0.2.0/24 # preset runners\n10.2.0.0/16 # ours\n198.51.100.0/24 # preset runners\n',
  );
});
