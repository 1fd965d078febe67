import { compareWithListeners } from '../review/listeners.mjs';
import { measureSpeed } from '../review/speed.mjs';

/**
 * Speed and memory of reviews, on generated speech; with `--corpus FOLDER` how well the grades agree with
 * listeners instead. The folder holds audio and one CSV with a header: a column `file`, one with scores from 1 to 5.
 */
export async function run({ quick, options }) {
  return options.corpus ? compareWithListeners(options.corpus) : measureSpeed({ rounds: quick ? 10 : 40 });
}
