import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';
import { ROOT, sourceFiles } from './support/source-files';

interface Found {
  file: string;
  source: string;
  flags: string;
}

/** Every regular expression that is written in our source. */
function allExpressions(): Found[] {
  return sourceFiles('apps/api', 'apps/worker', 'libs', 'packages/client/src', 'src').flatMap(expressionsOf);
}

function expressionsOf(file: string): Found[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found: Found[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

it('no regular expression takes longer than its text is long, whatever the text', () => {
  const all = allExpressions();
  expect(all.length).toBeGreaterThan(50);
  const slow = all.filter(({ source, flags }) => analyse({ source, flags }).reports.length > 0);
  expect(slow).toEqual([]);
});

it('finds what it looks for', () => {
  for (const source of [' +$', '(a+)+b']) expect(analyse({ source, flags: '' }).reports).not.toEqual([]);
});
