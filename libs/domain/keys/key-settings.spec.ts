import { propertyOf } from '../common/property-name';
import { isNullable, KEY_FIELD_NAMES } from './key-fields';
import { fromWire, toStored, toWire } from './key-settings';

const NOW = new Date('2026-11-03T00:00:00Z');
const LATER = '2027-01-01T00:00:00.000Z';

describe('the settings of a key', () => {
  it('keep their meaning from the wire to the database and back', () => {
    const wire = {
      name: 'Robots',
      permissions: ['voices_read', 'text_to_speech'],
      allowed_ips: ['203.0.113.0/24', '203.0.113.5'],
      credit_limit: 0,
      expires_at: LATER,
      tags: ['b', 'a', 'b'],
      third_party_disable_allowed: false,
    };
    const stored = toStored(fromWire(wire), NOW);
    expect(stored).toEqual({
      name: 'Robots',
      permissions: expect.arrayContaining(['voices_read', 'text_to_speech']) as string[],
      allowedIps: ['203.0.113.0/24'],
      creditLimit: 0,
      expiresAt: new Date(LATER),
      tags: ['a', 'b'],
      thirdPartyDisableAllowed: false,
    });
    expect(toWire(stored)).toEqual({
      ...wire,
      permissions: stored.permissions,
      allowed_ips: ['203.0.113.0/24'],
      tags: ['a', 'b'],
    });
    expect(toWire(toStored(fromWire({ permissions: 'all' }), NOW))).toEqual({ permissions: 'all' });
  });

  it.each(KEY_FIELD_NAMES.filter(isNullable))('may be none, which is stored: %s', (name) => {
    expect(toStored(fromWire({ [name]: null }), NOW)).toEqual({ [propertyOf(name)]: null });
  });

  it.each([
    { name: '' },
    { permissions: ['fly'] },
    { allowed_ips: [] },
    { credit_limit: -1 },
    { requests_per_second: 10_001 },
    { requests_per_day: 0 },
    { expires_at: '2026-11-02' },
    { tags: ['A b'] },
    { external_id: ' ' },
  ])('are refused by name: %j', (wire) => {
    expect(() => toStored(fromWire(wire), NOW)).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({ path: expect.arrayContaining([Object.keys(wire)[0]]) as string[] }),
        ],
      }) as Error,
    );
  });

  it('take nothing else along: a digest or a secret that stands beside them stays behind', () => {
    const view = { name: 'Robots', digest: 'd', secret: 's', maskedSecret: 'grk_…abcd' };
    expect([toWire(view), fromWire(view), toStored(view, NOW)]).toEqual([
      { name: 'Robots' },
      { name: 'Robots' },
      { name: 'Robots' },
    ]);
  });
});
