import * as fc from 'fast-check';
import {
  canonicalJson,
  CHAIN_START,
  chainHash,
  chainKeyId,
  ChainVerifier,
  type AuditRow,
} from './audit-chain';

const KEY = Buffer.alloc(32, 7);
const LATER_KEY = Buffer.alloc(32, 9);

const row = (changes: Partial<AuditRow> = {}): AuditRow => ({
  day: '2026-11-20',
  seq: 1,
  at: '2026-11-20T10:00:00.000Z',
  actorKind: 'staff',
  actorId: 'a',
  actorName: 'a@staff.test',
  actorRole: 'admin',
  action: 'key.disabled',
  targetType: 'api_key',
  targetId: 'k',
  accountId: null,
  before: { enabled: true },
  after: { enabled: false },
  reason: 'Trial ended',
  address: null,
  requestId: null,
  ...changes,
});

describe('chainHash', () => {
  it.each(Object.keys(row()) as (keyof AuditRow)[])('changes with %s', (field) => {
    expect(chainHash(KEY, CHAIN_START, row({ [field]: 'another' }))).not.toBe(
      chainHash(KEY, CHAIN_START, row()),
    );
  });

  it('changes with the hash before it and with the key', () => {
    const hash = chainHash(KEY, CHAIN_START, row());
    expect(chainHash(KEY, hash, row())).not.toBe(hash);
    expect(chainHash(Buffer.alloc(32, 8), CHAIN_START, row())).not.toBe(hash);
  });

  it('distinguishes neighbouring fields', () => {
    expect(chainHash(KEY, CHAIN_START, row({ actorId: 'ab', actorName: 'c' }))).not.toBe(
      chainHash(KEY, CHAIN_START, row({ actorId: 'a', actorName: 'bc' })),
    );
  });
});

describe('canonicalJson', () => {
  it('is the same text in whatever order the keys were written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, entry]) => [key, reversed(entry)]),
  );
}

describe('ChainVerifier', () => {
  /** Rows of two days, chained. */
  function chain(days: Record<string, number>) {
    let hash = CHAIN_START;
    return Object.entries(days).flatMap(([day, count]) =>
      Array.from({ length: count }, (_, i) => {
        const next = row({ day, seq: i + 1 });
        hash = chainHash(KEY, hash, next);
        return { row: next, hash };
      }),
    );
  }

  const headsOf = (links: ReturnType<typeof chain>) =>
    links
      .filter((link, i) => links[i + 1]?.row.day !== link.row.day)
      .map(({ row: { day, seq }, hash }) => ({ day, seq, hash }));

  function verify(
    links: (ReturnType<typeof chain>[number] & { keyId?: string })[],
    heads = headsOf(links),
    keys = [KEY],
  ) {
    const verifier = new ChainVerifier(keys, heads);
    for (const { row, hash, keyId = null } of links) {
      const problem = verifier.next(row, { hash, keyId });
      if (problem) return problem;
    }
    return verifier.end();
  }

  const DAYS = { '2026-11-18': 3, '2026-11-20': 2 };

  it('follows a chain across days', () => {
    expect(verify(chain(DAYS))).toBeNull();
    expect(verify([])).toBeNull();
  });

  it('follows a chain whose secret was replaced, while it knows both', () => {
    const [first, next] = [row(), row({ seq: 2 })];
    const hash = chainHash(KEY, CHAIN_START, first);
    const links = [
      { row: first, hash, keyId: chainKeyId(KEY) },
      { row: next, hash: chainHash(LATER_KEY, hash, next), keyId: chainKeyId(LATER_KEY) },
    ];
    const place = { day: '2026-11-20', seq: 2 };
    expect(verify(links, undefined, [LATER_KEY, KEY])).toBeNull();
    expect(verify(links)).toEqual({
      ...place,
      problem: 'the row was signed with a secret that is not known here',
    });
    links[1]!.keyId = chainKeyId(KEY);
    expect(verify(links, undefined, [LATER_KEY, KEY])).toEqual({ ...place, problem: 'the row was changed' });
  });

  it('finds a day that was taken out together with the link to it', () => {
    const whole = chain({ '2026-11-18': 3, '2026-11-19': 1, '2026-11-20': 2 });
    const without = whole.filter(({ row }) => row.day !== '2026-11-19');
    expect(verify(without, headsOf(whole))).toEqual({
      day: '2026-11-19',
      seq: 1,
      problem: 'the rows of this day are missing',
    });
    expect(verify(without)).toMatchObject({ day: '2026-11-20', seq: 1, problem: 'the row was changed' });
  });

  it('finds the last day taken out, by its head', () => {
    const links = chain(DAYS);
    expect(verify(links.slice(0, 3), headsOf(links))).toMatchObject({ day: '2026-11-20' });
  });

  it('finds any change of any row', () => {
    fc.assert(
      fc.property(fc.nat(4), fc.constantFrom('reason', 'actorId', 'requestId', 'at'), (index, field) => {
        const links = chain(DAYS);
        links[index]!.row = { ...links[index]!.row, [field]: 'forged' };
        const { day, seq } = links[index]!.row;
        expect(verify(links)).toEqual({ day, seq, problem: 'the row was changed' });
      }),
    );
  });
});
