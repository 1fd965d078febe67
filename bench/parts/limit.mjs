import { startPostgres } from '../lib/postgres.mjs';
import { measureCharges } from '../limit/charges.mjs';
import { measureRevocations } from '../limit/revocations.mjs';
import { row } from '../limit/row.mjs';
import { measureVerification } from '../limit/verification.mjs';
import { measurePreviews, measureReviews } from '../limit/voices.mjs';
import { run as runMemory } from './memory.mjs';

const MEMORY_AIM_MB = 300;
const STEPS = [measureCharges, measureRevocations, measureVerification, measurePreviews, measureReviews];

/** Greenroom beside what bounds it: the commit of PostgreSQL, a bare route, the processors. With --memory also the memory of a busy api. */
export async function run({ quick, note, options }) {
  const slices = quick ? { rounds: 2, seconds: 1 } : { rounds: 5, seconds: 2 };
  const postgres = await startPostgres();
  const rows = [];
  try {
    for (const step of STEPS) rows.push(...(await alone(step, { postgres, note, slices, quick })));
  } finally {
    await postgres.stop();
  }
  if (options.memory) rows.push(await memoryRow({ quick, note }));
  return {
    title: 'Against the limit',
    rows,
    remarks: ['low, high: of the rounds. load: of the machine in the minute before the row was finished.'],
  };
}

/** The servers of a step have ended when the next one begins. */
async function alone(step, context) {
  const running = [];
  console.error(`  ${step.name}`);
  try {
    return await step({ ...context, running });
  } finally {
    for (const process of running) await process.stop();
  }
}

async function memoryRow(context) {
  const { rows } = await runMemory(context);
  const { name, apiMb } = rows.at(-1);
  return row(`memory of the api ${name}, 20,000 keys, MB`, [apiMb], { atMost: MEMORY_AIM_MB });
}
