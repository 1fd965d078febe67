import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { ROOT, sourceFiles } from './support/source-files';

/** Every import of our source, as [file, imported path]: ours relative to the root, packages by name. */
function allImports(): [string, string][] {
  return sourceFiles('apps', 'libs', 'src').flatMap((file) =>
    importsOf(file).map((path): [string, string] => [file, resolve(file, path)]),
  );
}

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(/(?:from|import|require\()\s*'([^']+)'/g)].map((match) => match[1]!);
}

function resolve(file: string, path: string): string {
  if (path.startsWith('@app/')) return path.replace('@app/', 'libs/');
  return path.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), path)) : path;
}

describe('import rules', () => {
  const imports = allImports();

  it('finds the imports it checks', () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  it('a lib never imports an app or the launcher', () => {
    expect(imports.filter(([file, path]) => file.startsWith('libs/') && /^(apps|src)\//.test(path))).toEqual(
      [],
    );
  });

  it('apps never import each other', () => {
    const appOf = (path: string) => /^apps\/([^/]+)/.exec(path)?.[1];
    expect(
      imports.filter(([file, path]) => appOf(file) && appOf(path) && appOf(file) !== appOf(path)),
    ).toEqual([]);
  });

  it('libs/domain imports nothing but Node', () => {
    const allowed = (path: string) =>
      path.startsWith('libs/domain/') || path.startsWith('node:') || builtinModules.includes(path);
    expect(imports.filter(([file, path]) => file.startsWith('libs/domain/') && !allowed(path))).toEqual([]);
  });

  it('only libs/credits uses the repository that moves credits and sets limits', () => {
    const isUser = ([, path]: [string, string]) => path.endsWith('/credit.repository');
    const users = imports.filter(isUser).map(([file]) => file);
    expect(users.filter((file) => !/^libs\/(credits|database)\//.test(file))).toEqual([]);
    expect(users).toEqual(expect.arrayContaining(['libs/credits/credit-ledger.ts']));
  });

  it('only that repository changes balances, holds and the ledger of credits', () => {
    const change =
      /(UPDATE|INSERT\s+INTO|DELETE\s+FROM)\s+(public\.)?credit_|\.(insert|update|delete|save)\(Credit/i;
    const files = sourceFiles('apps', 'libs', 'src').filter((file) =>
      change.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(files.map((file) => basename(file))).toEqual(['credit.repository.ts']);
  });

  it('only libs/config reads the environment of the process', () => {
    const readers = imports
      .map(([file]) => file)
      .filter((file, index, all) => all.indexOf(file) === index)
      .filter((file) => /process\.env\b/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(readers.filter((file) => !file.startsWith('libs/config/'))).toEqual([]);
  });
});
