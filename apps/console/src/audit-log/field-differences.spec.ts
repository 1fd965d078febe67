import { fieldDifferences } from './field-differences';

describe('what an event changed, field by field', () => {
  it.each<[string, unknown, unknown, unknown[]]>([
    ['nothing at all', null, null, []],
    ['a field that is the same', { tier: 'pro' }, { tier: 'pro' }, []],
    ['another value', { tier: 'free' }, { tier: 'pro' }, [{ field: 'tier', was: 'free', is: 'pro' }]],
    ['a new record', null, { name: 'x' }, [{ field: 'name', was: null, is: 'x' }]],
    ['a deleted record', { name: 'x' }, undefined, [{ field: 'name', was: 'x', is: null }]],
    ['a limit taken away', { limit: 5 }, { limit: null }, [{ field: 'limit', was: '5', is: 'none' }]],
    [
      'a list with notes',
      { allowed_ips: null },
      { allowed_ips: [{ cidr: '192.0.2.1/32', note: 'home', ends_at: null }] },
      [{ field: 'allow-list', was: 'none', is: 'addresses 192.0.2.1/32 · note home' }],
    ],
    [
      'a value that is not a record',
      'a',
      ['b', 1_200, true],
      [{ field: 'value', was: 'a', is: 'b, 1,200, yes' }],
    ],
    [
      'an instant, in the zone of the reader',
      { expires_at: null },
      { expires_at: '2026-11-30T12:04:38.775Z' },
      [{ field: 'expires at', was: 'none', is: expect.stringMatching(/^30 Nov 2026, \d\d:04$/) }],
    ],
    [
      'a record within a record, without what is empty',
      null,
      { requested: { amount: 250_000, before: {}, key_id: null } },
      [{ field: 'requested', was: null, is: 'amount 250,000' }],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(fieldDifferences(before, after)).toEqual(expected);
  });
});
