import { localEntries, type PaletteEntry } from './entries';

const entry = (label: string): PaletteEntry => ({ id: label, group: 'Screens', label, to: '/' });
const ENTRIES = ['Approvals', 'API keys', 'Audit log', 'Grant credits', 'Queues'].map(entry);
const found = (typed: string) => localEntries(ENTRIES, typed).map(({ label }) => label);

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
  expect(found(typed)).toEqual(labels);
});
