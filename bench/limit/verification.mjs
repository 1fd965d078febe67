import { measureInTurn } from '../lib/compare.mjs';
import { prepareGreenroom } from '../lib/greenroom.mjs';
import { startVerifying } from '../lib/verifying.mjs';
import { row } from './row.mjs';

const KEYS = 1_000;
const AIM = 0.85;

/** GET /v1/models by a thousand keys in turn beside a bare Nest route. */
export async function measureVerification({ postgres, running, slices }) {
  const bench = await prepareGreenroom(postgres, 'limit_verification', { keys: KEYS });
  const entries = await startVerifying({ postgres, bench, running });
  const measured = await measureInTurn(entries, slices);
  const [bare, ours] = entries.map(({ name }) => measured.get(name));
  const ratios = ours.map(({ perSec }, round) => perSec / bare[round].perSec);
  return [
    row('GET /v1/models, 1,000 keys, of the bare route', ratios, { atLeast: AIM }),
    row(
      '  bare route, µs a request',
      bare.map(({ cpuUs }) => cpuUs),
    ),
    row(
      '  api, µs a request',
      ours.map(({ cpuUs }) => cpuUs),
    ),
  ];
}
