import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join } from 'node:path';
import { ROOT } from './support/source-files';

interface ImportGraph {
  /** Our files without their specs, relative to the root. */
  files: string[];
  /** Every import as [file, imported]: a file of ours relative to the root, a package by its name. */
  imports: [string, string][];
  /** The imports of each cycle, by the unit that the cycle is between. */
  cycles: Record<'files' | 'libs' | 'rooms' | 'features', string[][]>;
  /** The imports of the console from a higher layer. */
  upward: [string, string][];
}

const graph = JSON.parse(
  execFileSync(process.execPath, [join(ROOT, 'scripts/import-graph.mjs'), '--json'], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  }),
) as ImportGraph;

const appOf = (path: string) => /^apps\/([^/]+)/.exec(path)?.[1];
/** The imports for which a rule does not hold. */
const breaches = (isBreach: (file: string, imported: string) => boolean) =>
  graph.imports.filter(([file, imported]) => isBreach(file, imported));
const filesWith = (pattern: RegExp) =>
  graph.files.filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')));

const sqlFilesWith = (folder: string, pattern: RegExp) =>
  readdirSync(join(ROOT, folder))
    .map((name) => `${folder}/${name}`)
    .filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')));

it('each advisory lock of the database has a number of its own', () => {
  const folder = 'libs/database/schema/sql';
  const files = [
    ...graph.files.filter((file) => /^(apps|libs|src)\//.test(file)),
    ...readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ];
  const locks = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...new Set([...text.matchAll(/\b7_?301_?(\d{3})\b/g)].map(([, number]) => number))].map(
      (number) => ({ number, file }),
    );
  });
  expect(locks.length).toBeGreaterThan(5);
  const shared = locks.filter(({ number }, at) => locks.findIndex((lock) => lock.number === number) !== at);
  expect(shared).toEqual([]);
});

