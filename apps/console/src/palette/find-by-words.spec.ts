import { findByWords } from './find-by-words';

const ENTRIES = ['Approvals', 'API keys', 'Audit log', 'Grant credits', 'Queues'];

it.each([
  ['a', ['Approvals', 'API keys', 'Audit log']],
  ['cred', ['Grant credits']],
  ['apprvoals', ['Approvals']],
  ['aprov', ['Approvals']],
  ['apporov', ['Approvals']],
  ['qeues', ['Queues']],
  ['grent', ['Grant credits']],
  ['garnt credits', ['Grant credits']],
  ['grants', ['Grant credits']],
  ['log audit', ['Audit log']],
  ['xyz', []],
  ['apqqovals', []],
  ['gra', ['Grant credits']],
  ['gxa', []],
])('%j finds %j', (typed, labels) => {
  expect(findByWords(ENTRIES, String, typed)).toEqual(labels);
});
