import { outcomesOf, type Hit } from './outcome';

const hit = (changes: Partial<Hit>): Hit => ({
  kind: 'request',
  id: 'r1',
  name: 'text_to_voice_design',
  detail: null,
  status: 'charge',
  account: { id: 'a1' },
  voice_id: null,
  credits: 120,
  duration_ms: null,
  at: '2026-11-23T10:00:01Z',
  ...changes,
});
const hold = hit({ status: 'hold', credits: 200, at: '2026-11-23T10:00:00Z' });
const preview = hit({ kind: 'preview', id: 'p1', credits: null, at: '2026-11-23T10:00:02Z' });
const refusal = hit({
  name: 'GET /v1/models',
  detail: '192.0.2.1',
  status: 'refused with 403: ip',
  credits: null,
});

it('what a request did is told in its order', () => {
  const refund = hit({ status: 'refund', credits: -120, at: '2026-11-23T10:00:03Z' });
  const voice = hit({ kind: 'voice', voice_id: 'v1', credits: null, at: '2026-11-23T10:00:04Z' });
  expect(outcomesOf([voice, refund, preview, hit({}), hold]).map(({ text, to }) => [text, to])).toEqual([
    ['200 credits set aside for text to voice design', undefined],
    ['120 credits charged for text to voice design', undefined],
    ['Designed the preview p1', '/accounts/a1/voices?preview=p1'],
    ['120 credits refunded for text to voice design', undefined],
    ['Created a voice', '/voices/v1'],
  ]);
  expect(outcomesOf([refusal])[0]!.text).toBe('GET /v1/models was refused with 403: ip, from 192.0.2.1');
  const unpaid = {
    name: 'POST /v1/text-to-voice/design',
    status: 'refused with 402: budget_spent',
    credits: 132,
  };
  expect(outcomesOf([hit({ ...unpaid, detail: '192.0.2.1' })])[0]!.text).toBe(
    'POST /v1/text-to-voice/design was refused with 402: budget spent, from 192.0.2.1, for 132 credits',
  );
  const letIn = hit({
    name: 'POST /v1/text-to-voice/design',
    detail: '192.0.2.1',
    status: 'let in, response 200',
    credits: null,
    duration_ms: 1_312,
  });
  expect(outcomesOf([letIn])[0]!.text).toBe(
    'POST /v1/text-to-voice/design was let in, response 200 after 1.3 s, from 192.0.2.1',
  );
  expect(outcomesOf([hit({ kind: 'key' })])).toEqual([]);
});
