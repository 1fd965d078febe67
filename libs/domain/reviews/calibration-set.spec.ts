import { compareWithPeople, readCalibrationSet, type CalibrationItem } from './calibration-set';
import { decideRecording } from './recording-verdict';
import { STUDIO } from '../../../test/support/audio/studio-measurements';

const item = (changes: Partial<CalibrationItem> = {}): CalibrationItem => ({
  voice_id: 'v',
  audio_sha256: 'a',
  grades: ['ok', 'good'],
  ruleset: 'greenroom-2026-11-4',
  ruleset_grade: 'ok',
  reasons: ['within_targets'],
  measurements: STUDIO,
  ...changes,
});

describe('a calibration set', () => {
  it('gives each ruleset a pair for each grade of a person, and counts what cannot be judged', () => {
    const theirs = decideRecording(STUDIO, 'greenroom-2026-11-4').grade;
    const items = [item({ grades: [theirs, theirs] }), item({ measurements: null })];
    const [compared] = compareWithPeople({ format: 'greenroom-calibration-1', items }, [
      'greenroom-2026-11-4',
    ]);
    expect(compared).toMatchObject({ ruleset: 'greenroom-2026-11-4', pairs: 2, same: 2, left_out: 1 });
  });

  it('is read as it was exported', () => {
    const set = { format: 'greenroom-calibration-1', items: [item()] };
    expect(readCalibrationSet(JSON.stringify(set))).toEqual(set);
  });

  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'found no JSON object'],
    ['{"format":"x"}', 'found format "x". Accepted: format "greenroom-calibration-1"'],
    ['{"format":"greenroom-calibration-1"}', 'no list of items'],
    [
      '{"format":"greenroom-calibration-1","items":[{"grades":["fine"]}]}',
      'Item 1 of the calibration set has the grades ["fine"]',
    ],
    [
      '{"format":"greenroom-calibration-1","items":[{"grades":[],"measurements":3}]}',
      'Item 1 of the calibration set has no measurements',
    ],
  ])('%s is refused: %s', (text, message) => {
    expect(() => readCalibrationSet(text)).toThrow(message);
  });
});
