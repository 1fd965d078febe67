import { AppConfig } from '@app/config/app-config';
import { ExplainService, type Explanation } from '../../apps/api/src/explain/explain.service';
import type { ExplainedGate } from '../../apps/api/src/explain/explained-gate';
import { createApi } from '../../apps/api/src/main';
import { withDatabase } from './with-database';

export interface ExplainOptions {
  address: string;
  method: string;
  path: string;
  cost: number;
}

/** `greenroom keys explain`: says what would become of a request with a key, gate by gate. Nothing is charged. */
export async function explainKey(config: AppConfig, keyId: string, options: ExplainOptions): Promise<void> {
  const method = options.method.toUpperCase();
  const explanation = await withDatabase(config, (ready) => explain(ready, { ...options, keyId, method }));
  process.stdout.write(describe(explanation));
}

/** The routes are those of the api, which is built for this and does not listen. */
async function explain(
  config: AppConfig,
  question: Parameters<ExplainService['explain']>[0],
): Promise<Explanation> {
  const api = await createApi(new AppConfig({ ...config, logLevel: 'error' }));
  try {
    return await api.get(ExplainService).explain(question);
  } finally {
    await api.close();
  }
}

function describe({ allowed, decidedBy, gates }: Explanation): string {
  const verdict = allowed ? 'let in' : `refused by the gate "${decidedBy}"`;
  return `${gates.map(describeGate).join('')}The request would be ${verdict}.\n`;
}

function describeGate({ gate, passed, rule, change, refusal }: ExplainedGate): string {
  const line = `${passed ? 'pass  ' : 'REFUSE'}  ${gate.padEnd(11)}  ${rule}\n`;
  const answer = refusal ? ` Answer: ${refusal.status} ${refusal.code}.` : '';
  return passed ? line : `${line}${' '.repeat(21)}${change}${answer}\n`;
}
