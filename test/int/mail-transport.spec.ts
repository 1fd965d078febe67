import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { MailTransport } from '../../apps/worker/src/deliveries/mail-transport';
import { loadConfig } from '../../libs/config/app-config';

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
