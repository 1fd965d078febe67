import { compileAllowList } from '../allow-lists/allow-list';
import type { AddressUse } from '../traffic/traffic';
import { dryRun } from './allow-list-dry-run';

const use = (address: string, requests: number): AddressUse => ({
  address,
  requests,
  firstAt: new Date(0),
  lastAt: new Date(1),
});

const USES = [
  use('203.0.113.1', 10),
  use('198.51.100.7', 2),
  use('198.51.100.8', 5),
  use('2001:db8::1', 1),
  use('unknown', 3),
  use('other', 4),
];

describe('a dry run', () => {
  it('adds up what would have been refused, most requests first, and what is unknown', () => {
    const result = dryRun(compileAllowList(['203.0.113.0/24', '2001:db8::/32']), USES, 0);
    expect(result).toEqual({
      requests: 25,
      refused: 10,
      undecided: 4,
      refusedAddresses: [use('198.51.100.8', 5), use('unknown', 3), use('198.51.100.7', 2)],
    });
  });

  it('of no list refuses no request', () => {
    expect(dryRun(null, USES, 0)).toMatchObject({ requests: 25, refused: 0, undecided: 0 });
  });

  it('of a list that has ended, or is corrupt, refuses everybody', () => {
    const ended = compileAllowList(['203.0.113.0/24'], { '203.0.113.0/24': 5 });
    for (const list of [ended, compileAllowList([])]) {
      expect(dryRun(list, USES, 5)).toMatchObject({ refused: 21, undecided: 4 });
    }
  });
});
