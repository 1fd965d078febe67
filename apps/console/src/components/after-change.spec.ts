import { afterDisabling, afterGrant, afterListing, afterRotation } from './after-change';

const secret = (hint: string, state: 'current' | 'retiring' | 'retired') => ({
  number: 1,
  hint,
  state,
  created_at: '2026-11-01T10:00:00Z',
  retires_at: '2026-11-08T10:00:00Z',
  last_used_at: '2026-11-01T10:00:00Z',
  last_used_from: '203.0.113.7',
});

it('a rotation says until when the old secret works, and from where it was last used', () => {
  const secrets = [secret('grk_…new1', 'current'), secret('grk_…old1', 'retiring')];
  const { now, forCustomer } = afterRotation({ name: 'Production', secrets });
  expect(now).toMatch(
    /^The old secret, grk_…old1, works until 8 Nov 2026.*It was last used 1 Nov 2026.* from 203\.0\.113\.7\.$/,
  );
  expect(forCustomer).toMatch(/ends in new1.*ends in old1, works until 8 Nov 2026.*by then\.$/);
  const dead = [secret('grk_…new1', 'current'), secret('grk_…old1', 'retired')];
  expect(afterRotation({ name: 'Production', secrets: dead }).forCustomer).toContain('no longer works');
});

it('what is disabled, and what is listed, is named', () => {
  const key = { name: 'Production', hint: 'grk_…Ab3d', last_used_at: null, last_used_from: null };
  expect(afterDisabling(key)).toMatchObject({ now: 'It was never used.' });
  expect(afterDisabling(key).forCustomer).toContain('“Production”, which ends in Ab3d, is disabled');
  expect(afterListing(key, ['192.0.2.0/24']).forCustomer).toContain('these addresses only: 192.0.2.0/24.');
  expect(afterListing(null, null).forCustomer).toBe(
    'Every API key of your account can be used from every address.',
  );
});

it('a saved list says who still uses the key and is refused from now on', () => {
  const use = { address: '203.0.113.7', last_seen: '2026-11-01T10:00:00Z' };
  const tried = { days: 30, would_refuse: 4, would_refuse_addresses: [use] };
  expect(afterListing(null, ['192.0.2.0/24'], tried).now).toMatch(
    /^Refused from now on, and in use in the last 30 days: 203\.0\.113\.7, last 1 Nov 2026/,
  );
  const none = { ...tried, would_refuse: 0, would_refuse_addresses: [] };
  expect(afterListing(null, null, none).now).toBe('Nothing that used it in the last 30 days is refused.');
});

it('a grant says what is left, and until when', () => {
  const left = { remaining: 4_300, period_end: '2026-12-01T00:00:00Z' };
  expect(afterGrant(left)).toMatch(/^It has 4,300 credits left until (30 Nov|1 Dec) 2026/);
});
