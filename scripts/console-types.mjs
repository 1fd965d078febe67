// Generates the console's types of the api from the description of the API that the build has generated, so that a call that the api does not serve does not compile.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tool = join(root, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
const target = join(root, 'dist', 'console-types', 'schema.d.ts');

export function makeConsoleTypes() {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [tool, join('dist', 'openapi.json'), '-o', target],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`The types of the console cannot be generated:\n${stdout}${stderr}`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) makeConsoleTypes();
