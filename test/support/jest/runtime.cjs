const { statSync } = require('node:fs');
const Module = require('node:module');
const { join, relative, sep } = require('node:path');
const { default: Runtime } = require('jest-runtime');

const ROOT = join(__dirname, '../../..');
const DIST = join(ROOT, 'dist') + sep;
/** What the build compiles. */
const PRODUCT = ['apps', 'libs', 'src', 'tools'].map((folder) => join(ROOT, folder) + sep);
/** Modules of the tests that are loaded once for each Jest worker. */
const ONCE = join(ROOT, 'test/support/once') + sep;

/**
 * Loads test files, and all that they import, with Node's own `require`: packages and the built product once for
 * each Jest worker, and not once for each file. Only what belongs to the tests is loaded again for each file. Jest's
 * transformer compiles it, and each source file that was saved after the build.
 */
module.exports = class ProcessRuntime extends Runtime {
  requireModule(from, moduleName, options, isRequireActual) {
    if (options?.isInternalModule) return super.requireModule(from, moduleName, options, isRequireActual);
    current = this;
    globalThis.jest = this.requireModuleOrMock(from, '@jest/globals').jest;
    return Module.createRequire(from)(moduleName ?? from);
  }

  compile(path) {
    return this.transformCache.transform(path);
  }

  teardown() {
    super.teardown();
    for (const path of Object.keys(require.cache)) if (isOfOneFile(path)) delete require.cache[path];
  }
};

/** The runtime of the file that runs now. */
let current;

Module._extensions['.ts'] = (module, path) => module._compile(current.compile(path), path);

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) =>
  newest(
    resolveFilename(request.startsWith('@app/') ? join(ROOT, 'libs', request.slice(5)) : request, ...rest),
  );

/** The built file of a module of the product, or its source where that is newer. */
function newest(path) {
  const name = nameInProduct(path);
  if (name === null) return path;
  const built = join(DIST, `${name}.js`);
  const source = join(ROOT, `${name}.ts`);
  return savedAt(source) > savedAt(built) ? source : built;
}

function nameInProduct(path) {
  if (path.startsWith(DIST)) return path.endsWith('.js') ? relative(DIST, path).slice(0, -3) : null;
  return path.endsWith('.ts') && PRODUCT.some((folder) => path.startsWith(folder))
    ? relative(ROOT, path).slice(0, -3)
    : null;
}

function savedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Product sources that are newer than the build stay, like the build itself. */
function isOfOneFile(path) {
  const isOfTests = path.startsWith(join(ROOT, 'test') + sep) || /\bspec\b[^/]*\.ts$/.test(path);
  return isOfTests && path.endsWith('.ts') && !path.startsWith(ONCE);
}
