import { afterDisabling, afterListing, afterRotation } from './after-change';

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
