import 'reflect-metadata';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_PUBLIC_OPENAPI_FILE, OPENAPI_FILE, PUBLIC_OPENAPI_FILE } from '../../libs/config/openapi-file';
import { ROOT, sourceFiles } from '../../test/support/source-files';
import { allControllers } from './all-controllers';
import { describeApi, type OpenApiDocument } from './document';

const readDocument = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument;

/** The api as the build has described it; described again, which takes 20 s, when a source was saved since. */
function readOrDescribe(): ReturnType<typeof describeApi> {
  const savedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const builtAt = savedAt(BUILT_PUBLIC_OPENAPI_FILE);
  const isBuilt = sourceFiles('apps/api', 'apps/worker', 'libs', 'src', 'tools').every(
    (file) => savedAt(join(ROOT, file)) <= builtAt,
  );
  return isBuilt
    ? { whole: readDocument(OPENAPI_FILE), forCustomers: readDocument(BUILT_PUBLIC_OPENAPI_FILE) }
    : describeApi(allControllers());
}

const { whole, forCustomers } = readOrDescribe();
const operations = Object.entries(whole.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
);

it('openapi.json says what the code says; if not, run "npm run openapi" and look at the difference', () => {
  expect(readDocument(PUBLIC_OPENAPI_FILE)).toEqual(JSON.parse(JSON.stringify(forCustomers)));
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

it('a secret leaves where it is shown once, and a digest only of what is public', () => {
  const { schemas } = whole.components;
  const found = Object.entries(schemas)
    .filter(([name]) => !/(Body|MethodsResponse)$/.test(name))
    .flatMap(([name, schema]) => namesIn(schema).map((field) => `${name}.${field}`))
    .filter((field) => /[._](secret|digest|hash|password)$/.test(field));
  expect(found).toEqual([
    'ApiKeyWithSecretResponse.secret',
    'AuditHead.hash',
    'MeResponse.must_change_password',
    'NamedAuditEventResponse.hash',
    'NewManagementCredentialResponse.secret',
    'NewServiceCredentialResponse.secret',
    'NewStaffResponse.one_time_password',
    'SampleResponse.hash',
    'WebhookResponse.secret',
  ]);
});

/** The names of the fields of a schema, those of its parts included. */
function namesIn(schema: object): string[] {
  return Object.entries(schema).flatMap(([key, part]: [string, unknown]) => {
    if (typeof part !== 'object' || part === null) return [];
    return key === 'properties'
      ? Object.entries(part).flatMap(([name, field]) => [name, ...namesIn(field as object)])
      : namesIn(part);
  });
}
