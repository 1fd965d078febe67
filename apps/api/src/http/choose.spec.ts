import { choose } from './choose';

const at = new Date('2026-01-02T03:04:05.678Z');

it('has the named fields as the wire has them, in the order of the list', () => {
  const view = { accountId: 'a', retiresAt: at, endsAt: null, used14Days: [true], name: 'n' };
  const chosen = choose(view, 'name', 'accountId', 'retiresAt', 'endsAt', 'used14Days');
  expect(Object.entries(chosen)).toEqual([
    ['name', 'n'],
    ['account_id', 'a'],
    ['retires_at', at.toISOString()],
    ['ends_at', null],
    ['used14_days', [true]],
  ]);
});

it('lets nothing out that a view was given later', () => {
  const view = { id: 'k', name: 'n', secretDigest: 'd' };
  expect(choose(view, 'id', 'name')).toEqual({ id: 'k', name: 'n' });
});
