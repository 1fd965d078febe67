import { isInternalAddress } from '@app/domain/addresses/internal-addresses';
import { formatIpAddress, parseIpAddress } from '@app/domain/addresses/ip-address';
import { literalAddress } from '@app/domain/webhooks/webhook-url';
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { promisify } from 'node:util';

/** A name or an address that must not be connected to. */
export class InternalAddressError extends Error {
  constructor(host: string, address: string) {
    super(
      host === address ? `${host} is an internal address` : `${host} is at ${address}, an internal address`,
    );
    this.name = 'InternalAddressError';
  }
}

const resolve = promisify(lookup);
const RESOLVE_MS = 3_000;

/**
 * Checks that a URL leads to no internal address as of now. A name that has even one is refused.
 *
 * @throws InternalAddressError; the resolver's error, within 3 s, when the name cannot be resolved
 */
export async function requirePublicHost(url: URL, allowPrivate: boolean): Promise<void> {
  const literal = literalAddress(url);
  const addresses = literal
    ? [{ address: formatIpAddress(literal) }]
    : await Promise.race([resolve(url.hostname, { all: true }), lateResolver(url.hostname)]);
  refuseInternal(url.hostname, addresses, allowPrivate);
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * `lookup` of a connection that refuses names with an internal address: what was checked is what is connected to, whatever
 * the name resolves to the next time. Addresses given by number never get here and are checked by the caller.
 */
export function publicLookup(allowPrivate: boolean) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      try {
        refuseInternal(hostname, addresses, allowPrivate);
      } catch (refusal) {
        return callback(refusal as Error, []);
      }
      if (options.all) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

function refuseInternal(host: string, addresses: { address: string }[], allowPrivate: boolean): void {
  for (const { address } of addresses) {
    const parsed = parseIpAddress(address);
    if (!parsed || isInternalAddress(parsed, allowPrivate)) throw new InternalAddressError(host, address);
  }
}

async function lateResolver(hostname: string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${hostname} is not resolved within 3 s`)), RESOLVE_MS).unref();
  });
}
