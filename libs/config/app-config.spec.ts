import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from './app-config';
import { VARIABLES } from './variables';

describe('loadConfig', () => {
  it('needs nothing', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      dataDir: '.greenroom',
      logLevel: 'log',
    });
    expect(loadConfig({}).databaseUrl).toBeUndefined();
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['HOST', 'not a host'],
    ['DATABASE_URL', 'mysql://somewhere/db'],
    ['REDIS_URL', 'localhost:6379'],
    ['TRUSTED_PROXIES', 'true'],
    ['TRUSTED_PROXIES', '1'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,010.0.0.1'],
    ['PREVIEW_TTL_HOURS', '0'],
    ['WORKER_CONCURRENCY', 'many'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
  ])('refuses %s=%s, naming the variable and what is accepted', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`^${name}: .*; give `));
  });

  it('reports every bad variable at once', () => {
    expect(() => loadConfig({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/PORT: [^]*LOG_LEVEL: /);
  });

  it('reads a secret from a file and never prints a refused one', () => {
    const file = join(tmpdir(), `greenroom-config-${process.pid}`);
    writeFileSync(file, 'postgres://u:p@db/x\n');
    expect(loadConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe('postgres://u:p@db/x');
    expect(() => loadConfig({ DATABASE_URL: 'hunter2' })).toThrow(/^(?!.*hunter2)/);
    expect(() => loadConfig({ DATABASE_URL_FILE: '/nowhere' })).toThrow(
      /DATABASE_URL_FILE: "\/nowhere" cannot be read/,
    );
  });

  it('cannot be changed after boot', () => {
    expect(() => Object.assign(loadConfig({}), { port: 1 })).toThrow(TypeError);
  });
});

it('.env.example names every variable, and no other', () => {
  const text = readFileSync(join(__dirname, '../../.env.example'), 'utf8');
  const names = [...text.matchAll(/^#?([A-Z0-9_]+)=/gm)].map((match) => match[1]);
  expect(names.sort()).toEqual(Object.keys(VARIABLES).sort());
});
