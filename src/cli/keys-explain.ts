import { AppConfig } from '@app/config/app-config';
import { explainRequest } from '../../apps/api/src/main';
import { withDatabase } from './with-database';

type Explanation = Awaited<ReturnType<typeof explainRequest>>;

interface ExplainOptions {
  address: string;
  method: string;
  path: string;
  cost: number;
}

/** `greenroom keys explain`: says what would become of a request with a key, gate by gate. Nothing is charged. */
export async function explainKey(config: AppConfig, keyId: string, options: ExplainOptions): Promise<void> {
  const method = options.method.toUpperCase();
  const explanation = await withDatabase(config, (ready) =>
    explainRequest(new AppConfig({ ...ready, logLevel: 'error' }), { ...options, keyId, method }),
  );
  process.stdout.write(describe(explanation));
}

function describe({ allowed, decidedBy, gates }: Explanation): string {
  const verdict = allowed ? 'let in' : `refused by the gate "${decidedBy}"`;
  return `${gates.map(describeGate).join('')}The request would be ${verdict}.\n`;
}

function describeGate({ gate, passed, rule, change, refusal }: Explanation['gates'][number]): string {
  const line = `${passed ? 'pass  ' : 'REFUSE'}  ${gate.padEnd(11)}  ${rule}\n`;
  const response = refusal ? ` Response: ${refusal.status} ${refusal.code}.` : '';
  return passed ? line : `${line}${' '.repeat(21)}${change}${response}\n`;
}
