const all = require('./jest.config');

/** What `npm test` leaves to `npm run test:all`: projects and suites that take long. CONTRIBUTING.md says what each holds. */
const LEFT_TO_ALL = {
  projects: ['fuzz', 'launcher', 'faults-redis'],
  /** @type {string[]} */
  suites: [],
};

/** @type {import('jest').Config} */
module.exports = {
  ...all,
  projects: all.projects
    .filter(({ displayName }) => !LEFT_TO_ALL.projects.includes(displayName))
    .map((project) => ({
      ...project,
      testPathIgnorePatterns: [
        '/node_modules/',
        ...LEFT_TO_ALL.suites.map((path) => `/${path}\\.spec\\.ts$`),
      ],
    })),
};
