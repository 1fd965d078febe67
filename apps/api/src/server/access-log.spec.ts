import type { AppConfig } from '@app/config/app-config';
import { compileTrustedProxies } from '@app/domain/addresses/client-address';
import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accessLog } from './access-log';

const lines: string[] = [];

beforeAll(() => {
  const note = (text: string) => void lines.push(text);
  Logger.overrideLogger({ log: note, debug: note, warn: note, error: note });
});

afterAll(() => Logger.overrideLogger(false));

const TRUSTS_NONE = { trustedProxies: compileTrustedProxies([]).trusted };

/** What is said of a request beside its line. */
function factsOf(statusCode: number): unknown {
  const facts: unknown[] = [];
  const note = (_text: string, more: unknown) => void facts.push(more);
  Logger.overrideLogger({ log: note, debug: note, warn: note, error: note });
  const request = {
    method: 'GET',
    id: 'r',
    headers: {},
    raw: { socket: { remoteAddress: '203.0.113.9' } },
    route: { access: 'key' },
    routeOptions: { url: '/v1/models' },
  };
  const log = accessLog({ accessLog: 'refused', ...TRUSTS_NONE } as AppConfig);
  log(request as unknown as FastifyRequest, { statusCode, elapsedTime: 1 } as FastifyReply);
  return facts[0];
}

it('a refused credential, which names no key, is logged with the address it came from', () => {
  expect(factsOf(401)).toMatchObject({ address: '203.0.113.9', status: 401 });
  expect(factsOf(403)).not.toHaveProperty('address');
});

function logged(accessLogOf: AppConfig['accessLog'], statusCode: number): string[] {
  lines.length = 0;
  const request = { method: 'GET', id: 'r', route: { access: 'key' }, routeOptions: { url: '/v1/models' } };
  const log = accessLog({ accessLog: accessLogOf } as AppConfig);
  log(request as unknown as FastifyRequest, { statusCode, elapsedTime: 1 } as FastifyReply);
  return [...lines];
}

it.each([
  ['refused', 200, []],
  ['refused', 403, ['GET /v1/models 403']],
  ['all', 200, ['GET /v1/models 200']],
  ['all', 403, ['GET /v1/models 403']],
] as const)('with ACCESS_LOG=%s, a response of %i is logged as %j', (setting, status, expected) => {
  Logger.overrideLogger(['log', 'warn', 'error']);
  const note = (text: string) => void lines.push(text);
  Logger.overrideLogger({ log: note, debug: note, warn: note, error: note });
  expect(logged(setting, status)).toEqual(expected);
});
