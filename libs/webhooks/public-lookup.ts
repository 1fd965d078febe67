import { isInternalAddress } from '@app/domain/addresses/internal-addresses';
import { formatIpAddress, parseIpAddress } from '@app/domain/addresses/ip-address';
import { literalAddress } from '@app/domain/webhooks/webhook-url';
import { lookup, promises, type LookupAddress, type LookupOptions } from 'node:dns';
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

/** A name whose name servers took too long. */
class LateResolverError extends Error {
  constructor(host: string) {
    super(`${host} is not resolved within ${RESOLVE_MS / 1_000} s`);
    this.name = 'LateResolverError';
  }
}

/** A name that has no address. */
class UnresolvedNameError extends Error {
  constructor(host: string, code: string) {
    super(
      UNKNOWN.has(code)
        ? `the name ${host} has no address: is it spelled right?`
        : `the name ${host} cannot be resolved (${code})`,
    );
    this.name = 'UnresolvedNameError';
  }
}

/** What resolvers say of a name that is not there, or has other records only. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA']);
const RESOLVE_MS = 3_000;
/** Of one query to one name server: what gets lost is sent again in time. */
const QUERY_MS = 1_000;
/** Names that are this machine on every machine, by RFC 6761. */
const LOCAL_NAME = /(^|\.)localhost\.?$/i;

/**
 * Checks that a URL leads to no internal address as of now. A name that has even one is refused.
 *
 * @param nameServers those to ask instead of the machine's
 * @throws InternalAddressError; within 3 s UnresolvedNameError or LateResolverError when the name cannot be resolved
 */
export async function requirePublicHost(
  url: URL,
  allowPrivate: boolean,
  nameServers?: string[],
): Promise<void> {
  const literal = literalAddress(url);
  if (literal) refuseInternal(url.hostname, [{ address: formatIpAddress(literal) }], allowPrivate);
  else await resolveChecked(url.hostname, allowPrivate, nameServers);
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * `lookup` of a connection that refuses names with an internal address: what was checked is what is connected to, whatever
 * the name resolves to the next time. Literal addresses never get here and are checked by the caller.
 */
export function publicLookup(allowPrivate: boolean) {
  return (hostname: string, { all }: LookupOptions, callback: LookupCallback): void => {
    resolveChecked(hostname, allowPrivate).then(
      (addresses) => {
        if (all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

async function resolveChecked(
  hostname: string,
  allowPrivate: boolean,
  nameServers?: string[],
): Promise<LookupAddress[]> {
  const addresses = await (allowPrivate ? resolveHere(hostname) : resolvePublic(hostname, nameServers));
  refuseInternal(hostname, addresses, allowPrivate);
  return addresses;
}

/** As this machine knows the name: a private network may name its hosts in files. */
async function resolveHere(hostname: string): Promise<LookupAddress[]> {
  const found = promisify(lookup)(hostname, { all: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UnresolvedNameError(hostname, error.code ?? error.message);
  });
  return Promise.race([found, late(hostname)]);
}

/**
 * By the name servers alone, and without a thread: `lookup` has few threads for the whole process, so that a few names of
 * customers whose name servers do not respond would hold up the connections to PostgreSQL and Redis.
 */
async function resolvePublic(hostname: string, nameServers?: string[]): Promise<LookupAddress[]> {
  if (LOCAL_NAME.test(hostname)) throw new InternalAddressError(hostname, '127.0.0.1');
  const resolver = new promises.Resolver({ timeout: QUERY_MS, tries: 2 });
  if (nameServers) resolver.setServers(nameServers);
  const requested = Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    resolver.cancel();
  }, RESOLVE_MS);
  const [v4, v6] = await requested;
  clearTimeout(timer);
  const addresses = [...toAddresses(v4, 4), ...toAddresses(v6, 6)];
  if (addresses.length > 0) return addresses;
  throw isLate
    ? new LateResolverError(hostname)
    : new UnresolvedNameError(hostname, codeOf(v4) ?? codeOf(v6) ?? 'ENODATA');
}

function codeOf(resolved: PromiseSettledResult<string[]>): string | undefined {
  return resolved.status === 'rejected' ? (resolved.reason as NodeJS.ErrnoException).code : undefined;
}

function toAddresses(resolved: PromiseSettledResult<string[]>, family: number): LookupAddress[] {
  return resolved.status === 'fulfilled' ? resolved.value.map((address) => ({ address, family })) : [];
}

function refuseInternal(host: string, addresses: { address: string }[], allowPrivate: boolean): void {
  for (const { address } of addresses) {
    const parsed = parseIpAddress(address);
    if (!parsed || isInternalAddress(parsed, allowPrivate)) throw new InternalAddressError(host, address);
  }
}

async function late(hostname: string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new LateResolverError(hostname)), RESOLVE_MS).unref();
  });
}
