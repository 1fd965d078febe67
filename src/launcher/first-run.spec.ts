import { execFileSync } from 'node:child_process';
import { firstCommands } from './first-run';

const commands = firstCommands({ base_url: 'http://127.0.0.1:3000', api_key: 'grk_secret' });

/** Stands in for curl: shows what it was called with, and responds as the api does. */
const CURL = `curl() { printf '%s\\n' "$@" >&2; echo '{"previews":[{"generated_voice_id":"p1"},{"generated_voice_id":"p2"}],"voice_id":"v1","labelling_status":"review_complete","recording_quality":"good"}'; }`;

describe('the commands of the first run', () => {
  it('work when they are pasted one after the other', () => {
    const script = [CURL, ...commands.map(({ command }) => command)].join('\n');
    const output = execFileSync('sh', ['-c', `{ ${script}\n} 2>&1`], { encoding: 'utf8' });
    expect(output).toContain('http://127.0.0.1:3000/v1/text-to-voice/design\n-H\nxi-api-key: grk_secret');
    expect(output).toContain('"generated_voice_id":"p1"}');
    expect(output).toContain('http://127.0.0.1:3000/v1/voices/v1\n');
    expect(output).toContain('"recording_quality":"good"');
  });

  it('are one line each', () => {
    expect(commands.map(({ command }) => command.split('\n').length)).toEqual([1, 1, 1]);
  });
});
