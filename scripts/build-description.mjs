// Describes the API by its code (dist/openapi.json, which /docs shows) and generates the console's types of it. Needs the built servers.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeConsoleTypes } from './console-types.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const writer = join(root, 'dist', 'tools', 'openapi', 'write.js');

const { status } = spawnSync(process.execPath, [...process.execArgv, writer], {
  cwd: root,
  stdio: 'inherit',
});
if (status === 0) makeConsoleTypes();
process.exitCode = status ?? 1;
