import { measureInTurn } from '../lib/compare.mjs';
import { prepareGreenroom } from '../lib/greenroom.mjs';
import { startVerifying } from '../lib/verifying.mjs';
import { hasHaproxy, startHaproxy } from './haproxy.mjs';
import { row } from './row.mjs';

const KEYS = 1_000;
const AIMS = { ofBare: 0.9, ofHaproxy: 4.5 };

/** GET /v1/models by a thousand keys in turn beside a bare Nest route, and beside HAProxy that looks the keys up. */
export async function measureVerification({ postgres, running, note, slices }) {
  const bench = await prepareGreenroom(postgres, 'limit_verification', { keys: KEYS });
  const [bare, ours] = await startVerifying({ postgres, bench, running });
  const entries = [bare, ours];
  if (hasHaproxy()) {
    const body = await (await fetch(`${bare.subject.baseUrl}/v1/models`)).text();
    const secrets = bench.keys.map(({ secret }) => secret);
    const subject = await startHaproxy(secrets, body);
    running.push(subject);
    entries.push({ name: 'HAProxy', subject, requests: ours.requests });
  } else note('haproxy is not installed: verification has no lookup in a map beside it.');
  const measured = await measureInTurn(entries, slices);
  const [bareSlices, ourSlices, lookups] = entries.map(({ name }) => measured.get(name));
  const cpu = (list) => list.map(({ cpuUs }) => cpuUs);
  return [
    row(
      'GET /v1/models, 1,000 keys, of the bare route',
      ourSlices.map(({ perSec }, round) => perSec / bareSlices[round].perSec),
      { atLeast: AIMS.ofBare },
    ),
    row('  bare route, µs a request', cpu(bareSlices)),
    row('  api, µs a request', cpu(ourSlices)),
    ...(lookups
      ? [
          row('  HAProxy that looks the key up, µs a request', cpu(lookups)),
          row(
            '  api, CPU of HAProxy',
            cpu(ourSlices).map((us, round) => us / lookups[round].cpuUs),
            { atMost: AIMS.ofHaproxy },
          ),
        ]
      : []),
  ];
}
