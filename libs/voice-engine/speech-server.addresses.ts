import { compileAddressSet, containsAddress, type AddressSet } from '@app/domain/addresses/address-set';
import { cidrAround, type Cidr } from '@app/domain/addresses/cidr';
import { parseIpAddress } from '@app/domain/addresses/ip-address';
import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** Addresses that no public server has (IANA special-purpose registries, RFC 6890 and its updates). */
const INTERNAL = compileAddressSet(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15
   224.0.0.0/4 240.0.0.0/4 ::1/128 ::/128 64:ff9b::/96 64:ff9b:1::/48 fc00::/7 fe80::/10 ff00::/8 2002::/16`
    .split(/\s+/)
    .map((text) => {
      const [address = '', prefix] = text.split('/');
      return cidrAround(parseIpAddress(address)!, Number(prefix));
    }),
);

/**
 * Resolves the name of the configured server for a connection, which then goes to the very address that was examined: a
 * name that resolves differently later reaches nothing else. An internal address is only reached when it is listed.
 * A server that is configured by its address needs no list, and is not resolved at all.
 *
 * @param allowed internal addresses that the name may lead to
 */
export function guardedLookup(allowed: readonly Cidr[]): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = error ?? refusalOf(hostname, addresses, allowed);
      if (refused) callback(refused, '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

/** Why a name that leads to these addresses is not connected to; null when it may be. */
export function refusalOf(
  hostname: string,
  addresses: LookupAddress[],
  allowed: readonly Cidr[],
): Error | null {
  const listed = compileAddressSet(allowed);
  if (addresses.length === 0) return new Error(`${hostname} has no address`);
  const bad = addresses.find(({ address }) => !isReachable(address, hostname, listed));
  if (!bad) return null;
  return new Error(
    `${hostname} leads to ${bad.address}, an internal address; list it in VOICE_ENGINE_ADDRESSES to allow it`,
  );
}

function isReachable(text: string, hostname: string, listed: AddressSet): boolean {
  const address = isIP(text) ? parseIpAddress(text) : null;
  if (!address) return false;
  const ownMachine = hostname === 'localhost' && (text === '::1' || text.startsWith('127.'));
  return ownMachine || containsAddress(listed, address) || !containsAddress(INTERNAL, address);
}
