const { AsyncLocalStorage } = require('node:async_hooks');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');
const { ModuleMocker } = require('jest-mock');

/** The pipes to the process that runs Jest, and what is written there. */
const OF_JEST = new Set(['PipeWrap', 'TTYWrap', 'FSReqCallback', 'WriteWrap', 'ShutdownWrap']);

/** What keeps this process running, by kind; the files before may have left some of it. */
const openResources = () => process.getActiveResourcesInfo().filter((name) => !OF_JEST.has(name));

/** The storages that this file has used. Jest creates one for each file, and never disables it. */
const storages = new Set();
for (const name of ['run', 'enterWith']) {
  const use = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    storages.add(this);
    return use.apply(this, args);
  };
}

const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/**
 * Runs a test file on the global object of its process, so that what the process has loaded, the built product above
 * all, serves the next file too. What a file replaces there or sets in the environment ends with it. Jest's own modules
 * keep the context that `jest-environment-node` creates for them.
 */
module.exports = class ProcessEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { projectConfig } = config;
    this.testPath = context.testPath;
    this.sandbox = this.global;
    this.global = globalThis;
    this.before = {
      globals: Object.getOwnPropertyDescriptors(globalThis),
      env: { ...process.env },
      open: openResources(),
    };
    Object.assign(globalThis, projectConfig.globals);
    // `expect.any(String)` and `jest.setTimeout(…)` are read in the context of Jest's own modules.
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (/^[A-Z]/.test(name) && typeof globalThis[name] === 'function')
        this.sandbox[name] = globalThis[name];
    }
    Object.defineProperty(globalThis, TEST_TIMEOUT, {
      configurable: true,
      set: (timeoutMs) => {
        this.sandbox[TEST_TIMEOUT] = timeoutMs;
      },
    });
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async teardown() {
    await super.teardown();
    await this.reportWhatIsOpen();
    // Before Node 24, each enabled one slows down every promise: sixty more than doubled the time of a suite over HTTP.
    for (const storage of storages) storage.disable();
    storages.clear();
    const { globals, env } = this.before;
    for (const [name, descriptor] of Object.entries(globals)) {
      if (descriptor.configurable) Object.defineProperty(globalThis, name, descriptor);
    }
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    // Node keeps contexts, and what a file leaves on the global object leads back here: neither may lead to the tests.
    for (const symbol of Object.getOwnPropertySymbols(this.sandbox)) delete this.sandbox[symbol];
    this.before = null;
  }

  /** What a file leaves running keeps its process from ending; the process of many files cannot say which it was. */
  async reportWhatIsOpen() {
    const left = () => {
      const before = [...this.before.open];
      return openResources().filter((name) => {
        const place = before.indexOf(name);
        if (place >= 0) before.splice(place, 1);
        return place < 0;
      });
    };
    for (let check = 0; check < 20 && left().length > 0; check += 1)
      await new Promise((resolve) => setTimeout(resolve, 100).unref());
    if (left().length > 0) process.stderr.write(`${this.testPath} leaves open: ${left().join(', ')}\n`);
  }
};
