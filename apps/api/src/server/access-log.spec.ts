import type { AppConfig } from '@app/config/app-config';
import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accessLog } from './access-log';

const lines: string[] = [];

beforeAll(() => {
  const note = (text: string) => void lines.push(text);
  Logger.overrideLogger({ log: note, debug: note, warn: note, error: note });
});

afterAll(() => Logger.overrideLogger(false));

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
