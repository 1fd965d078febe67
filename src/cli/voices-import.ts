import type { AppConfig } from '@app/config/app-config';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { plural } from '@app/domain/common/sentences';
import { UpstreamAccount, upstreamClient, upstreamOptions } from '@app/voice-engine/upstream-account';
import { VoiceEngineError } from '@app/voice-engine/voice-engine.error';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { VoiceImportsModule } from '../../libs/administration/voice-imports.module';
import { VoiceImportsService } from '../../libs/administration/voices/voice-imports.service';
import { LaunchError } from '../launcher/launch-error';
import { withServices } from './cli.module';
import { withDatabase } from './with-database';

interface ImportOptions {
  account: string;
  reason: string;
  apply?: boolean;
}

/** `greenroom voices import`: takes the voices of the upstream into an account. */
export async function importVoices(config: AppConfig, options: ImportOptions): Promise<void> {
  const upstream = upstreamOptions(config);
  if (!upstream)
    throw new LaunchError(
      `VOICE_ENGINE is "${config.voiceEngine}"; voices are imported from the service of VOICE_ENGINE=elevenlabs.`,
    );
  const account = new UpstreamAccount(upstreamClient(upstream));
  const counts = { new: 0, imported: 0, known: 0, refused: 0 };
  try {
    await withDatabase(config, (ready) => run(ready, account, options, counts));
  } catch (error) {
    if (!(error instanceof VoiceEngineError)) throw error;
    throw new LaunchError(`The upstream does not list its voices: ${error.message}.`, { cause: error });
  }
  const done = options.apply
    ? `${plural(counts.imported, 'voice')} imported`
    : `${plural(counts.new, 'voice')} would be imported with --apply; nothing was`;
  process.stdout.write(`${done}; ${counts.known} known, ${counts.refused} refused.\n`);
  process.exitCode = counts.refused > 0 ? 1 : 0;
}

async function run(
  config: AppConfig,
  upstream: UpstreamAccount,
  { account: name, reason, apply = false }: ImportOptions,
  counts: Record<string, number>,
): Promise<void> {
  await withServices(
    config,
    async (services) => {
      const { id: accountId } = await services.get(AccountRepository, { strict: false }).getByIdOrName(name);
      const imports = services.get(VoiceImportsService, { strict: false });
      const request = { accountId, actor: byCommandLine(), reason, apply };
      for await (const { upstreamId, name: voice, outcome, detail } of imports.import(upstream, request)) {
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        process.stdout.write(`${outcome.padEnd(8)}  ${upstreamId}  ${voice}: ${detail}\n`);
      }
    },
    [VoiceImportsModule],
  );
}
