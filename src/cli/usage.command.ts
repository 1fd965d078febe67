import type { AppConfig } from '@app/config/app-config';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { toUsageSinkRow } from '../../libs/administration/installation/usage-sink-row';
import {
  UsageSinksService,
  type UsageReplay,
  type UsageSinkState,
} from '../../libs/administration/installation/usage-sinks.service';
import { withServices } from './cli.module';
import { withDatabase } from './with-database';

/** `greenroom usage list`. */
export async function listUsageSinks(config: AppConfig, { json = false }: { json?: boolean }): Promise<void> {
  const sinks = await withSinks(config, (service) => service.list());
  if (json) process.stdout.write(`${JSON.stringify(sinks.map(toUsageSinkRow), null, 2)}\n`);
  else if (sinks.length === 0) process.stdout.write('No sink is configured: see USAGE_SINKS.\n');
  else for (const sink of sinks) process.stdout.write(`${describe(sink)}\n`);
}

/** `greenroom usage replay`. */
export async function replayUsage(config: AppConfig, replay: UsageReplay): Promise<void> {
  await withSinks(config, (service) => service.replay(byCommandLine(), replay));
  process.stdout.write(`${replay.name} is sent the lines since ${replay.from.toISOString()}.\n`);
}

function describe(state: UsageSinkState): string {
  const { name, format, url, delivered, delivered_at, lag_secs, failing_since, last_error } =
    toUsageSinkRow(state);
  const last = delivered_at ? `last at ${delivered_at}` : 'none yet';
  const lag = lag_secs === null ? 'nothing waits' : `behind by ${lag_secs} s`;
  const failing = failing_since ? `\n  failing since ${failing_since}: ${last_error}` : '';
  return `${name}  ${format} to ${new URL(url).host}  ${delivered} delivered, ${last}; ${lag}${failing}`;
}

async function withSinks<T>(config: AppConfig, run: (service: UsageSinksService) => Promise<T>): Promise<T> {
  return withDatabase(config, (ready) =>
    withServices(ready, (services) => run(services.get(UsageSinksService))),
  );
}
