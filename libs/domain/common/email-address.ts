import { domainToASCII } from 'node:url';
import { normalized } from './canonical-text';

/** One address and nothing else: no name, no list, no comment, nothing that breaks a line of a mail's head. */
const ADDRESS = /^[^\s<>()[\]\\,;:"@]{1,64}@[\p{L}\p{N}\p{M}-]+(\.[\p{L}\p{N}\p{M}-]+)+$/u;
/** A host name, as domains are registered. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)$/;
const MAX_LENGTH = 254;

/**
 * The one writing of an e-mail address, or null for what is none: in lower case, its domain in ASCII (RFC 5891), the part
 * before the `@` in NFC (RFC 6532), without characters that are not seen.
 */
export function readEmailAddress(text: string): string | null {
  const plain = normalized(text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').trim());
  if (plain.length > MAX_LENGTH || !ADDRESS.test(plain)) return null;
  const at = plain.lastIndexOf('@');
  const domain = domainToASCII(plain.slice(at + 1));
  const address = `${plain.slice(0, at).toLowerCase().normalize('NFC')}@${domain}`;
  return DOMAIN.test(domain) && address.length <= MAX_LENGTH ? address : null;
}

/** What the sign-in library reads as an address (zod's `email`). */
const SIGNS_IN = /^(?:[a-z0-9_'+-]+\.)*[a-z0-9_'+-]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/;

/** The one writing of an address with which a person can sign in, or null. */
export function readSignInAddress(text: string): string | null {
  const address = readEmailAddress(text);
  return address !== null && SIGNS_IN.test(address) ? address : null;
}
