import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { ConfigError, dropPostgresVariables, exemptLoopbackFromProxies, loadConfig } from './app-config';
import { VARIABLES } from './variables';

const PROGRAMS = mkdtempSync(join(tmpdir(), 'programs-'));
beforeAll(() => writeFileSync(join(PROGRAMS, 'ffmpeg'), '', { mode: 0o755 }));
afterAll(() => rmSync(PROGRAMS, { recursive: true }));

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
    ['REDIS_URL', 'redis://localhost:6379?family=6'],
    ['REDIS_URL', 'redis://localhost:6379/first'],
    ['REDIS_CA', 'no certificate'],
    ['REDIS_SENTINELS', '10.0.0.1'],
    ['REDIS_SENTINELS', 'redis://10.0.0.1:26379'],
    ['REDIS_CLUSTER', '10.0.0.1:6379,'],
    ['REDIS_CLUSTER', '10.0.0.1:70000'],
    ['TRUSTED_PROXIES', 'true'],
    ['TRUSTED_PROXIES', '1'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,010.0.0.1'],
    ['PREVIEW_TTL_HOURS', '0'],
    ['WORKER_CONCURRENCY', 'many'],
    ['FFMPEG_PATH', 'ffmpeg'],
    ['FFMPEG_PATH', '/none/ffmpeg'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
  ])('refuses %s=%s, naming the variable and what is accepted', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`^${name}: .*; give `));
  });

  it.each([
    [{ PATH: '/none' }, undefined],
    [{ PATH: `/none:relative:${PROGRAMS}` }, join(PROGRAMS, 'ffmpeg')],
    [{ PATH: PROGRAMS, FFMPEG_PATH: 'off' }, undefined],
    [{ PATH: '/none', FFMPEG_PATH: process.execPath }, process.execPath],
  ])('%j has the ffmpeg %s', (env, path) => {
    expect(loadConfig(env).ffmpegPath).toBe(path);
  });

  it.each([
    ['VOICE_ENGINE_URL', 'https://me:secret@host.example/v1?key=secret', '"https://…@host.example/v1?…"'],
    ['AUDIT_STREAM_URL', 'https://host.example/in?token=secret', '"https://host.example/in?…"'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://secret@host.example:4318', '"http://…@host.example:4318"'],
    ['OIDC_ISSUER', 'https://me:sec?ret@host.example', '"https://…@host.example"'],
    ['PUBLIC_URL', 'me:secret@host.example', '"…@host.example"'],
    ['SECRET_SCANNING_KEYS_URL', 'ftp://me:se@cret@host.example/x', '"ftp://…@host.example/x"'],
    ['MAIL_FROM', 'me@host@example', '"me@host@example"'],
    ['HOST', 'what is it?', '"what is it?"'],
  ])('refuses %s=%s, quoting no credentials', (name, value, quoted) => {
    expect(() => loadConfig({ [name]: value })).toThrow(`${name}: ${quoted} is not accepted`);
  });

  it.each([
    [{ REDIS_SENTINELS: 'a:1' }, /REDIS_URL is not set, but REDIS_SENTINELS is/],
    [{ REDIS_CLUSTER: 'a:1' }, /REDIS_URL is not set, but REDIS_CLUSTER is/],
    [{ REDIS_URL: 'redis://x', REDIS_SENTINELS: 'a:1', REDIS_CLUSTER: 'b:1' }, /are both set/],
    [{ REDIS_URL: 'redis://x/3', REDIS_CLUSTER: 'a:1' }, /a cluster has only 0/],
    [{ REDIS_URL: 'redis://x', REDIS_SENTINEL_PASSWORD: 'p' }, /REDIS_SENTINEL_PASSWORD is set, but/],
    [{ REDIS_URL: 'redis://x', REDIS_CA: rootCertificates[0] }, /does not begin with rediss:/],
  ])('refuses a Redis that is said in two ways or by half: %j', (env, problem) => {
    expect(() => loadConfig(env)).toThrow(problem);
  });

  it('refuses a replica without its primary, and an authority that cannot be read', () => {
    const url = 'postgres://db/x?sslmode=verify-full&sslrootcert=/nowhere/ca.pem';
    expect(() => loadConfig({ DATABASE_READ_URL: 'postgres://db/x' })).toThrow(/a replica needs its primary/);
    expect(() => loadConfig({ MIGRATION_DATABASE_URL: 'postgres://db/x' })).toThrow(
      /MIGRATION_DATABASE_URL is set, but DATABASE_URL is not/,
    );
    expect(() => loadConfig({ DATABASE_URL: url })).toThrow(
      /^DATABASE_URL: the sslrootcert "\/nowhere\/ca.pem" cannot be read/,
    );
  });

  it.each([
    ['DATABASE_URL', 'postgres://u:p%ff@db/x'],
    ['DATABASE_URL', 'postgres://u:50%@db/x'],
    ['DATABASE_URL', 'postgres://u:50%@one,two/x'],
    ['DATABASE_URL', 'postgres://u:p@db/a%ffb'],
    ['DATABASE_URL', 'postgres://u:p@db/a%3Fb'],
    ['DATABASE_READ_URL', 'postgres://u:50%@db/x'],
    ['MIGRATION_DATABASE_URL', 'postgres://u:50%zz@db/x'],
    ['AUDIT_STREAM_URL', 'https://u:50%@logs.example.com/50%'],
    ['OIDC_ISSUER', 'https://u:50%@id.example.com'],
    ['VOICE_ENGINE_URL', 'http://u:50%@speech.example.com'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://u:50%@collector'],
    ['DATABASE_URL', 'postgres://u:p@db/x?sslnegotiation=soon'],
    ['DATABASE_URL', 'postgres://u:p@db/x?sslcert=/nowhere/cert.pem'],
    ['MIGRATION_DATABASE_URL', 'postgres://u:p%ff@db/x'],
    ['DATABASE_READ_URL', 'postgres://u:p w@db/x'],
    ['REDIS_URL', 'redis://u:p%w@cache'],
    ['REDIS_URL', 'redis://u:%ff@cache'],
    ['SMTP_URL', 'smtp://u:100%@mail.example.com'],
    ['S3_ENDPOINT', 'https://u:%@s3.example.com'],
  ])(
    'refuses %s=%s, which would fail where it is used, with its name and without the login',
    (name, value) => {
      const env = { DATABASE_URL: 'postgres://db/x', AUDIO_STORE: 's3', S3_BUCKET: 'bucket', [name]: value };
      expect(() => loadConfig(env)).toThrow(new RegExp(`^${name}: (?!.*u:)`));
    },
  );

  it.each([
    ['DATABASE_URL', 'databaseUrl', 'postgres://u:p@db/x'],
    ['REDIS_URL', 'redisUrl', 'redis://u:p%25w@cache'],
    ['VOICE_ENGINE_URL', 'voiceEngineUrl', 'http://speech.example.com/v1'],
    ['AUDIT_STREAM_URL', 'auditStreamUrl', 'tls://logs.example.com:6514'],
  ] as const)('reads %s with spaces around it', (name, property, value) => {
    expect(loadConfig({ [name]: ` ${value}\n` })[property]).toBe(value);
  });

  it.each([
    ['require', 'verify-full'],
    ['verify-ca', 'verify-full'],
    ['verify-full', 'verify-full'],
    ['disable', 'disable'],
    ['no-verify', 'no-verify'],
  ])('sslmode=%s is said to the driver as %s', (input, said) => {
    const url = (mode: string) => `postgres://db/x?application_name=a&sslmode=${mode}&connect_timeout=3`;
    expect(loadConfig({ DATABASE_URL: url(input) }).databaseUrl).toBe(url(said));
  });

  it('reads a database with several hosts, and hands it to a child as it is', () => {
    const { databaseUrl } = loadConfig({
      DATABASE_URL: 'postgres://u:p@one:5433,two,[::1]/x?target_session_attrs=primary',
    });
    expect(databaseUrl).toBe(
      'postgres://u:p@one:5433/x?target_session_attrs=primary&hosts=one:5433,two:5432,[::1]:5432',
    );
    expect(loadConfig({ DATABASE_URL: databaseUrl }).databaseUrl).toBe(databaseUrl);
    expect(() => loadConfig({ DATABASE_URL: 'postgres://one,two/x?target_session_attrs=best' })).toThrow(
      /^DATABASE_URL: .*several hosts and target_session_attrs/,
    );
    expect(() => loadConfig({ DATABASE_URL: 'postgres://one,two:99999/x' })).toThrow(/^DATABASE_URL: /);
  });

  it('reads addresses of both families', () => {
    const env = { REDIS_URL: 'redis://x', REDIS_CLUSTER: 'node-1.example.net:6379, [fd00::1]:6380' };
    expect(loadConfig(env).redisCluster).toEqual([
      { host: 'node-1.example.net', port: 6379 },
      { host: 'fd00::1', port: 6380 },
    ]);
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

  it('reads sinks of usage, and names the fields of a refused one without its token', () => {
    const sink = {
      name: 'a',
      format: 'stripe',
      url: 'https://api.example.com/x',
      event: 'credits',
      token: 'se',
    };
    expect(loadConfig({ USAGE_SINKS: JSON.stringify([sink]) }).usageSinks).toEqual([
      { ...sink, account: null, tag: null },
    ]);
    const problemsOf = (text: string) => {
      try {
        return loadConfig({ USAGE_SINKS: text }).usageSinks;
      } catch (error) {
        return (error as ConfigError).problems;
      }
    };
    expect(problemsOf('[')).toEqual(['USAGE_SINKS: It is not YAML that can be read.']);
    const wrong = { ...sink, format: 'csv', token: 'a secret' };
    expect(problemsOf(JSON.stringify([wrong]))).toEqual([
      expect.stringMatching(/^USAGE_SINKS: 0\.format: /),
      'USAGE_SINKS: 0.token: Input should be a token without spaces.',
    ]);
    expect(problemsOf(JSON.stringify([{ ...sink, url: 'https://me:se@x.example' }]))).toEqual([
      expect.stringMatching(/^USAGE_SINKS: 0\.url: /),
    ]);
  });

  it('cannot be changed after boot', () => {
    expect(() => Object.assign(loadConfig({}), { port: 1 })).toThrow(TypeError);
  });
});

it('.env.example names every variable, and no other; operators find each in docs/operations.md', () => {
  const text = readFileSync(join(__dirname, '../../.env.example'), 'utf8');
  const names = [...text.matchAll(/^#?([A-Z0-9_]+)=/gm)].map((match) => match[1]);
  expect(names.sort()).toEqual(Object.keys(VARIABLES).sort());
  const documented = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
  expect(names.filter((name) => !documented.includes(`\`${name}`))).toEqual([]);
});

describe('a proxy in the environment', () => {
  it.each([
    [{}, 'localhost,127.0.0.1,::1,[::1]'],
    [{ NO_PROXY: 'a.example, localhost' }, 'a.example,localhost,127.0.0.1,::1,[::1]'],
    [{ no_proxy: 'b.example', NO_PROXY: 'a.example' }, 'b.example,localhost,127.0.0.1,::1,[::1]'],
  ])('is not used for this machine: %j', (input, exempt) => {
    const env: NodeJS.ProcessEnv = { ...input };
    exemptLoopbackFromProxies(env);
    expect(env).toEqual({ no_proxy: exempt, NO_PROXY: exempt });
    exemptLoopbackFromProxies(env);
    expect(env.NO_PROXY).toBe(exempt);
  });
});

describe('PG* variables', () => {
  it('do not reach the embedded PostgreSQL, and stay for one that is configured', () => {
    const input = { PGOPTIONS: '-c work_mem=1MB', PGSSLMODE: 'require', PATH: '/bin', PGDATA_OF_OURS: 'x' };
    const environment: NodeJS.ProcessEnv = { ...input };
    dropPostgresVariables(environment);
    expect(environment).toEqual({ PATH: '/bin', PGDATA_OF_OURS: 'x' });
    const configured = { ...input, DATABASE_URL: 'postgres://localhost/greenroom' };
    dropPostgresVariables(configured);
    expect(configured).toMatchObject(input);
  });
});
