import { MAX_UNREAD, MAX_UNREAD_PER_NETWORK, UnreadBytes } from './unread-responses';

const HALF = MAX_UNREAD_PER_NETWORK / 2;

it('accepts what a network has room for, and again when it has read', () => {
  const unread = new UnreadBytes();
  unread.add('one', HALF);
  unread.add('one', HALF);
  expect(() => unread.add('one', 1)).toThrow(expect.objectContaining({ code: 'too_much_unread' }));
  unread.add('another', HALF);
  unread.remove('one', HALF);
  unread.add('one', HALF);
});

it('has a bound for all networks together', () => {
  const unread = new UnreadBytes();
  for (let i = 0; i < MAX_UNREAD / HALF; i += 1) unread.add(`network ${i}`, HALF);
  expect(() => unread.add('one more', 1)).toThrow(expect.objectContaining({ code: 'system_busy' }));
  unread.remove('network 0', HALF);
  unread.add('one more', 1);
});

it('accepts one response of any size', () => {
  const unread = new UnreadBytes();
  unread.add('one', 2 * MAX_UNREAD);
  unread.remove('one', 2 * MAX_UNREAD);
  unread.add('one', HALF);
});