describe('import rules', () => {
  it('finds the imports it checks', () => {
    expect(graph.imports.length).toBeGreaterThan(100);
  });

  it('a lib never imports an app or the program', () => {
    expect(
      breaches((file, imported) => file.startsWith('libs/') && /^(apps|src|tools)\//.test(imported)),
    ).toEqual([]);
  });

  it('apps import neither each other nor the program', () => {
    expect(
      breaches((file, imported) => {
        const app = appOf(file);
        return app !== undefined && (/^(src|tools)\//.test(imported) || (appOf(imported) ?? app) !== app);
      }),
    ).toEqual([]);
  });

  it('the program reaches an app through its main.ts only', () => {
    expect(
      breaches(
        (file, imported) =>
          file.startsWith('src/') &&
          appOf(imported) !== undefined &&
          !/^apps\/\w+\/src\/main\.ts$/.test(imported),
      ),
    ).toEqual([]);
  });

  it('libs/domain imports nothing but Node', () => {
    const allowed = (path: string) =>
      path.startsWith('libs/domain/') || path.startsWith('node:') || builtinModules.includes(path);
    expect(breaches((file, imported) => file.startsWith('libs/domain/') && !allowed(imported))).toEqual([]);
  });

  it('the client package imports nothing but Node, openapi-fetch and the generated types', () => {
    const files = graph.files.filter((file) => file.startsWith('packages/'));
    const allowed = /^(packages\/client\/src\/|node:|openapi-fetch$)/;
    expect(files.length).toBeGreaterThan(5);
    expect(breaches((file, imported) => file.startsWith('packages/') && !allowed.test(imported))).toEqual([]);
  });

  it('http/ knows no feature', () => {
    const http = 'apps/api/src/http/';
    expect(
      breaches(
        (file, imported) =>
          file.startsWith(http) && appOf(imported) !== undefined && !imported.startsWith(http),
      ),
    ).toEqual([]);
  });

  it('the console imports nothing upward: `api` knows no component, and `components` no feature', () => {
    expect(graph.upward).toEqual([]);
  });

  it.each([
    ['files', graph.cycles.files],
    ['libs', graph.cycles.libs],
    ['rooms of libs', graph.cycles.rooms],
    ['features of an app', graph.cycles.features],
  ])('there is no cycle between %s', (_, cycles) => {
    expect(cycles).toEqual([]);
  });

  it('services speak no HTTP: controllers, and what writes a response, import DTOs', () => {
    const mayImport = /(\.controller|\.interceptor|\.dto|-csv)\.ts$/;
    expect(breaches((file, imported) => imported.endsWith('.dto.ts') && !mayImport.test(file))).toEqual([]);
  });
});

describe('one home for each', () => {
  it('only libs/config reads the environment of the process', () => {
    expect(filesWith(/process\.env\b/).filter((file) => !file.startsWith('libs/config/'))).toEqual([]);
  });

  it('an audited change is made in libs/administration, but for what people do to what is their own', () => {
    const allowed = [
      /^libs\/administration\//,
      // What customers do with their keys, voices and history.
      /^apps\/api\/src\/(history|service-accounts)\//,
      /^apps\/api\/src\/reviews\/appeal-requests\.ts$/,
      /^apps\/api\/src\/voices\/voice-(changes|samples)\.service\.ts$/,
      // How members of staff sign in, with the library that only the api loads.
      /^apps\/api\/src\/staff\/(own|sign-in)-[\w-]+(\.service)?\.ts$/,
      // The first account, its keys and the demonstration.
      /^src\//,
    ];
    const makers = breaches((_, imported) => imported === 'libs/administration/audit/audited-changes.ts');
    const files = makers.map(([file]) => file);
    expect(files.filter((file) => !allowed.some((place) => place.test(file)))).toEqual([]);
    expect(files).toContain('libs/administration/accounts/account-changes.service.ts');
  });

  it('only libs/credits uses the repository that moves credits and sets limits', () => {
    const users = graph.imports.filter(([, imported]) => imported.endsWith('/credit.repository.ts'));
    const files = users.map(([file]) => file);
    expect(files.filter((file) => !/^libs\/(credits|database)\//.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['libs/credits/credit-ledger.ts']));
  });

  it('only that repository changes balances, holds and the ledger of credits', () => {
    const change =
      /(UPDATE|INSERT\s+INTO|DELETE\s+FROM)\s+(public\.)?credit_|\.(insert|update|delete|save)\(Credit/i;
    expect(filesWith(change).map((file) => basename(file))).toEqual(['credit.repository.ts']);
  });

  it('only the functions of credits left add a grant to a limit, and divide what is used by it', () => {
    const folder = 'libs/database/schema/sql';
    const home =
      /^(libs\/domain\/credits\/credits-left|libs\/database\/schema\/(sql\/(usable_credits|credit_share)|\d+-))/;
    const names = '(credit_?limit|creditLimit)';
    const rule = new RegExp(
      [
        `${names}!?\\)?\\s*\\+\\s*[\\w.("]*granted`,
        `granted\\)?\\s*\\+\\s*[\\w.("]*${names}`,
        `used[\\w:]*"?\\)?\\s*/\\s*[^;\\n]{0,40}${names}`,
        `${names}[\\w:]*!?\\s*-\\s*[\\w.("]*used`,
        `${names}!?\\s*\\*\\s*[\\w.]*threshold`,
      ].join('|'),
      'i',
    );
    const files = [...filesWith(rule), ...sqlFilesWith(folder, rule)];
    expect(files.filter((file) => !home.test(file))).toEqual([]);
    expect(rule.test('b.used::float8 / b.credit_limit')).toBe(true);
    expect(sqlFilesWith(folder, rule)).toContain(`${folder}/usable_credits.sql`);
  });

  it('only repositories contain SQL', () => {
    const statement = /[`'"]\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|LOCK|LISTEN|NOTIFY)\s/;
    const allowed = [
      /\.repository\.ts$/,
      // The schema, the roles, and the parts of queries that repositories put together.
      /^libs\/database\//,
      // The store of limits, beside its twin in Redis.
      /^libs\/limits\/postgres-limit-store\.ts$/,
      // A connection of its own, on which a process listens.
      /^libs\/auth\/invalidation\/key-change\.connection\.ts$/,
      // They run and examine a server, and read none of the product's tables.
      /^src\/(launcher|backup|cli\/doctor)\//,
    ];
    expect(filesWith(statement).filter((file) => !allowed.some((place) => place.test(file)))).toEqual([]);
  });

  it('only http/ and server/ say in which part of a request a problem is', () => {
    const place = /\bloc\b|\bWireProblem\b|new ValidationProblem\b/;
    const allowed =
      /^(apps\/(api\/src\/(http|server)|console)|packages\/client|libs\/voice-engine\/upstream\.engine)\b/;
    expect(filesWith(place).filter((file) => !allowed.test(file))).toEqual([]);
  });

  it('the console fetches its files through lazyScreen and fetchPart, which request them again', () => {
    const ofConsole = filesWith(/\bimport\(/).filter((file) => file.startsWith('apps/console/'));
    expect(ofConsole.length).toBeGreaterThan(5);
    const bare = /\blazy\(async|from 'react'.*\blazy\b|\blazy\b.*from 'react'|await import\(/;
    expect(filesWith(bare).filter((file) => file.startsWith('apps/console/'))).toEqual([]);
  });

  it('an effect of the console returns nothing by accident: React calls what it returns', () => {
    const effect = /\buse(Layout)?Effect\(\s*\(\) =>\s*/;
    expect(filesWith(effect).length).toBeGreaterThan(10);
    const byAccident = new RegExp(effect.source + /(?!\s|\{|void\b|\(\) =>)/.source);
    expect(byAccident.test('useEffect(\n  () => row.scrollIntoView(), [])')).toBe(true);
    expect(filesWith(byAccident)).toEqual([]);
  });

  it('the console formats dates and numbers without Intl: whatever is first of it takes long', () => {
    const atStart = /^(export )?const \w+ = (?!.*=>).*\b(Intl\.|toLocale)/m;
    expect(atStart.test("const DAY = new Intl.DateTimeFormat('en-GB');")).toBe(true);
    expect(filesWith(atStart).filter((file) => /^(apps\/console|libs\/domain)\//.test(file))).toEqual([]);
  });

  it('only server/ knows the order of the hooks', () => {
    const isHook = (path: string) => path.endsWith('.hook.ts');
    expect(filesWith(/\.protect\(fastify\)/)).toEqual(['apps/api/src/server/configure-app.ts']);
    expect(breaches((file, imported) => isHook(file) && isHook(imported))).toEqual([]);
  });
});

it('nest-cli.json lists every app and every lib', () => {
  const { projects } = JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8')) as {
    projects: Record<string, { root: string }>;
  };
  const libs = readdirSync(join(ROOT, 'libs')).map((name) => `libs/${name}`);
  expect(Object.values(projects).map(({ root }) => root)).toEqual([
    'apps/api',
    'apps/worker',
    ...libs.sort(),
  ]);
});

it('docs/architecture.md names every lib, and every room of those that it does not call rooms by subject', () => {
  const document = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const named = ['libs', 'libs/administration', 'libs/audio', 'libs/auth', 'apps/worker/src'].flatMap(
    (folder) =>
      readdirSync(join(ROOT, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name),
  );
  expect(named.filter((name) => !document.includes(`${name}/`))).toEqual([]);
});
