// The OpenID provider `oidc-provider` as a process, with the pages that it has for development. Its client and its people come by
// messages.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

// It says that it is not set up for production, and that Node.js should be 22 or newer.
console.warn = () => undefined;

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;

/** By the name that a person types at the provider. */
let people = {};
process.on('message', ({ client, people: next }) => {
  if (next) people = next;
  if (client) server.on('request', serve(client).callback());
  process.send('done');
});
process.send({ issuer });

function serve(client) {
  const provider = new Provider(issuer, {
    clients: [client],
    claims: { email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    findAccount: (_, id) => people[id] && { accountId: id, claims: () => ({ sub: id, ...people[id] }) },
    features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
    cookies: { keys: ['a key of the suite'] },
    pkce: { required: () => true },
    // By itself it calls no address of this machine.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined }),
  });
  for (const fault of ['backchannel.error', 'server_error'])
    provider.on(fault, (_, error) => console.error(fault, error));
  return provider;
}
