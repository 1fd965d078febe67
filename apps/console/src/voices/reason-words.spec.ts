import { REASON_TEXTS } from '@app/domain/reviews/recording-reasons';
import { reasonWords } from './reason-words';

it.each([
  ['within_targets', 'within targets'],
  ['undecodable_audio', 'undecodable audio'],
  [
    'clipping=31.84%; dropouts=6.7/10s; signal_distortion=-21.7dB',
    'clipping 31.84 %, dropouts 6.7 in 10 s, signal distortion -21.7 dB',
  ],
  ['narrow_bandwidth=8000Hz; too_short=1.4s', 'narrow bandwidth 8,000 Hz, too short 1.4 s'],
  ['dc_offset=0.031FS; listener_score=2.9MOS', 'dc offset 0.031 of full scale, listener score 2.9 of 5'],
  ['manual: a=b; Ticket 4711', 'by hand: a=b; Ticket 4711'],
])('%j is read as %j', (text, expected) => {
  expect(reasonWords(text)).toBe(expected);
});

it.each(Object.keys(REASON_TEXTS))('%s has no underscore left', (code) => {
  expect(reasonWords(`${code}=1.0dB`)).not.toMatch(/[_=]/);
});
