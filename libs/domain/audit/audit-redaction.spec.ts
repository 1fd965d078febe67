import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { generateSecret, type SecretKind } from '../keys/api-key-secret';
import { SECRET_PATTERN } from '../keys/secret-text';
import { withoutSecrets } from './audit-redaction';

const secretOf = (kind: SecretKind) => generateSecret(kind, randomBytes);
const key = secretOf('api_key');

describe('withoutSecrets', () => {
  it.each([
    ['an API key', secretOf('api_key')],
    ['a single-use token', secretOf('single_use_token')],
    ['a service credential', secretOf('service_credential')],
    ['a management credential', secretOf('management_credential')],
    ['an API key of another cell', generateSecret('api_key', randomBytes, 'e2')],
    ['a single-use token of another cell', generateSecret('single_use_token', randomBytes, 'e2')],
    ["a webhook's secret", `whsec_${'aB3'.repeat(13)}Z`],
  ])('replaces %s wherever it stands', (_, secret) => {
    const input = {
      [secret]: secret,
      list: [`see ${secret}, and ${secret}`],
      deep: { a: [{ b: `x_${secret}` }] },
    };
    expect(withoutSecrets(input)).toEqual({
      '[redacted]': '[redacted]',
      list: ['see [redacted], and [redacted]'],
      deep: { a: [{ b: 'x_[redacted]' }] },
    });
  });

  it.each([
    ['two in a row', key + key],
    ['two that share letters', `${key.slice(0, -3)}${key}`],
    ['one with more behind it', `${key}Zzz9`],
    ['one behind a word', `my_${key}`],
    ['one in an address', `https://example.com/?a=${key}&b=${key}#${key}`],
  ])('leaves nothing of %s', (_, text) => {
    const left = withoutSecrets(text);
    expect(left).not.toContain(key.slice(4, 30));
    expect(left).toContain('[redacted]');
  });

  it.each(['password', 'password_hash', 'passwordHash', 'secret', 'Token', 'digest', 'cookie'])(
    'replaces what stands under %s, and says only whether there is something',
    (name) => {
      for (const value of ['three lamps', 5, ['a'], { b: 'c' }])
        expect(withoutSecrets({ labels: { [name]: value } })).toEqual({ labels: { [name]: '[redacted]' } });
      for (const value of [null, true, false])
        expect(withoutSecrets({ [name]: value })).toEqual({ [name]: value });
    },
  );

  it('keeps everything else, the last four of secrets included', () => {
    const plain = {
      hint: 'grk_…Ab3d',
      secret_hint: 'x1Y2',
      tokens: 3,
      n: [1, null, 'ü', true],
      name: 'grk_short',
    };
    expect(withoutSecrets(plain)).toEqual(plain);
  });

  it('leaves texts that PostgreSQL stores as they are', () => {
    expect(withoutSecrets({ 'a\0b': 'x\ud800y\0' })).toEqual({ 'a\u{FFFD}b': 'x\u{FFFD}y\u{FFFD}' });
  });

  it('any JSON around a secret comes out without it, and without an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.string(), (json, before, after) => {
        const input = { json, ['__proto__']: `${before}${key}${after}`, [`${before}${key}`]: [json, key] };
        const text = JSON.stringify(withoutSecrets(input));
        expect(text).not.toMatch(SECRET_PATTERN);
        expect(text).not.toContain(key.slice(4));
      }),
    );
  });
});
