import { reviewInWords } from './review-in-words';
import { PENDING_REVIEW_STATES, REVIEW_STATES, type ReviewState } from './review-state';

const isPending = (state: ReviewState) => (PENDING_REVIEW_STATES as readonly ReviewState[]).includes(state);
const PROMISE = /is (still )?being reviewed|will |need to do nothing/;
const grades = [null, 'studio', 'poor'] as const;
const cases = REVIEW_STATES.flatMap((state) => grades.map((grade) => [state, grade] as const));

describe('the review of a voice in words', () => {
  it.each(cases)(
    '%s with the grade %s promises a review only where one comes, and gives every reason',
    (state, grade) => {
      const reason = grade === 'poor' ? 'undecodable_audio; level_low=-38.0LUFS' : 'within_targets';
      const { reasons, forCustomer } = reviewInWords({ state, grade, reason, measurements: null });
      expect(PROMISE.test(forCustomer)).toBe(isPending(state));
      expect(reasons).toHaveLength(grade === 'poor' ? 2 : 0);
      for (const { sentence } of reasons) expect(forCustomer).toContain(sentence);
      expect(forCustomer.includes('within its target')).toBe(grade === 'studio');
      expect(forCustomer.includes('no grade')).toBe(grade === null && !isPending(state));
      expect(forCustomer).toMatch(/[^ .]\.$/);
      expect(forCustomer).not.toMatch(/\.\.| {2}|null|undefined/);
    },
  );
});
