// express-gateway with its key-auth policy on Redis. Arguments: Redis port, keys.
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const [redisPort, keys] = process.argv.slice(2).map(Number);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'express-gateway-'));
const installed = path.join(path.dirname(require.resolve('express-gateway/package.json')), 'lib/config');
fs.cpSync(path.join(installed, 'models'), path.join(folder, 'models'), { recursive: true });
const port = 20_000 + (process.pid % 20_000);
const gatewayConfig = {
  http: { port, hostname: '127.0.0.1' },
  apiEndpoints: { api: { host: '*', paths: ['/v1/models', '/keys'] } },
  serviceEndpoints: {},
  policies: ['key-auth', 'terminate'],
  pipelines: {
    main: {
      apiEndpoints: ['api'],
      policies: [
        { 'key-auth': [{ action: {} }] },
        { terminate: [{ action: { statusCode: 200, message: 'hello' } }] },
      ],
    },
  },
};
const systemConfig = {
  db: { redis: { host: '127.0.0.1', port: redisPort, namespace: 'EG' } },
  crypto: { cipherKey: 'sensitiveKey', algorithm: 'aes256', saltRounds: 10 },
  session: { secret: 'keyboard cat', resave: false, saveUninitialized: false },
  accessTokens: { timeToExpiry: 7_200_000 },
  refreshTokens: { timeToExpiry: 7_200_000 },
  authorizationCodes: { timeToExpiry: 300_000 },
};
fs.writeFileSync(path.join(folder, 'gateway.config.json'), JSON.stringify(gatewayConfig));
fs.writeFileSync(path.join(folder, 'system.config.json'), JSON.stringify(systemConfig));
process.env.EG_CONFIG_DIR = folder;
process.env.LOG_LEVEL = 'error';

(async () => {
  const gateway = require('express-gateway');
  await gateway().load(folder).run();
  const { user, credential } = require('express-gateway/lib/services');
  const made = await user.insert({ username: `bench${process.pid}`, firstname: 'a', lastname: 'b' });
  const secrets = [];
  for (let i = 0; i < keys; i += 1) {
    const { keyId, keySecret } = await credential.insertCredential(made.id, 'key-auth', {});
    secrets.push(`${keyId}:${keySecret}`);
  }
  fs.writeFileSync(path.join(folder, 'keys.json'), JSON.stringify(secrets));
  console.log(`keys ${path.join(folder, 'keys.json')}`);
  console.log(`ready ${port}`);
})();
