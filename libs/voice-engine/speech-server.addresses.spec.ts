import { parseAllowListEntry } from '@app/domain/addresses/address-entry';
import type { LookupAddress } from 'node:dns';
import { guardedLookup, refusalOf } from './speech-server.addresses';

const address = (text: string): LookupAddress => ({ address: text, family: text.includes(':') ? 6 : 4 });
const listed = (text: string) => {
  const entry = parseAllowListEntry(text, 0);
  return entry.ok ? [entry.cidr] : [];
};

describe('refusalOf', () => {
  it.each(
    `127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 255.255.255.255 224.0.0.1 ::1 ::
     fd00::1 fe80::1 ff02::1 ::ffff:10.0.0.1 64:ff9b::a00:1 2002:a00:1::`.split(/\s+/),
  )('a name that leads to %s', (internal) => {
    expect(
      refusalOf('speech.example.com', [address('93.184.216.34'), address(internal)], [])?.message,
    ).toContain(internal);
  });

  it.each(['93.184.216.34', '2606:2800:220:1::1'])('lets a name lead to %s', (open) => {
    expect(refusalOf('speech.example.com', [address(open)], [])).toBeNull();
  });

  it('lets a name lead to an internal address that is listed, and to no other', () => {
    expect(refusalOf('speech.internal', [address('10.1.2.3')], listed('10.1.2.0/24'))).toBeNull();
    expect(refusalOf('speech.internal', [address('10.1.3.3')], listed('10.1.2.0/24'))).not.toBeNull();
  });

  it('lets localhost be this machine, and nothing else', () => {
    expect(refusalOf('localhost', [address('127.0.0.1'), address('::1')], [])).toBeNull();
    expect(refusalOf('localhost', [address('10.0.0.1')], [])).not.toBeNull();
  });
});

describe('guardedLookup', () => {
  it('returns the addresses that it has examined', async () => {
    const found = await new Promise((resolve, reject) =>
      guardedLookup([])('localhost', { all: true }, (error, addresses) =>
        error ? reject(error) : resolve(addresses),
      ),
    );
    expect(found).toEqual(expect.arrayContaining([expect.objectContaining({ address: expect.any(String) })]));
  });
});
