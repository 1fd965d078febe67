const { spawnSync } = require('node:child_process');
const { availableParallelism } = require('node:os');
const translation = require('./scripts/translation.cjs');

const base = {
  // One id for all projects, so that they share the cache of what has been compiled: they compile alike.
  id: 'greenroom',
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  setupFiles: ['<rootDir>/test/support/before-env.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', translation],
  },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
};

const withDatabase = {
  ...base,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/after-env.ts'],
};

/** The e2e suites that come near a queue or a limit: Redis knows nothing of the others. */
const ON_REDIS =
  '(client-library|limits|single-use-tokens|staff-queues|staff-voices|text-to-voice-create|text-to-voice-streamed-previews|webhooks)';

/** The fault suites that the whole suite has a short version of. */
const SHORT_FAULTS = {
  postgres:
    '{alerts,batches-kill,cases,key-files,ledger-archive,naive-storm,speech-kill,stops,storm,upstream-kill}',
  redis: '{cases,naive-storm,stops,storm}',
};

/** The suites that run on a queue backend, once for each. */
const onBackend = (backend) => [
  {
    ...withDatabase,
    displayName: `int-${backend}`,
    testMatch: ['<rootDir>/test/int/queue/**/*.spec.ts'],
    globals: { __QUEUE_BACKEND__: backend },
  },
  {
    ...withDatabase,
    displayName: `e2e-${backend}`,
    testMatch:
      backend === 'redis'
        ? [`<rootDir>/test/e2e/${ON_REDIS}.spec.ts`]
        : ['<rootDir>/test/{e2e,clients}/*.spec.ts'],
    globals: { __QUEUE_BACKEND__: backend },
  },
  {
    ...withDatabase,
    displayName: `faults-${backend}`,
    // The whole suite has a short storm; `npm run test:faults` has everything, at length.
    testMatch: [`<rootDir>/test/faults/${process.env.FAULT_MINUTES ? '*' : SHORT_FAULTS[backend]}.spec.ts`],
    globals: { __QUEUE_BACKEND__: backend },
  },
];

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) {
  console.warn(
    'redis-server is not on the PATH: the suites on the Redis backend are LEFT OUT. Install it (Debian: apt-get install redis-server) to run them.',
  );
}

const chromium = spawnSync('sh', ['-c', 'command -v chromium']).stdout.toString().trim();
if (chromium === '') {
  console.warn(
    'chromium is not on the PATH: the suite in a real browser is LEFT OUT. Install it (Debian: apt-get install chromium) to run it.',
  );
}

const browser = {
  ...withDatabase,
  displayName: 'browser',
  testMatch: ['<rootDir>/test/browser/**/*.spec.ts'],
  globals: { __QUEUE_BACKEND__: 'postgres', __CHROMIUM__: chromium },
};

/** Not part of the whole suite: it measures. `npm run test:attacks` runs it. */
const attacks = {
  ...withDatabase,
  displayName: 'attacks',
  testMatch: ['<rootDir>/test/attacks/*.spec.ts'],
  globals: { __QUEUE_BACKEND__: 'postgres' },
};

/** @type {import('jest').Config} */
module.exports = {
  // Every suite loads the whole product; what it leaves behind goes with its process. With 3 GB, suites of HTTP alone took a sixth
  // less time, and those with browsers or child processes about twice as much.
  workerIdleMemoryLimit: '1GB',
  // Suites mostly wait, for servers and for deadlines.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{apps,libs,packages,src,tools}/**/*.spec.ts',
        '<rootDir>/test/{,battery/}*.spec.ts',
      ],
    },
    { ...withDatabase, displayName: 'int', testMatch: ['<rootDir>/test/int/*.spec.ts'] },
    ...onBackend('postgres'),
    {
      ...withDatabase,
      displayName: 'fuzz',
      testMatch: ['<rootDir>/test/fuzz/*.spec.ts'],
      globals: { __QUEUE_BACKEND__: 'postgres' },
    },
    ...(process.env.ATTACK_PARTS ? [attacks] : []),
    ...(hasRedis ? onBackend('redis') : []),
    ...(chromium === '' ? [] : [browser]),
    { ...base, displayName: 'launcher', testMatch: ['<rootDir>/test/launcher/*.spec.ts'] },
  ],
};
