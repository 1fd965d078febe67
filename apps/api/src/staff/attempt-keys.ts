import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { createHash } from 'node:crypto';

/** What is typed as an e-mail address may be a password: only its digest is stored. */
export function personOf(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 32);
}

/**
 * The network whose attempts are counted together: a /48 of IPv6, which is what one site gets (RFC 6177), and a single
 * address of IPv4, whose neighbours belong to others.
 */
export function networkOf(address: string | null): string {
  const parsed = address === null ? null : parseIpAddress(address);
  if (parsed?.family !== 6) return String(address);
  const groups = [parsed.w0 >>> 16, parsed.w0 & 0xffff, parsed.w1 >>> 16];
  return `${groups.map((group) => group.toString(16)).join(':')}::/48`;
}
