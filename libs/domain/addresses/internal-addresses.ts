import { compileAddressSet, containsAddress } from './address-set';
import { cidrAround } from './cidr';
import { parseIpAddress, type IpAddress } from './ip-address';

function blocks(...texts: string[]) {
  const cidrs = texts.map((text) => {
    const [address = '', prefix] = text.split('/');
    return cidrAround(parseIpAddress(address)!, Number(prefix));
  });
  return compileAddressSet(cidrs);
}

/** Networks of one's own: an installation may have its customers there. */
const PRIVATE = blocks(
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
);

/** Never a customer's: this machine, its link and its cloud's metadata, and what is not one host. */
const NEVER = blocks(
  '0.0.0.0/8',
  '100.100.100.200/32',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // IPv6 that carries an IPv4 address (Teredo, 6to4), documentation, and metadata in a private block.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  'fd00:ec2::254/128',
);

const LINK_LOCAL = blocks('169.254.0.0/16', 'fe80::/10');

/** Whether an address belongs to this machine or to a network of one's own, which the internet does not reach. */
export function isPrivateNetwork(address: IpAddress): boolean {
  return containsAddress(PRIVATE, address) || containsAddress(LINK_LOCAL, address);
}

const GLOBAL_V6 = blocks('2000::/3');

/**
 * Whether a program must not connect to an address on a customer's behalf: loopback, private, link-local,
 * metadata, multicast, reserved (IANA special-purpose registries, RFC 6890). An IPv4-mapped address is its IPv4 address.
 *
 * @param allowPrivate private networks and loopback do not count
 */
export function isInternalAddress(address: IpAddress, allowPrivate: boolean): boolean {
  if (containsAddress(NEVER, address)) return true;
  if (containsAddress(PRIVATE, address)) return !allowPrivate;
  return address.family === 6 && !containsAddress(GLOBAL_V6, address);
}
