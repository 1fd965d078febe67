import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

/** Runs an expression with what a script of the project exports. */
function withScript(name: string, expression: string) {
  const url = pathToFileURL(join(__dirname, '../scripts', name)).href;
  const program = `const script = await import('${url}'); ${expression}`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program, 'as a module'], {
    encoding: 'utf8',
  });
}

describe('the build', () => {
  it('refuses to begin with less memory than it needs, and says what helps', () => {
    const { status, stderr } = withScript('build.mjs', 'script.requireMemory(600, 412)');
    expect(stderr).toContain(
      'The build needs 600 MB of memory, and 412 MB are available. Free some, or build elsewhere: the package that "npm pack" makes needs no build.',
    );
    expect(status).not.toBe(0);
  });

  it('begins with as much as it needs', () => {
    expect(withScript('build.mjs', 'script.requireMemory(600, 600)')).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});
