import { checkHandlers } from './job-handler';
import { JOB_NAMES, JOBS } from './jobs';

class FirstHandler {
  readonly jobName = 'review-voice' as const;
}
class SecondHandler extends FirstHandler {}

describe('checkHandlers', () => {
  it('accepts one handler for each job', () => {
    expect(() => checkHandlers(JOB_NAMES.map((jobName) => ({ jobName })))).not.toThrow();
  });

  it('names a job without a handler', () => {
    expect(() => checkHandlers([])).toThrow('Job "review-voice" needs exactly one handler, found none.');
  });

  it('names a job with two handlers, and both', () => {
    expect(() => checkHandlers([new FirstHandler(), new SecondHandler()])).toThrow(
      'Job "review-voice" needs exactly one handler, found FirstHandler and SecondHandler.',
    );
  });
});

describe('the job table', () => {
  it('names a review job by voice and generation, in characters that every backend takes', () => {
    const id = JOBS['review-voice'].jobId({ voiceId: 'abc123', generation: 2, requestId: 'any' });
    expect(id).toBe('review-abc123-2');
  });
});
