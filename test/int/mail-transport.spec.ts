import { once } from 'node:events';
import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { MailTransport } from '../../apps/worker/src/deliveries/mail-transport';
import { loadConfig } from '../../libs/config/app-config';
import { hasOpenssl, makeCertificates } from '../support/certificates';
import { MailServer } from '../support/mail-server';
import { TemporaryFolder } from '../support/temporary-folder';

const MAIL = {
  subject: 'A test',
  text: 'A test',
  html: '<p>A test</p>',
  to: 'ann@example.com',
  messageId: '<1@test>',
};

it('a mail to a server that drips its responses ends within its total time, and its connection with it', async () => {
  let closed: () => void;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const drip = createServer((socket) => {
    socket.on('error', () => undefined);
    const dripping = setInterval(() => socket.write('220-still here\r\n'), 20);
    socket.on('close', () => {
      clearInterval(dripping);
      closed();
    });
  }).listen(0, '127.0.0.1');
  await once(drip, 'listening');
  const { port } = drip.address() as AddressInfo;
  const config = loadConfig({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'greenroom@example.com',
    PUBLIC_URL: 'https://greenroom.example.com',
  });
  const sending = new MailTransport(config, 300).send(
    { ...MAIL, unsubscribeUrl: 'https://greenroom.example.com/unsubscribe/1' },
    new AbortController().signal,
  );
  await expect(sending).rejects.toThrow('the mail server has not taken the mail within 0.3 s');
  // A reset is an end as well.
  await isClosed;
  drip.close();
  await once(drip, 'close');
});

const send = async (variables: Record<string, string>) =>
  new MailTransport(
    loadConfig({
      MAIL_FROM: 'greenroom@example.com',
      PUBLIC_URL: 'https://greenroom.example.com',
      ...variables,
    }),
  ).send(
    { ...MAIL, unsubscribeUrl: 'https://greenroom.example.com/unsubscribe/1' },
    new AbortController().signal,
  );

(hasOpenssl ? it : it.skip)('a relay with STARTTLS is checked against the authority of SMTP_CA', async () => {
  const folder = TemporaryFolder.make('greenroom-mail-');
  const { ca, keyFile, certFile } = makeCertificates(folder.path);
  const server = await MailServer.start({ key: readFileSync(keyFile), cert: readFileSync(certFile) });
  try {
    await expect(send({ SMTP_URL: server.url })).rejects.toThrow(/certificate/);
    await send({ SMTP_URL: server.url, SMTP_CA: ca });
    expect(server.to(MAIL.to)).toHaveLength(1);
  } finally {
    await server.stop();
    folder.remove();
  }
});

it('a mail server whose name has addresses of both families is reached by the one that responds', async () => {
  const server = await MailServer.start();
  const addresses = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  const lookup = jest
    .spyOn(dns, 'lookup')
    .mockImplementation(((_host: string, _options: object, done: (error: null, all: object[]) => void) =>
      process.nextTick(done, null, addresses)) as typeof dns.lookup);
  try {
    await send({ SMTP_URL: server.url.replace('127.0.0.1', 'mail.example.com') });
    expect(server.to(MAIL.to)).toHaveLength(1);
  } finally {
    lookup.mockRestore();
    await server.stop();
  }
});
