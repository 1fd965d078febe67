// Runs npm scripts at once: node scripts/side-by-side.mjs NAME… Prints each one's output in one piece when it ends, with
// its seconds, and fails when one of them has failed.
import { spawn } from 'node:child_process';

const results = await Promise.all(process.argv.slice(2).map(runScript));
process.exitCode = results.every((code) => code === 0) ? 0 : 1;

function runScript(name) {
  const startedAt = Date.now();
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes));
  return new Promise((resolve) => {
    child.on('error', (error) => (output.push(Buffer.from(`${error.message}\n`)), resolve(1)));
    child.on('close', (code) => {
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      process.stdout.write(Buffer.concat([...output, Buffer.from(`${name}: ${seconds} s\n`)]));
      if (code !== 0) console.error(`npm run ${name} failed`);
      resolve(code);
    });
  });
}
