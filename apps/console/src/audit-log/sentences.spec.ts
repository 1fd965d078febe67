import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, sourceFiles } from '../../../../test/support/source-files';
import { actionTitle } from '@app/domain/audit/action-title';
import { ACTIONS, sentenceOf, type Part, type SentenceEvent } from './sentences';

const FOLDERS = ['apps/api/src', 'apps/worker/src', 'libs', 'src'];

const text = (parts: Part[]) => parts.map((part) => (typeof part === 'string' ? part : part.name)).join('');

const event = (changes: Partial<SentenceEvent> = {}): SentenceEvent => ({
  actor: { kind: 'staff', id: 'm1', name: 'ana@example.com' },
  action: 'key.disabled',
  target: { type: 'api_key', id: 'k1', account_id: 'a1' },
  before: null,
  after: null,
  names: { actor: 'Ana', target: 'production', account: 'ACME' },
  ...changes,
});

/** The code that records events. */
const sources = () => sourceFiles(...FOLDERS).map((file) => readFileSync(join(ROOT, file), 'utf8'));

describe('sentences', () => {
  it('exist for no action that is not in the code', () => {
    const code = sources()
      .filter((source) => !source.includes('const AUDIT_ACTIONS ='))
      .join('\n');
    expect(ACTIONS.filter((action) => !code.includes(`'${action}'`))).toEqual([]);
  });

  it('say that a detached key has lost its parent key', () => {
    expect(text(sentenceOf(event({ action: 'key.detached' })))).toBe(
      'Ana detached production of ACME from its parent key',
    );
  });

  it.each(ACTIONS)('%s names who did it, and leaves no place empty', (action) => {
    const sentence = text(sentenceOf(event({ action })));
    expect(sentence).toMatch(/^Ana [a-z]/);
    expect(sentence).not.toMatch(/[{}]|undefined/);
    expect(actionTitle(action)).toMatch(/^[A-Z][a-z ]+: [a-z ]+$/);
  });

  it.each<[string, Partial<SentenceEvent>, string]>([
    ['a key', {}, 'Ana disabled production of ACME'],
    [
      'many keys',
      { action: 'keys.disabled', after: { key_ids: ['1', '2'] } },
      'Ana disabled 2 keys of ACME together',
    ],
    [
      'what waits for a second person',
      {
        action: 'approval.requested',
        target: { type: 'account', id: 'a1', account_id: 'a1' },
        after: { change: 'credits', requested: { after: { amount: 20_000 } } },
        names: { actor: 'Ana', target: 'ACME', account: 'ACME' },
      },
      'Ana requested approval to give 20,000 credits to ACME',
    ],
    [
      'many keys that wait for a second person',
      {
        action: 'approval.requested',
        target: { type: 'api_keys', id: 'c1', account_id: 'a1' },
        after: { change: 'bulk_change', requested: { after: { keys: 12 } } },
      },
      'Ana requested approval to change 12 keys at once of ACME',
    ],
    [
      'an account',
      {
        action: 'credits.grant',
        target: { type: 'account', id: 'a1', account_id: 'a1' },
        after: { amount: 50_000 },
        names: { actor: 'Ana', target: 'ACME', account: 'ACME' },
      },
      'Ana granted 50,000 credits to ACME',
    ],
    [
      'what is gone, by the name it had',
      {
        action: 'key.deleted',
        before: { name: 'old one' },
        names: { actor: null, target: null, account: null },
      },
      'ana@example.com deleted the key old one of a1',
    ],
    [
      "a customer's key as the actor",
      { actor: { kind: 'customer', id: 'k9', name: 'API key k9' }, action: 'key.created' },
      'The key Ana created the key production of ACME',
    ],
    [
      'a process as the actor',
      { actor: { kind: 'system', id: 'bulk-undo', name: 'bulk-undo' }, action: 'keys.disable_undone' },
      'The undo timer enabled keys of ACME that had been disabled together',
    ],
    [
      'what a second person has approved',
      { after: { approved_by: 'bo@example.com' } },
      'Ana disabled production of ACME, approved by bo@example.com',
    ],
    [
      'an action without a sentence',
      { action: 'key.praised' },
      'Ana did “key.praised” to production of ACME',
    ],
  ])('%s', (_, changes, expected) => {
    expect(text(sentenceOf(event(changes)))).toBe(expected);
  });

  it('link what still exists to its screen, and nothing else', () => {
    expect(sentenceOf(event())).toEqual([
      { name: 'Ana', by: 'ana@example.com' },
      ' ',
      'disabled ',
      { name: 'production', to: '/api-keys/k1' },
      ' of ',
      { name: 'ACME', to: '/accounts/a1' },
    ]);
    expect(sentenceOf(event({ names: { actor: 'Ana', target: null, account: 'ACME' } }))).toContainEqual({
      name: 'k1',
    });
  });
});
