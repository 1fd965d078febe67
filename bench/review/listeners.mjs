// How well the grades agree with people's: rank correlation, and how many are within one grade.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const require = createRequire(import.meta.url);
const { gradeAll } = require('../../dist/src/cli/review-files.js');
const { CURRENT_RULESET, rulesetOf } = require('../../dist/libs/domain/reviews/recording-rulesets.js');
const { RECORDING_GRADES } = require('../../dist/libs/domain/reviews/review-state.js');

const FILE_COLUMNS = ['file', 'filename', 'path', 'name'];
const SCORE_COLUMNS = ['mos_overall', 'mos', 'overall', 'score'];
const WORST_SHOWN = 5;

export async function compareWithListeners(folder) {
  const scored = readScores(folder);
  const files = await gradeAll(
    scored.map(({ file }) => ({ path: resolve(folder, file), problem: null })),
    { ruleset: CURRENT_RULESET },
  );
  const pairs = scored.map((row, n) => ({ ...row, ...files[n] }));
  const failed = pairs.filter(({ problem }) => problem !== null);
  const graded = pairs.filter(({ problem }) => problem === null);
  if (graded.length === 0) throw new Error(`no file of ${folder} could be graded: ${failed[0]?.problem}`);
  return {
    title: `Grades beside those of listeners (${graded.length} recordings, ${CURRENT_RULESET})`,
    rows: agreement(graded),
    remarks: [
      ...failed.map(({ file, problem }) => `Not graded: ${file}: ${problem}`),
      'Furthest from the listeners:',
      ...furthest(graded),
    ],
  };
}

function agreement(pairs) {
  const ours = pairs.map(({ graded }) => graded.verdict.score);
  const human = pairs.map(({ score }) => score);
  const steps = pairs.map(({ graded, score }) => place(graded.verdict.grade) - place(gradeOf(score)));
  const share = (most) => {
    const count = steps.filter((step) => Math.abs(step) <= most).length;
    return `${count} of ${steps.length} (${((100 * count) / steps.length).toFixed(1)} %)`;
  };
  const error = Math.sqrt(mean(ours.map((value, n) => (value - human[n]) ** 2)));
  return [
    { measure: 'rank correlation (Spearman)', value: correlation(ranks(ours), ranks(human)).toFixed(3) },
    { measure: 'linear correlation (Pearson)', value: correlation(ours, human).toFixed(3) },
    { measure: 'error, points (root mean square)', value: error.toFixed(2) },
    { measure: 'same grade', value: share(0) },
    { measure: 'within one grade', value: share(1) },
  ];
}

function furthest(pairs) {
  const errors = pairs.map((pair) => ({ ...pair, error: pair.graded.verdict.score - pair.score }));
  errors.sort((a, b) => Math.abs(b.error) - Math.abs(a.error));
  return errors.slice(0, WORST_SHOWN).map(({ file, score, graded, error }) => {
    const { score: given, reasonText } = graded.verdict;
    const sign = error > 0 ? '+' : '';
    return `  ${sign}${error.toFixed(2)}  listeners ${score.toFixed(2)}, ours ${given.toFixed(2)}  ${file}  ${reasonText}`;
  });
}

/** 0 for the best grade. */
const place = (grade) => RECORDING_GRADES.indexOf(grade);

/** A listeners' mean score as a grade, by the same limits as ours. */
function gradeOf(score) {
  const found = Object.entries(rulesetOf(CURRENT_RULESET).grades).find(([, least]) => score >= least);
  return found?.[0] ?? 'bad';
}

function readScores(folder) {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${folder} is not a folder`);
  const lists = readdirSync(folder).filter((name) => name.toLowerCase().endsWith('.csv'));
  if (lists.length !== 1)
    throw new Error(`${folder} has ${lists.length} CSV files, and needs one with the scores`);
  const [header, ...lines] = parseCsv(readFileSync(join(folder, lists[0]), 'utf8'));
  const fileAt = columnOf(header, FILE_COLUMNS, 'the file names');
  const scoreAt = columnOf(header, SCORE_COLUMNS, 'the scores');
  return lines.map((cells, n) => {
    const score = Number(cells[scoreAt]);
    if (!cells[fileAt] || !(score >= 1 && score <= 5))
      throw new Error(`Line ${n + 2} of the CSV has no file, or no score from 1 to 5 ("${cells[scoreAt]}").`);
    return { file: cells[fileAt], score };
  });
}

function columnOf(header, names, what) {
  const found = names.map((name) => header.indexOf(name)).find((index) => index >= 0);
  if (found === undefined)
    throw new Error(
      `No column of the CSV has ${what}: looked for ${names.join(', ')} in ${header.join(', ')}.`,
    );
  return found;
}

/** Lines of cells; a cell in quotes may hold commas and quotes. */
function parseCsv(text) {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  return lines.map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      (quoted?.replaceAll('""', '"') ?? plain).trim(),
    ),
  );
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function correlation(a, b) {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [cross, squaresA, squaresB] = [0, 0, 0];
  a.forEach((value, n) => {
    cross += (value - meanA) * (b[n] - meanB);
    squaresA += (value - meanA) ** 2;
    squaresB += (b[n] - meanB) ** 2;
  });
  return cross / Math.sqrt(squaresA * squaresB);
}

/** Place of each value from the smallest on; equal values share the mean of theirs. */
function ranks(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}
