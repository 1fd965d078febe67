import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a script of the bench prints. */
export async function runScript(name, args) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`bench/${name} ended with ${code}`);
  return output;
}
