import { RepeatedWarnings } from './repeated-warnings';

describe('warnings of something that is tried again and again', () => {
  let nowMs = 0;
  let lines: string[];
  let warnings: RepeatedWarnings;
  beforeEach(() => {
    lines = [];
    warnings = new RepeatedWarnings(
      (line) => lines.push(line),
      () => nowMs,
    );
  });

  it('are one line a minute while they are the same', () => {
    for (nowMs = 0; nowMs < 150_000; nowMs += 1_000) warnings.warn('It fails');
    expect(lines).toEqual([
      'It fails',
      'It fails (59 more since the last line)',
      'It fails (59 more since the last line)',
    ]);
  });

  it('are logged at once when they are new, and bounded when each is different', () => {
    for (nowMs = 0; nowMs < 1_000; nowMs += 1) warnings.warn(`It fails with ${nowMs}`);
    expect(lines).toEqual([0, 1, 2, 3, 4].map((number) => `It fails with ${number}`));
  });
});
