import type { AppConfig } from '@app/config/app-config';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { plural } from '@app/domain/common/sentences';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { KeyImportService, type ImportOutcome } from '../../libs/administration/keys/key-import.service';
import { LaunchError } from '../launcher/launch-error';
import { withServices } from './cli.module';
import { readBounded } from './read-bounded';
import { withDatabase } from './with-database';

/** 100,000 keys are 10 MB. */
const MAX_BYTES = 32_000_000;

interface ImportOptions {
  account: string;
  reason: string;
  dryRun?: boolean;
}

/** `greenroom keys import`: takes over keys of another system with the secrets that customers have. */
export async function importKeys(config: AppConfig, file: string, options: ImportOptions): Promise<void> {
  const csv = readCsvFile(file);
  const outcome = await withDatabase(config, (ready) => run(ready, csv, options));
  const { keys, problems, problemLines } = outcome;
  const lines = problems.map(({ line, problem }) => `line ${line}: ${problem}\n`).join('');
  const more = problemLines > problems.length ? `… ${problemLines} lines are not accepted.\n` : '';
  const done = options.dryRun ? 'would be imported; nothing was' : 'imported';
  process.stdout.write(`${lines}${more}${plural(keys, 'key')} ${done}.\n`);
  process.exitCode = problemLines > 0 ? 1 : 0;
}

function readCsvFile(file: string): string {
  try {
    return readBounded(file === '-' ? 0 : file, MAX_BYTES);
  } catch (error) {
    throw new LaunchError(`${file}: The file cannot be read (${(error as Error).message}).`, {
      cause: error,
    });
  }
}

async function run(config: AppConfig, csv: string, options: ImportOptions): Promise<ImportOutcome> {
  const { account: name, reason, dryRun = false } = options;
  return withServices(config, async (services) => {
    const account = await services.get(AccountRepository, { strict: false }).getByIdOrName(name);
    const imports = services.get(KeyImportService, { strict: false });
    try {
      return await imports.import(byCommandLine(), { accountId: account.id, csv, dryRun }, reason);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const [first] = error.problems;
      throw new LaunchError(
        `Nothing was imported. ${first?.msg} Try it with --dry-run, which names every line.`,
        {
          cause: error,
        },
      );
    }
  });
}
