import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');
const VERDICTS = ['same', 'differs', 'not offered'];

const page = readFileSync(join(ROOT, 'docs/api-compatibility.md'), 'utf8');
const rows = [...page.matchAll(/^- `([A-Z]+ \/v\d\/[^`]+)`: ([\w ]+)(?:; (.+))?$/gm)].map(
  ([, operation, verdict, why]) => ({ operation: operation!, verdict: verdict!, why }),
);

const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, unknown>>;
};
const offered = Object.entries(paths)
  .filter(([path]) => /^\/v\d\//.test(path))
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));

describe('docs/api-compatibility.md', () => {
  it('has a row for every operation that is offered', () => {
    const listed = rows.filter(({ verdict }) => verdict !== 'not offered').map(({ operation }) => operation);
    expect(offered.filter((operation) => !listed.includes(operation))).toEqual([]);
  });

  it('offers nothing that is not there', () => {
    const promised = rows.filter(({ verdict }) => verdict !== 'not offered');
    expect(promised.filter(({ operation }) => !offered.includes(operation))).toEqual([]);
  });

  it('says once of each operation what it is, and why it differs', () => {
    const operations = rows.map(({ operation }) => operation);
    expect(operations.filter((operation, index) => operations.indexOf(operation) !== index)).toEqual([]);
    expect(rows.filter(({ verdict }) => !VERDICTS.includes(verdict))).toEqual([]);
    expect(rows.filter(({ verdict, why }) => verdict === 'differs' && why === undefined)).toEqual([]);
  });
});
