import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pid, versions } from 'node:process';
import { Script } from 'node:vm';

/**
 * What `scripts/build-bundle.mjs` writes: the program and its packages in few files, `entries.json` with the file of each entry, and for
 * each file which line of a source each of its lines is. It is there after a whole build, and never older than the files beside it.
 */
const FOLDER = join(__dirname, '../../bundle');
/** V8 refuses code of another version or with other flags; the name of a file has a hash of its content. */
const CACHE = join(FOLDER, 'cache', `${versions.v8}-${process.arch}`);
const PARAMETERS = 'exports, require, module, __filename, __dirname, importPackage';

interface Loaded {
  exports: unknown;
}
type Run = (...args: unknown[]) => void;

const loaded = new Map<string, Loaded>();
/** Scripts whose code is not stored yet. */
const uncached = new Map<string, Script>();

/** Loads an entry of the bundle, such as `program`; null where no bundle was built, as during development. */
export function loadBundled(entry: string): unknown {
  const list = join(FOLDER, 'entries.json');
  if (!existsSync(list)) return null;
  nameSources();
  return load((JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>)[entry]!);
}

/**
 * Stores the code that V8 has compiled so far, for the next start. V8 writes its flags into it, so a process that changes them calls this
 * before. A folder that cannot be written stays as it is.
 */
export function saveCompiledCode(): void {
  try {
    if (uncached.size > 0) mkdirSync(CACHE, { recursive: true });
    for (const [file, script] of uncached) {
      const target = join(CACHE, file);
      writeFileSync(`${target}.${pid}`, script.createCachedData());
      renameSync(`${target}.${pid}`, target);
    }
  } catch {
    // It only costs the time to compile it again.
  }
  uncached.clear();
}

function load(file: string): unknown {
  const known = loaded.get(file);
  if (known) return known.exports;
  const path = join(FOLDER, file);
  const module: Loaded = { exports: {} };
  loaded.set(file, module);
  const requirePackage = createRequire(path);
  const requireFrom = (name: string): unknown =>
    name.startsWith('./') ? load(basename(name)) : requirePackage(name);
  try {
    const run = compile(file, path).runInThisContext() as Run;
    run(module.exports, Object.assign(requireFrom, requirePackage), module, path, FOLDER, importPackage);
  } catch (error) {
    // As Node does: what fails, for example for want of a file descriptor, is loaded again when it is needed again.
    loaded.delete(file);
    throw error;
  }
  return module.exports;
}

function compile(file: string, path: string): Script {
  const source = `(function (${PARAMETERS}) { ${readFileSync(path, 'utf8')}\n})`;
  const cachedFile = join(CACHE, file);
  const cachedData = existsSync(cachedFile) ? readFileSync(cachedFile) : undefined;
  const script = new Script(source, { filename: path, cachedData });
  if (!cachedData || script.cachedDataRejected) uncached.set(file, script);
  return script;
}

/** `import()` in a script of `node:vm` has no way to packages without an experimental flag. */
const importPackage = async (name: string): Promise<unknown> => import(name);

/**
 * Stack traces name the lines of sources, not of the bundle. Node's own support of source maps reads the whole map of each file that is
 * loaded; this reads a table when the first stack is asked for.
 */
function nameSources(): void {
  Error.prepareStackTrace = (error, frames) =>
    [describe(error), ...frames.map((frame) => `    at ${frameOf(frame)}`)].join('\n');
}

function describe(error: Error): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

function frameOf(frame: NodeJS.CallSite): string {
  const text = (frame as Printed).toString();
  const path = frame.getFileName();
  if (!path || dirname(path) !== FOLDER) return text;
  const source = sourceOf(basename(path), frame.getLineNumber()!);
  return source ? text.replace(`${path}:${frame.getLineNumber()}:${frame.getColumnNumber()}`, source) : text;
}

type Printed = NodeJS.CallSite & { toString: () => string };

interface Lines {
  sources: string[];
  /** Of each line, the number of its source, or -1, and the line there. */
  places: Int32Array;
}
const tables = new Map<string, Lines | null>();

function sourceOf(file: string, line: number): string | null {
  if (!tables.has(file)) tables.set(file, readLines(join(FOLDER, `${file}.lines`)));
  const { sources, places } = tables.get(file) ?? {};
  const source = sources?.[places?.[2 * (line - 1)] ?? -1];
  return source ? `${join(FOLDER, '../..', source)}:${places![2 * line - 1]}` : null;
}

/** A line of JSON with the names of sources, padded to whole numbers of four bytes, and the numbers. */
function readLines(path: string): Lines | null {
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  const end = bytes.indexOf('\n') + 1;
  const { buffer } = Uint8Array.prototype.slice.call(bytes, end);
  return { sources: JSON.parse(bytes.toString('utf8', 0, end)) as string[], places: new Int32Array(buffer) };
}
