import { createHash, randomBytes } from 'node:crypto';
import { crc32 as zlibCrc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { digestSecret, generateSecret, maskSecret, secretKind, type SecretKind } from './api-key-secret';
import { SECRET_PATTERN } from './secret-text';
import { encodeBase62 } from '../common/base62';
import { crc32 } from '../common/crc32';

const kinds = fc.constantFrom<SecretKind>(
  'api_key',
  'single_use_token',
  'service_credential',
  'management_credential',
);
const seeds = fc.uint8Array({ minLength: 64, maxLength: 64 });
const secrets = fc.tuple(kinds, seeds).map(([kind, seed]) => generateSecret(kind, bytesFrom(seed)));

/** Random bytes as a function of the seed, so that a failing case can be repeated. */
function bytesFrom(seed: Uint8Array): (size: number) => Uint8Array {
  let round = 0;
  return (size) => {
    const digest = createHash('sha512').update(seed).update(String(round++)).digest();
    return digest.subarray(0, size);
  };
}

/** The secret with one character moved to U+0100 and beyond. */
function withHighByte(secret: string, at: number): string {
  return secret.slice(0, at) + String.fromCharCode(secret.charCodeAt(at) + 0x100) + secret.slice(at + 1);
}

describe('a generated secret', () => {
  it('is recognised as the kind it was generated as', () => {
    fc.assert(
      fc.property(kinds, seeds, (kind, seed) => {
        expect(secretKind(generateSecret(kind, bytesFrom(seed)))).toBe(kind);
      }),
    );
  });

  it('is found by the published pattern, alone and inside a text', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        expect(SECRET_PATTERN.exec(secret)?.[0]).toBe(secret);
        expect(SECRET_PATTERN.exec(`{"key":"${secret}"}`)?.[0]).toBe(secret);
      }),
    );
  });

  it('uses every base62 character about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2000; i++) {
      for (const c of generateSecret('api_key', randomBytes).slice(4, 36))
        counts.set(c, (counts.get(c) ?? 0) + 1);
    }
    const expected = (2000 * 32) / 62;
    expect(counts.size).toBe(62);
    for (const count of counts.values())
      expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
  });

  it('skips the bytes that would favour some characters', () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, i) => (i % 2 ? 255 : 61));
    expect(generateSecret('api_key', () => bytes).slice(4, 36)).toBe('z'.repeat(32));
  });
});

describe('checking a credential', () => {
  it('refuses every change of a single character', () => {
    const change = fc.tuple(secrets, fc.nat(41), fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }));
    fc.assert(
      fc.property(change, ([secret, at, character]) => {
        fc.pre(secret[at] !== character);
        expect(secretKind(secret.slice(0, at) + character + secret.slice(at + 1))).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses every swap of two different neighbours', () => {
    fc.assert(
      fc.property(secrets, fc.nat(40), (secret, at) => {
        fc.pre(secret[at] !== secret[at + 1]);
        const swapped = secret.slice(0, at) + secret[at + 1] + secret[at] + secret.slice(at + 2);
        expect(secretKind(swapped)).toBeNull();
      }),
    );
  });

  it('refuses any text that is not one of ours', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(secretKind(text)).toBeNull()));
  });

  const [secret, other] = [generateSecret('api_key', randomBytes), generateSecret('api_key', randomBytes)];
  it.each([
    ['nothing', ''],
    ['a prefix alone', 'grk_'],
    ['a missing character', secret.slice(0, -1)],
    ['an extra character', `${secret}0`],
    ['white space before', ` ${secret}`],
    ['a newline after', `${secret}\n`],
    ['another prefix', `sk__${secret.slice(4)}`],
    ['the prefix of the other kind', `grt_${secret.slice(4)}`],
    ['upper case', secret.toUpperCase()],
    ['two header values joined by Node', `${secret}, ${other}`],
    ['a character that is right only in its low byte', withHighByte(secret, 10)],
    ['a checksum character that is right only in its low byte', withHighByte(secret, 40)],
    ['a checksum beyond 32 bits', `${secret.slice(0, 36)}zzzzzz`],
    ['a very long text', secret.repeat(100_000)],
  ])('refuses %s', (_, credential) => expect(secretKind(credential)).toBeNull());

  it('accepts only one spelling of a checksum', () => {
    const body = secret.slice(0, 36);
    const beyond = encodeBase62(crc32(body) + 2 ** 32, 6);
    expect(secretKind(body + beyond)).toBeNull();
  });
});

describe('what is kept of a secret', () => {
  it('is its SHA-256', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        expect(digestSecret(secret)).toBe(createHash('sha256').update(secret).digest('hex'));
      }),
    );
  });

  it('is the prefix and the last four characters', () => {
    expect(maskSecret(`grk_${'x'.repeat(34)}Ab3d`)).toBe('grk_…Ab3d');
  });
});

describe('crc32', () => {
  it('agrees with zlib on ASCII text', () => {
    const ascii = fc.string({ unit: 'binary-ascii', maxLength: 80 });
    fc.assert(fc.property(ascii, (text) => expect(crc32(text)).toBe(zlibCrc32(text))));
  });
});
