import { isInternalAddress } from './internal-addresses';
import { parseIpAddress } from './ip-address';

const PRIVATE = ['10.1.2.3', '127.0.0.1', '172.31.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fd12::1'];
const NEVER = [
  '0.0.0.0',
  '169.254.169.254',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  'fe80::1',
  'fd00:ec2::254',
  'ff02::1',
  '64:ff9b::a00:1',
  '2002:7f00:1::',
  '2001:0:1::1',
];
const PUBLIC = ['1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '::ffff:8.8.8.8'];

const isInternal = (text: string, allowPrivate: boolean) =>
  isInternalAddress(parseIpAddress(text)!, allowPrivate);

describe('isInternalAddress', () => {
  it.each([
    ...PRIVATE,
    ...NEVER,
    ...PRIVATE.filter((text) => text.includes('.')).map((text) => `::ffff:${text}`),
  ])('%s is internal', (text) => expect(isInternal(text, false)).toBe(true));

  it.each(PUBLIC)('%s is not', (text) => expect(isInternal(text, false)).toBe(false));

  it.each(PRIVATE)('%s may be allowed', (text) => expect(isInternal(text, true)).toBe(false));

  it.each(NEVER)('%s is never allowed', (text) => expect(isInternal(text, true)).toBe(true));
});
