import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Launched, PROJECT } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

/** A build without compiled code. */
let folder: string;
const cache = () => join(folder, 'dist/bundle/cache', readdirSync(join(folder, 'dist/bundle/cache'))[0]!);

beforeAll(() => {
  folder = makeTemporaryFolder();
  mkdirSync(join(folder, 'dist'));
  for (const name of ['bundle', 'libs', 'src', 'openapi.json'])
    cpSync(join(PROJECT, 'dist', name), join(folder, 'dist', name), { recursive: true });
  for (const name of ['package.json', 'openapi.json']) cpSync(join(PROJECT, name), join(folder, name));
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  rmSync(join(folder, 'dist/bundle/cache'), { recursive: true, force: true });
});

afterAll(() => removeFolder(folder));

async function run(args: string[], env: Record<string, string> = {}, flags: string[] = []) {
  const command = [...flags, join(folder, 'dist/src/main.js'), ...args];
  const launched = Launched.run(process.execPath, command, folder, env);
  await launched.ended();
  return launched.output;
}

describe('the bundle', () => {
  it('has a stack trace name the lines of the sources', async () => {
    const output = await run(['workers', 'list'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      APP_SECRET: 'a-secret-that-is-long-enough-for-a-test-1234',
      LOG_LEVEL: 'debug',
    });
    const [, line] = /src\/cli\/workers\.command\.ts:(\d+)/.exec(output) ?? [];
    const source = readFileSync(join(PROJECT, 'src/cli/workers.command.ts'), 'utf8').split('\n');
    expect(source[Number(line) - 1]).toContain('withDatabase(');
    expect(output).toMatch(/node_modules\/commander\/lib\/command\.js:\d+/);
    expect(output).not.toContain('dist/bundle');
  });

  it('stores what was compiled, and uses it for the same flags only', async () => {
    await run(['openapi']);
    const files = readdirSync(cache());
    expect(files).toContainEqual(expect.stringMatching(/^program-/));
    const written = () => files.map((name) => statSync(join(cache(), name)).mtimeMs);
    const first = written();
    await run(['openapi']);
    expect(written()).toEqual(first);
    await run(['openapi'], {}, ['--max-lazy']);
    expect(written()).not.toEqual(first);
  });

  it('compiles again what is stored damaged', async () => {
    const file = join(
      cache(),
      readdirSync(cache()).find((name) => name.startsWith('program-'))!,
    );
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, 1_000));
    expect(JSON.parse(await run(['openapi']))).toHaveProperty('openapi');
    expect(statSync(file).size).toBeGreaterThan(1_000);
  });
});
