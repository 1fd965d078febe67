import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOf, speechLike, wavFile } from '../../test/support/audio/signals';
import { findRecordings } from './find-recordings';
import { gradeAll } from './review-files';
import { type GradedFile, describeTable, toJson } from './review-output';

const RATE = 16_000;
const RULESET = { ruleset: 'greenroom-2026-11-4' } as const;
const speech = (level: number) =>
  wavFile(bytesOf(Int16Array.from(speechLike(4, RATE, { level }), (x) => x * 32767)));

describe('grading files from the shell', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-review-'));
  const at = (name: string) => join(folder, name);
  const grade = async (...paths: string[]) => gradeAll(await findRecordings(paths), RULESET);

  beforeAll(() => {
    mkdirSync(at('takes/older'), { recursive: true });
    mkdirSync(at('empty'));
    writeFileSync(at('takes/b.wav'), speech(0.1));
    writeFileSync(at('takes/older/A.WAV'), speech(0.02));
    writeFileSync(at('takes/notes.txt'), 'not taken from a folder');
    writeFileSync(at('huge.wav'), speech(0.1));
    truncateSync(at('huge.wav'), 100_000_001);
    writeFileSync(at('cut.flac'), 'fLaC and then nothing of the sort');
    writeFileSync(at('empty.wav'), '');
    execFileSync('mkfifo', [at('pipe.wav')]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('takes every recording of a folder and below, by name', async () => {
    const files = await grade(at('takes'));
    expect(files.map(({ path, problem }) => [path, problem])).toEqual([
      [at('takes/b.wav'), null],
      [at('takes/older/A.WAV'), null],
    ]);
    expect(files[0]!.graded!.measured!.measurements.durationSecs).toBe(4);
  });

  it.each([
    ['missing.wav', 'The file does not exist.', false],
    ['empty', /^The folder has no \.wav/, false],
    ['huge.wav', 'Too large: 100000001 bytes, more than the 100000000 accepted.', false],
    ['pipe.wav', 'This is neither a file nor a folder.', false],
    ['cut.flac', /^Found .+ Accepted: WAV/, true],
    ['takes/notes.txt', /^Found a text file\./, true],
    ['empty.wav', /^Found an empty file\./, true],
  ])('says what is wrong with %s and grades the others all the same', async (name, problem, evaluated) => {
    const [bad, good] = await grade(at(name), at('takes/b.wav'));
    expect(bad!.problem).toMatch(problem);
    const { reasonText = '' } = bad!.graded?.verdict ?? {};
    expect(reasonText.startsWith('undecodable_audio=a')).toBe(evaluated);
    expect(good!.problem).toBeNull();
  });

  it('keeps the order in which files were given', async () => {
    const paths = ['takes/older/A.WAV', 'missing.wav', 'takes/b.wav', 'takes/older/A.WAV'].map(at);
    expect((await grade(...paths)).map(({ path }) => path)).toEqual(paths);
  });

  describe('shows', () => {
    let files: GradedFile[];
    beforeAll(async () => (files = await grade(at('takes'), at('missing.wav'))));

    it('a table with the grade of each file, and sentences on request', () => {
      const table = describeTable(files, { explain: true });
      expect(table).toMatch(/^GRADE +SCORE +LENGTH +FILE +REASON\n/);
      expect(table).toMatch(/(ok|good|poor) +\d\.\d\d +4\.0 s +.+b\.wav +[a-z_]+=/);
      expect(table).toMatch(/\n {4}[A-Z].+; aim for .+\./);
      expect(table).toContain('2 of 3 graded, 1 not.');
      expect(describeTable(files, {})).not.toContain('aim for');
    });

    it('no control characters of a file name', () => {
      const table = describeTable([{ path: '\u001b[2Jx\n.wav', graded: null, problem: 'none' }], {});
      expect(table).toContain('?[2Jx?.wav');
    });

    it('every measurement as JSON', () => {
      const [first, , missing] = JSON.parse(toJson(files)) as Record<string, unknown>[];
      expect(first).toMatchObject({ error: null, ruleset: RULESET.ruleset });
      expect(first!.measurements).toHaveProperty('snrDb');
      expect(missing).toMatchObject({ grade: null, measurements: null, error: 'The file does not exist.' });
    });
  });
});
