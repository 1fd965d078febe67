import { isInternalAddress } from '../addresses/internal-addresses';
import { parseIpAddress, type IpAddress } from '../addresses/ip-address';

export const WEBHOOK_URL_MAX = 2_000;

/** The address a URL names by number, or null when it names a host. */
export function literalAddress({ hostname }: URL): IpAddress | null {
  return parseIpAddress(hostname.replace(/^\[(.*)\]$/, '$1'));
}

/**
 * What is wrong with a webhook's URL, before its name is resolved; null when nothing is.
 *
 * @param allowPrivate the installation may post to private networks: then also without TLS
 */
export function webhookUrlProblem(text: string, allowPrivate: boolean): string | null {
  if (text.length > WEBHOOK_URL_MAX) return `it is longer than ${WEBHOOK_URL_MAX} characters`;
  if (!URL.canParse(text)) return 'it is not a URL';
  const url = new URL(text);
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol))
    return `its scheme is ${url.protocol.slice(0, 20)} and not ${schemes.join(' or ')}`;
  if (url.username || url.password) return 'it carries a user name or a password';
  if (url.hash) return 'it has a fragment, which is never sent';
  const address = literalAddress(url);
  if (address && isInternalAddress(address, allowPrivate)) return `${url.hostname} is an internal address`;
  return null;
}
