const all = require('./jest.config');

/** What `npm test` leaves to `npm run test:all`, for its time: whole projects, and suites of the others. */
const LEFT_TO_ALL = {
  projects: ['fuzz', 'launcher', 'faults-postgres', 'faults-redis'],
  suites: {
    unit: [
      'apps/api/src/voices/recording-inspector',
      'libs/audio/codecs/(joined-files|packet-containers)',
      'libs/audio/measures/(hostile-files|known-damage)',
      'libs/audio/threads/(dnsmos|ffmpeg|speaker-model|speech-encoder)',
      'libs/voice-engine/(render-voice|reviewed-voices|speech-server.engine)',
      'src/cli/review-files',
      'test/battery/battery',
    ],
    int: [
      'test/int/(api-processes|audio-store|audit-stream|compose|database-locales|database-names|doctor|edited-migrations|full-disk|half-open-connections|logical-replication|migrations-beside|one-trip|postgres-client|settings-file|spoken-clips|timers|top)',
    ],
    'int-postgres': [
      'test/int/queue/(database-sessions|job-deadline|quiet-worker|redis-outage|redis-topologies|relay-crash|review-sweeper|review-turns|webhook-delivery|worker-crash|worker-health)',
    ],
    'int-redis': [
      'test/int/queue/(alert-rounds|database-sessions|job-deadline|outbox|quiet-worker|redis-outage|redis-topologies|relay-crash|review-delivery|review-sweeper|review-turns|webhook-delivery|worker-crash|worker-health)',
    ],
    'e2e-postgres': [
      'test/e2e/(broken-installations|cell-moves|cell-reports|cells|chapters|conformance-upstream|credits-processes|database-topologies|demo|drain|failover-loss|hostile-bodies|hostile-clients|hostile-sockets|key-concurrency|late-database|other-clients|own-address|recording-uploads|reverse-proxies|same-recordings|same-speaker|side-by-side|speech-processes|spoken-clips|speech-queue|staff-identity-provider|staff-provider-roles|staff-queues|staff-real-provider|staff-scim|stopped-readers|synthetic-marks|text-to-voice-formats|text-to-voice-remix|text-to-voice-streamed-previews|traces|upgrades|upstream)',
      'test/clients/(client-programs|greenroom-client|older-official-clients|recorded-requests)',
      'test/e2e/(client-library|compressed-responses|dates|end-users|forward-auth-proxies|history|leaked-keys|recordings|saved-views|screening|shared-voices|staff-search|text-to-voice-bad-input|usage-sink-kills|usage-sinks|voice-aliases|webhooks|workspace-analytics)',
    ],
    'e2e-redis': [
      'test/e2e/(client-library|limits|single-use-tokens|staff-queues|staff-voices|text-to-voice-create|text-to-voice-streamed-previews|webhooks)',
    ],
    browser: ['test/browser/(?!console-tasks)[a-z-]+'],
  },
};

/** @type {import('jest').Config} */
module.exports = {
  ...all,
  projects: all.projects
    .filter(({ displayName }) => !LEFT_TO_ALL.projects.includes(displayName))
    .map((project) => ({
      ...project,
      // For suites that look at fewer cases then: see `test/support/short.ts`.
      globals: { ...project.globals, __SHORT__: true },
      testPathIgnorePatterns: [
        '/node_modules/',
        ...(LEFT_TO_ALL.suites[project.displayName] ?? []).map((path) => `/${path}\\.spec\\.ts$`),
      ],
    })),
};
