import { totpCode } from '../../libs/domain/staff/totp';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** What an authenticator app shows, `ahead` steps from now. `base32` is the secret as it is typed into the app. */
export function codeOf(base32: string, ahead = 0): string {
  const bits = [...base32.replace(/=+$/, '')]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return totpCode(secret, Math.floor(Date.now() / 30_000) + ahead);
}

/** The secret of an `otpauth:` address. */
export function secretOf(totpUri: string): string {
  return new URL(totpUri).searchParams.get('secret') ?? '';
}
