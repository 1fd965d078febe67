import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { PUBLIC_OPENAPI_FILE } from '../../libs/config/openapi-file';
import { allControllers } from './all-controllers';
import { describeApi, type OpenApiDocument } from './document';

const { whole, forCustomers } = describeApi(allControllers());
const operations = Object.entries(whole.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
);

it('openapi.json says what the code says; if not, run "npm run openapi" and look at the difference', () => {
  const committed = JSON.parse(readFileSync(PUBLIC_OPENAPI_FILE, 'utf8')) as OpenApiDocument;
  expect(committed).toEqual(JSON.parse(JSON.stringify(forCustomers)));
});

it('openapi.json has what customers, services and operations call, as the whole description has it', () => {
  const paths = Object.entries(whole.paths).filter(([path]) => !/^\/admin(\/|$)/.test(path));
  expect(forCustomers.paths).toEqual(Object.fromEntries(paths));
});

it('every operation has its own id', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

it('every operation describes its response when it succeeds and when a part is down', () => {
  const silent = operations.filter(
    ({ responses }) => !('503' in responses) || !/^(101|[23])/.test(Object.keys(responses)[0]!),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});
