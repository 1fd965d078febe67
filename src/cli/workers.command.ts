import type { AppConfig } from '@app/config/app-config';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { QuietWorkersService } from '../../libs/administration/workers/quiet-workers.service';
import { WorkerProcessRepository } from '@app/database/workers/worker-process.repository';
import { withServices } from './cli.module';
import { withDatabase } from './with-database';

/** `greenroom workers list`. */
export async function listWorkers(config: AppConfig, { json = false }: { json?: boolean }): Promise<void> {
  const workers = await withDatabase(config, (ready) =>
    withServices(ready, (services) => services.get(WorkerProcessRepository).list()),
  );
  if (json) {
    const rows = workers.map(({ id, name, concurrency, silentSecs, quietSince, quietReason }) => {
      const quiet = quietSince && { since: quietSince, reason: quietReason };
      return { id, name, concurrency, silent_secs: Math.round(silentSecs), quiet };
    });
    process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  if (workers.length === 0) process.stdout.write('No worker runs.\n');
  for (const { id, name, silentSecs, quietSince, quietReason } of workers) {
    const state = quietSince ? `quiet: ${quietReason}` : 'takes jobs';
    const silence = silentSecs > 15 ? `, silent for ${Math.round(silentSecs)} s` : '';
    process.stdout.write(`${id}  ${name}  ${state}${silence}\n`);
  }
}

/** `greenroom workers quiet` and `greenroom workers resume`. */
export async function setQuiet(
  config: AppConfig,
  worker: string,
  { quiet, reason }: { quiet: boolean; reason: string },
): Promise<void> {
  await withDatabase(config, (ready) =>
    withServices(ready, (services) =>
      services.get(QuietWorkersService).set(byCommandLine(), worker, quiet, reason),
    ),
  );
  process.stdout.write(
    quiet
      ? 'It finishes what it has and takes nothing new, until it is resumed.\n'
      : 'It takes jobs again.\n',
  );
}
