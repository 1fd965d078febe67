import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import { request, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import { hasOpenssl, makeCertificates, type Certificates } from '../support/certificates';
import { eventually } from '../support/eventually';
import { hasProxy, PROXY_NAMES, ReverseProxy } from '../support/reverse-proxies';
import { Stack } from '../support/stack';
import { TemporaryFolder } from '../support/temporary-folder';

/** Where the client of these tests connects from: another address than that of the proxy. */
const CLIENT = '127.0.0.2';
const FORGED = '203.0.113.9';
/** More than the largest form that Greenroom takes. */
const LARGE = Buffer.alloc(200_000_000);

const stack = Stack.ofFile({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });

let folder: TemporaryFolder;
let tls: Certificates;
beforeAll(() => {
  folder = TemporaryFolder.make('greenroom-tls-');
  tls = makeCertificates(folder.path);
});
afterAll(() => folder.remove());

const proxies = PROXY_NAMES.filter(hasProxy);

(hasOpenssl && proxies.length > 0 ? describe.each(proxies) : describe.skip.each(PROXY_NAMES))(
  'behind %s by deploy/proxies/reverse',
  (name) => {
    let proxy: ReverseProxy;

    const send = async (options: RequestOptions, body?: Buffer) => {
      const sent = request({
        host: 'localhost',
        family: 4,
        port: proxy.port,
        ca: tls.ca,
        localAddress: CLIENT,
        ...options,
      });
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response;
    };

    describe('Greenroom', () => {
      beforeAll(async () => {
        proxy = await ReverseProxy.start(name, new URL(stack.baseUrl).host, tls);
        await eventually(async () => expect((await send({ path: '/healthz' })).statusCode).toBe(200));
      });
      afterAll(async () => proxy.stop());

      it('is reached over HTTP/2', async () => {
        const options = { ca: tls.ca, family: 4 };
        const session = connect(`https://localhost:${proxy.port}`, options);
        const stream = session.request({ ':path': '/healthz' });
        const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
        expect([headers[':status'], session.alpnProtocol]).toEqual([200, 'h2']);
        expect(JSON.parse(await text(stream))).toMatchObject({ status: 'ok' });
        session.close();
      });

      it('knows the address of the client, whatever that says of itself', async () => {
        const headersOf = ({ secret }: { secret: string }) => ({
          'xi-api-key': secret,
          'x-forwarded-for': FORGED,
          forwarded: `for=${FORGED}`,
        });
        const real = await stack.issueKey({ allowedIps: [`${CLIENT}/32`] });
        const forged = await stack.issueKey({ allowedIps: [`${FORGED}/32`] });
        expect((await send({ path: '/v1/models', headers: headersOf(real) })).statusCode).toBe(200);
        expect((await send({ path: '/v1/models', headers: headersOf(forged) })).statusCode).toBe(403);
      });
    });

    /** A server that holds its end back until the test has what came before. */
    describe('a stream', () => {
      let upstream: ReturnType<typeof createServer>;
      let handle: (incoming: IncomingMessage, response: ServerResponse) => unknown;

      beforeAll(async () => {
        upstream = createServer((incoming, response) =>
          incoming.url === '/readyz' ? response.end() : handle(incoming, response),
        );
        const sockets = new WebSocketServer({ server: upstream });
        sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
        upstream.listen(0, '127.0.0.1');
        await once(upstream, 'listening');
        const { port } = upstream.address() as AddressInfo;
        proxy = await ReverseProxy.start(name, `127.0.0.1:${port}`, tls);
        await eventually(async () => expect((await send({ path: '/readyz' })).statusCode).toBe(200));
      });
      afterAll(async () => {
        await proxy.stop();
        upstream.closeAllConnections();
        upstream.close();
      });

      it('arrives as it is sent, and says by which scheme and name it was requested', async () => {
        let finish: () => void = () => undefined;
        let seen: IncomingMessage['headers'] = {};
        handle = ({ headers }, response) => {
          seen = headers;
          response.write('first');
          finish = () => response.end('last');
        };
        const response = await send({ path: '/' });
        const [first] = (await once(response, 'data')) as [Buffer];
        expect(first.toString()).toBe('first');
        finish();
        expect(await text(response)).toBe('last');
        expect(seen).toMatchObject({
          'x-forwarded-proto': 'https',
          'x-forwarded-for': CLIENT,
          'x-forwarded-host': `localhost:${proxy.port}`,
        });
      });

      it('of a client arrives as it is sent', async () => {
        const received = new Promise<string>((resolve) => {
          handle = (incoming, response) => {
            incoming.once('data', (data: Buffer) => resolve(data.toString()));
            incoming.on('end', () => response.end());
          };
        });
        const sent = request({
          host: 'localhost',
          family: 4,
          port: proxy.port,
          ca: tls.ca,
          method: 'POST',
        });
        sent.write('first');
        expect(await received).toBe('first');
        sent.end('last');
        await once(sent, 'response');
      });

      it('of the largest form passes', async () => {
        handle = async (incoming, response) => {
          let received = 0;
          for await (const piece of incoming) received += (piece as Buffer).length;
          response.end(String(received));
        };
        const response = await send({ method: 'POST', path: '/' }, LARGE);
        expect(await text(response)).toBe(String(LARGE.length));
      });

      it('of a WebSocket goes both ways', async () => {
        const socket = new WebSocket(`wss://localhost:${proxy.port}/`, { ca: tls.ca, family: 4 });
        await once(socket, 'open');
        socket.send('said');
        const [answer] = (await once(socket, 'message')) as [Buffer];
        expect(answer.toString()).toBe('said');
        socket.close();
      });
    });
  },
);
