import { deskUrgency, whyForPeople, type DeskReason, type DeskVerdict } from './desk-reasons';
import { NO_SCORES } from './second-opinion';

const CLEAR: DeskVerdict = {
  ruleset: 'greenroom-2026-11-4',
  score: 3.2,
  lowConfidence: false,
  secondOpinion: null,
};
const opinion = (ovrl: number) => ({ ...NO_SCORES, ovrl, model: 'm', windows: 1, problem: null });

describe('whyForPeople', () => {
  it.each<[string, Partial<DeskVerdict>, DeskReason[]]>([
    ['a clear verdict needs no person', {}, []],
    ['little to measure on', { lowConfidence: true }, ['low_confidence']],
    ['just above good', { score: 3.65 }, ['near_boundary']],
    ['just below good', { score: 3.55 }, ['near_boundary']],
    ['clear of good', { score: 3.66 }, []],
    ['a model that hears it a grade better', { secondOpinion: opinion(4.2) }, ['second_opinion']],
    ['a model that hears nearly the same', { secondOpinion: opinion(4.1) }, []],
    [
      'several, most pressing first',
      { score: 2.7, lowConfidence: true },
      ['low_confidence', 'near_boundary'],
    ],
    ['nothing that can be heard', { score: null, lowConfidence: true }, []],
    ['rules that were removed', { score: 3.6, ruleset: 'older' }, []],
  ])('%s', (_, verdict, expected) => {
    expect(whyForPeople({ ...CLEAR, ...verdict }, false)).toEqual(expected);
  });

  it('one of the sample needs no other reason', () => {
    expect(whyForPeople(CLEAR, true)).toEqual(['sampled']);
    expect(whyForPeople({ ...CLEAR, lowConfidence: true }, true)).toEqual(['low_confidence', 'sampled']);
    expect(whyForPeople({ ...CLEAR, score: null }, true)).toEqual([]);
  });
});

describe('deskUrgency', () => {
  it('is that of the most urgent reason, shorter for the larger tiers', () => {
    expect(deskUrgency(['near_boundary', 'complaint'], 'pro')).toEqual({ targetHours: 8, priority: 2 });
    expect(deskUrgency(['complaint'], 'enterprise')).toEqual({ targetHours: 4, priority: 2 });
    expect(deskUrgency(['sampled'], 'free')).toEqual({ targetHours: 336, priority: 0 });
  });
});
