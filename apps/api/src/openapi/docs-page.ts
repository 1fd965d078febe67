import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const SWAGGER_UI = dirname(createRequire(__filename).resolve('swagger-ui-dist/package.json'));

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Greenroom API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="api"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null });\n`;

/** Everything comes from here, and nothing is sent anywhere else. Its styles are partly written into elements. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FILES: Record<string, { type: string; content: string | Buffer }> = {
  '/docs': { type: 'text/html; charset=utf-8', content: PAGE },
  '/docs/start.js': { type: 'text/javascript; charset=utf-8', content: START },
  '/docs/swagger-ui.css': { type: 'text/css; charset=utf-8', content: readAsset('swagger-ui.css') },
  '/docs/swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    content: readAsset('swagger-ui-bundle.js'),
  },
};

/** The description of the API, for reading and trying out. */
export function serveDocs(fastify: FastifyInstance): void {
  for (const [url, { type, content }] of Object.entries(FILES)) {
    fastify.get(url, { config: { access: 'public' } }, async (_request, reply) =>
      reply
        .headers({ 'content-security-policy': POLICY, 'cache-control': 'public, max-age=300' })
        .type(type)
        .send(content),
    );
  }
}

function readAsset(name: string): Buffer {
  return readFileSync(join(SWAGGER_UI, name));
}
