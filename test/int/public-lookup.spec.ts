import { lookup } from 'node:dns/promises';
import { InternalAddressError, requirePublicHost } from '@app/webhooks/public-lookup';
import { NameServer } from '../support/name-server';

let names: NameServer;

beforeAll(async () => {
  names = await NameServer.start({
    'hooks.test': ['8.8.8.8', '9.9.9.9'],
    'inside.test': ['8.8.8.8', '10.0.0.7'],
    'empty.test': [],
  });
});

afterAll(() => names.stop());

const check = async (host: string) =>
  requirePublicHost(new URL(`https://${host}/hook`), false, [names.address]);

it('accepts a name whose addresses are all public', async () => {
  await expect(check('hooks.test')).resolves.toBeUndefined();
  expect(names.questions).toContain('hooks.test');
});

it('refuses a name that has even one internal address', async () => {
  await expect(check('inside.test')).rejects.toThrow(new InternalAddressError('inside.test', '10.0.0.7'));
});

it.each(['localhost', 'LOCALHOST', 'hooks.localhost', 'localhost.'])(
  'knows %s as this machine, whatever a name server says',
  async (host) => {
    const requested = names.questions.length;
    await expect(check(host)).rejects.toThrow(InternalAddressError);
    expect(names.questions).toHaveLength(requested);
  },
);

it.each(['unknown.test', 'empty.test'])('says in words that a host has no address: %s', async (host) => {
  await expect(check(host)).rejects.toThrow(`the name ${host} has no address: is it spelled right?`);
});

it('holds up no other name while name servers do not respond', async () => {
  let settled = 0;
  const silent = Array.from({ length: 12 }, async (_, n) => {
    await expect(check(`n${n}.silent.test`)).rejects.toThrow(`n${n}.silent.test`);
    settled += 1;
  });
  await lookup('localhost');
  await check('hooks.test');
  expect(settled).toBe(0);
  await Promise.all(silent);
});
