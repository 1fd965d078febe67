import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROJECT } from './launched';

it('a command ends as it would have when the reader of its output stops early', async () => {
  const child = spawn(
    process.execPath,
    [join(PROJECT, 'dist/src/main.js'), 'review', 'no-such-file.wav', '--json'],
    {
      stdio: 'pipe',
    },
  );
  child.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(errors).not.toContain('EPIPE');
  expect(code).toBe(1);
});
