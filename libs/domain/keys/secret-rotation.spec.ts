import * as fc from 'fast-check';
import { MAX_OVERLAP_DAYS, planRotation, secretState, type SecretTerm } from './secret-rotation';

const NOW = new Date('2026-11-21T00:00:00Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);
const current: SecretTerm = { number: 3, retiresAt: null };
const retired: SecretTerm = { number: 1, retiresAt: NOW };
const retiring: SecretTerm = { number: 2, retiresAt: after(1) };

describe('a secret', () => {
  it('works to the end of its overlap and not at it', () => {
    expect([current, retiring, retired].map((secret) => secretState(secret, NOW))).toEqual([
      'current',
      'retiring',
      'retired',
    ]);
  });
});

describe('a rotation', () => {
  it('numbers the new secret after every other and lets the old one work for the overlap', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: MAX_OVERLAP_DAYS, noNaN: true }), (days) => {
        const plan = planRotation([retired, current], days, NOW);
        expect(plan).toMatchObject({ ok: true, number: 4 });
        expect(plan.ok && plan.retiresAt.getTime() - NOW.getTime()).toBeCloseTo(days * 86_400_000, -1);
      }),
    );
  });

  it('does not cut another overlap short', () => {
    expect(planRotation([current, retiring, retired], 1, NOW)).toEqual({
      ok: false,
      reason: 'rotation_in_progress',
      retiring,
    });
  });

  it('without overlap ends every older secret at once', () => {
    expect(planRotation([retiring, current], 0, NOW)).toEqual({ ok: true, number: 4, retiresAt: NOW });
  });

  it('gives a key without secrets its first one', () => {
    expect(planRotation([], 0, NOW)).toMatchObject({ number: 1 });
  });
});
