import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, sourceFiles } from './support/source-files';

/** Words that no name of ours has, and what to write instead. */
const INSTEAD: Record<string, string> = {
  given: 'input, requested',
  kept: 'stored',
  wanted: 'requested',
  leftalone: 'skipped',
  maker: 'parentKey, changeFactory',
  makers: 'parentKeys',
  nogo: 'blockedRecording',
  asked: 'requested',
  told: 'notified',
  hear: 'recipients, subscribesTo',
  hearing: 'recipients',
  judge: 'evaluate',
  judged: 'evaluated',
  judging: 'evaluating',
  judgement: 'evaluation',
  likeness: 'similarity',
  freedom: 'grants',
  forget: 'invalidate, evict, delete',
  giveback: 'release',
  giveup: 'fail',
  takeback: 'revert, cancel',
  hurry: 'flushSoon',
  tidy: 'cleanUp',
  bell: 'wakeSignal',
  thing: 'resource',
  things: 'resources',
};

/** Names that stay: fields of responses and of stored values, variables, an option, and a change whose undo timer was stopped. */
const EXEMPT: Record<string, readonly string[]> = {
  given: [
    'apps/api/src/accounts/staff-account.dto.ts',
    'apps/api/src/accounts/staff-accounts.controller.ts',
    'apps/api/src/allow-lists/allow-list.dto.ts',
    'apps/api/src/http/problem-json.ts',
    'apps/console/src/accounts/entitlement-panel.tsx',
    'apps/console/src/allow-list/allow-list-editor.tsx',
    'libs/administration/allow-lists/allow-list-draft.ts',
    'libs/domain/keys/key-field-checks.ts',
    'libs/domain/addresses/address-entry.ts',
    'libs/domain/allow-lists/allow-list-preset.ts',
    'libs/domain/allow-lists/allow-list.ts',
    'packages/client/src/greenroom-error.ts',
  ],
  kept: [
    'apps/api/src/reviews/ruleset-comparison.service.ts',
    'apps/console/src/voices/rulesets-page.tsx',
    'libs/administration/allow-lists/allow-lists.service.ts',
    'libs/administration/keys/api-key-changes.service.ts',
    'libs/administration/keys/bulk-events.ts',
    'libs/administration/keys/bulk-undo.service.ts',
    'libs/config/variables.ts',
    'libs/domain/reviews/appeal.ts',
  ],
  leftalone: ['libs/administration/keys/bulk-changes.service.ts'],
  nogo: ['libs/config/variables.ts'],
  takeback: ['src/cli/cells/move.command.ts'],
  hearing: ['libs/audio/measures/mains-hum.ts'],
};

/** The words of a name and each two that follow one another: `isLeftAlone` has `left`, `alone` and `leftalone`. */
function wordsOf(name: string): string[] {
  const words = (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());
  return [...words, ...words.slice(1).map((word, n) => words[n]! + word)];
}

/** The names in a text that are not written as in JSON and SQL, which have `snake_case`. */
function namesIn(file: string, text: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node) && !/^[a-z0-9]+_/.test(node.text)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return names;
}

function findingsOf(file: string, text: string): string[] {
  return [...namesIn(file, text)].flatMap((name) =>
    wordsOf(name)
      .filter((word) => Object.hasOwn(INSTEAD, word) && !EXEMPT[word]?.includes(file))
      .map((word) => `${file}: ${name}; write ${INSTEAD[word]}`),
  );
}

/** Phrases for which plain English has another: name the actor, and write "is not". */
const NOT_PLAIN =
  /\b(somebody|nobody|whoever|anew|goes on|(is|are) told|hears of|rehearsal|(?<!\bthere )(is|are) no (?!longer|narrower))\b/gi;

function phrasesOf(file: string, text: string): string[] {
  const comments = text.match(/\/\*[\s\S]*?\*\/|\/\/.*/g) ?? [];
  const joined = comments.map((comment) => comment.replace(/\s*\n\s*\*?\s*/g, ' '));
  return joined.flatMap((comment) => [...comment.matchAll(NOT_PLAIN)].map(([found]) => `${file}: ${found}`));
}

it.each([
  ['names', findingsOf],
  ['comments', phrasesOf],
])('%s have plain words', (_, read) => {
  const files = sourceFiles(
    'apps/api',
    'apps/console/src',
    'apps/worker',
    'libs',
    'packages/client/src',
    'src',
  );
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap((file) => read(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

it('finds what it looks for', () => {
  const text = 'const isKept = 1; const keysLeftAlone = judge(noGoVoices); const left_alone = toForgotten;';
  expect(findingsOf('x.ts', text)).toEqual([
    'x.ts: isKept; write stored',
    'x.ts: keysLeftAlone; write skipped',
    'x.ts: judge; write evaluate',
    'x.ts: noGoVoices; write blockedRecording',
  ]);
  const comment = '/** Nobody\n * is told; there is no word. */ // A list that is no longer one is no list.';
  expect(phrasesOf('x.ts', comment)).toEqual(['x.ts: Nobody', 'x.ts: is told', 'x.ts: is no ']);
});
