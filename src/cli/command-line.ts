import { ConfigError, exemptLoopbackFromProxies, loadConfig } from '@app/config/app-config';
import { saveCompiledCode } from '@app/config/program-bundle';
import { LateDatabaseError } from '@app/database/common/late-database';
import { describeRelease } from '@app/database/schema/release';
import { canonicalText } from '@app/domain/common/canonical-text';
import { ACCEPTED_TIME, readTime } from '@app/domain/common/times';
import { readTypedNumber } from '@app/domain/common/typed-number';
import { DomainError } from '@app/domain/errors';
import { KeyFileError } from '@app/domain/keys/key-file-error';
import { ALL_RULESETS, RULESET_IDS } from '@app/domain/reviews/recording-rulesets';
import {
  ACCOUNT_BOUNDS,
  DEFAULT_MANAGEMENT_REQUESTS,
  MAX_MANAGEMENT_REQUESTS,
} from '@app/domain/staff/management-grants';
import { STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import cluster from 'node:cluster';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { LaunchError } from '../launcher/launch-error';
import { watchOutput } from '../launcher/lost-output';
import { outliveTerminal } from '../launcher/terminal-signals';

const WRONG_USAGE = 2;

/** Runs one command and ends the process: 0 done, 1 failed, 2 wrong usage. A command that serves keeps running. */
export async function runCommandLine(argv: string[]): Promise<void> {
  watchOutput();
  outliveTerminal();
  exemptLoopbackFromProxies();
  try {
    await createProgram().parseAsync(argv);
    saveCompiledCode();
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : WRONG_USAGE);
    process.stderr.write(`${describeFailure(error)}\n`);
    process.exit(1);
  }
}

function createProgram(): Command {
  const program = new Command('greenroom')
    .description('Backoffice of a voice platform: API keys, credits, voices and their reviews.')
    .version(describeRelease())
    .showHelpAfterError('(add --help for what is accepted)')
    .exitOverride();
  addServerCommands(program);
  addApiCommands(program);
  addDatabaseCommands(program);
  addKeyCommands(program);
  addVoiceCommands(program);
  addKeyFileCommands(program);
  addStaffCommands(program);
  addManagementCommands(program);
  addSecretCommands(program);
  addWorkersCommands(program);
  addUsageCommands(program);
  addArchiveCommands(program);
  addCellCommands(program);
  addSettingsCommands(program);
  addTopCommand(program);
  addDoctorCommand(program);
  addBackupCommands(program);
  addReviewCommand(program);
  addSpokenCommand(program);
  return program;
}

// Every command loads only what it needs: `--help` prints at once, and the launcher stays small.

function addServerCommands(program: Command): void {
  program
    .command('start')
    .description('run everything: PostgreSQL (unless DATABASE_URL is set), api and worker; Ctrl-C stops it')
    .action(async () => {
      const { Launcher } = await import('../launcher/launcher.js');
      await new Launcher(loadConfig()).run();
      process.exit(0);
    });
  program
    .command('api')
    .description('run only the api; needs DATABASE_URL and APP_SECRET')
    .action(async () => {
      const { runServer } = await import('./run-server.js');
      const { apiProcesses } = loadConfig();
      if (apiProcesses > 1 && cluster.isPrimary) {
        const { ApiProcesses } = await import('../launcher/api-processes.js');
        return runServer('api', () => new ApiProcesses().run(apiProcesses));
      }
      const { runApi } = await import('../../apps/api/src/main.js');
      await runServer('api', runApi);
    });
  program
    .command('worker')
    .description('run only the worker; needs DATABASE_URL and APP_SECRET')
    .action(async () => {
      const [{ runServer }, { runWorker }] = await Promise.all([
        import('./run-server.js'),
        import('../../apps/worker/src/main.js'),
      ]);
      await runServer('worker', async () => void (await runWorker()));
    });
  program
    .command('compile')
    .description(
      'store what V8 compiles, so that servers start sooner where they cannot write beside the program: for images',
    )
    .action(async () => {
      await Promise.all([
        import('../launcher/launcher.js'),
        import('./run-server.js'),
        import('./seed-first-run.js'),
        import('../../apps/api/src/main.js'),
        import('../../apps/worker/src/main.js'),
      ]);
    });
}

function addSecretCommands(program: Command): void {
  program
    .command('secret')
    .description("the installation's secret, APP_SECRET")
    .command('rotate')
    .description('store under APP_SECRET what is stored under APP_SECRET_PREVIOUS')
    .addHelpText('after', SECRET_HELP)
    .action(async () => (await import('./secret-rotate.js')).rotateSecret(loadConfig()));
}

const SECRET_HELP = `
With APP_SECRET in the environment: set APP_SECRET_PREVIOUS to what it was and APP_SECRET to a new one, restart every process, then run
this. A secret that Greenroom has generated in DATA_DIR is replaced by this command, while Greenroom is stopped.
`;

function addApiCommands(program: Command): void {
  program
    .command('openapi')
    .description('print the description of the API (OpenAPI 3.1)')
    .action(async () => (await import('./openapi.command.js')).printOpenapi());
}

function addDatabaseCommands(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the newest schema')
    .option('--beside-running', 'also what processes of an earlier release, which run, cannot do without')
    .action(async (options) => (await import('./database-commands.js')).migrate(loadConfig(), options));
  program
    .command('seed')
    .description(
      'bring the database to the newest schema and, when it has no account yet, add a demo account',
    )
    .option('--demo', 'add a customer as well, with whom every screen of the console has something to show')
    .action(async (options) => (await import('./database-commands.js')).seed(loadConfig(), options));
}

function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup [file]')
    .description('write all data of the embedded PostgreSQL into one file, while it runs, and check the file')
    .addHelpText('after', BACKUP_HELP)
    .action(async (file) => (await import('./backup.command.js')).backUp(loadConfig(), file));
  backup
    .command('run')
    .description(
      'make a backup at BACKUP_TO now, prove it when that is due, delete those that BACKUP_KEEP leaves out',
    )
    .option('--if-due', 'only when BACKUP_SCHEDULE wants one that was not made yet, as a worker does')
    .action(async (options) => (await import('./backup.command.js')).runBackup(loadConfig(), options));
  backup
    .command('list')
    .description('list the backups at BACKUP_TO, and which of them were proved')
    .action(async () => (await import('./backup.command.js')).listBackups(loadConfig()));
  backup
    .command('prove [name]')
    .description(
      'restore a backup of BACKUP_TO (default: the newest) to a scratch database and examine it there',
    )
    .action(async (name) => (await import('./backup.command.js')).prove(loadConfig(), name));
  backup
    .command('restore <name>')
    .description('restore a backup of BACKUP_TO into DATA_DIR, or into an empty database of DATABASE_URL')
    .option('--replace', 'move data that is in DATA_DIR aside')
    .action(async (name, options) =>
      (await import('./backup.command.js')).restoreStored(loadConfig(), name, options),
    );
  program
    .command('restore <file>')
    .description('make DATA_DIR out of a backup; Greenroom must be stopped')
    .option('--replace', 'move data that is there aside')
    .action(async (file, options) =>
      (await import('./backup.command.js')).restore(loadConfig(), file, options),
    );
}

const BACKUP_HELP = `
The data is copied and packed in the folder of the file, and the file is restored to a scratch folder in TMPDIR (default: /tmp),
which is removed afterwards. Each folder needs room for a copy of the data, that of the file also for the packed copy.
`;

function addArchiveCommands(program: Command): void {
  const archive = program
    .command('archive')
    .description('move old months of the ledger into compressed files, and say which without --apply')
    .option(
      '--month <month>',
      'this month, for example 2026-01 (default: all but the last LEDGER_KEPT_MONTHS)',
      yearMonth,
    )
    .option('--apply', 'write the files and delete the lines')
    .addHelpText('after', ARCHIVE_HELP)
    .action(async (options) => (await import('./archive.command.js')).archiveMonths(loadConfig(), options));
  archive
    .command('list')
    .description('list the months of the ledger, and where each is')
    .action(async () => (await import('./archive.command.js')).listArchive(loadConfig()));
  archive
    .command('restore')
    .argument('<month>', 'for example 2026-01', yearMonth)
    .description('put an archived month back into the database')
    .action(async (month) => (await import('./archive.command.js')).restoreMonth(loadConfig(), month));
}

const ARCHIVE_HELP = `
A month is that in which a billing period begins, in UTC. It can be archived when all of these periods have ended, and the ones
after them: until then a request id of it is not charged twice. What was used and granted in it stays in the database for each
account and key; "greenroom doctor" compares that with the files. Files are JSON, a line each, in the object store of
AUDIO_STORE=s3 or else in DATA_DIR/archive. A run that is ended has lost nothing: run it again.

Examples:
  $ greenroom archive                               say what LEDGER_KEPT_MONTHS leaves to archive
  $ greenroom archive --month 2026-01 --apply       archive one month
  $ greenroom archive restore 2026-01               have its lines in the ledger again
`;

function addCellCommands(program: Command): void {
  const cells = program.command('cells').description('accounts of several installations behind one proxy');
  cells
    .command('publish')
    .description('let a reporting database read what the lists of staff show, and say what without --apply')
    .option('--apply', 'create the publications, or bring them up to date')
    .addHelpText('after', PUBLISH_HELP)
    .action(async (options) =>
      (await import('./cells/report.commands.js')).publishCell(loadConfig(), options),
    );
  cells
    .command('subscribe')
    .description('have the reporting database of DATABASE_URL follow a cell, and say how without --apply')
    .requiredOption('--from <file>', 'the variables of the cell, a line each: DATABASE_URL, CELL …')
    .option('--apply', 'create the schema and the subscription, or bring them up to date')
    .addHelpText('after', SUBSCRIBE_HELP)
    .action(async (options) =>
      (await import('./cells/report.commands.js')).subscribeToCell(loadConfig(), options),
    );
  cells
    .command('move <account-id>')
    .description('move an account from this cell to another, and say what without --apply')
    .requiredOption(
      '--to <file>',
      'the variables of the other cell, a line each: DATABASE_URL, APP_SECRET, CELL …',
    )
    .option('--reason <text>', 'what the audit logs of both cells say why')
    .option('--apply', 'move it, or continue a move that was ended')
    .option('--take-back', 'undo a move that was ended before the account had left this cell')
    .option('--maps <file>', 'write what the proxy has to know into this file (default: print it)')
    .addHelpText('after', MOVE_HELP)
    .action(async (accountId, options) =>
      (await import('./cells/move.command.js')).moveAccount(loadConfig(), accountId, options),
    );
}

const PUBLISH_HELP = `
Run it in each cell, once before "cells subscribe" and again after each upgrade. Its PostgreSQL needs wal_level = logical. Secrets
and their digests are not published.
`;

const SUBSCRIBE_HELP = `
Run it once for each cell, and again after each upgrade before that of the cells, with DATABASE_URL (or MIGRATION_DATABASE_URL) of a
separate database: its role may create subscriptions, and that of the file may replicate. Set DATABASE_READ_URL of every cell to
the reporting database afterwards.

Examples:
  $ greenroom cells publish --apply                             in each cell
  $ greenroom cells subscribe --from cell-01.env                say what would be done
  $ greenroom cells subscribe --from cell-01.env --apply
`;

const MOVE_HELP = `
Keys, voices with their recordings, credits with the whole ledger, webhooks, contacts, rules and history go along. While they are
copied, requests of the account get 503 with Retry-After; its keys stay as they are, and afterwards this cell responds with 421.
Logs of requests and deliveries, the audit log and what concerns other accounts as well stay. The file has the other cell's
variables as its processes have them, with MIGRATION_DATABASE_URL where the tables have another owner: what is sealed with APP_SECRET
is sealed with the other one. A run that is ended has lost nothing: run it again, or with --take-back.

Examples:
  $ greenroom cells move ID --to cell-01.env                             say what would be moved
  $ greenroom cells move ID --to cell-01.env --apply --reason "Its load" --maps moved.txt
`;

function addSettingsCommands(program: Command): void {
  const settings = program
    .command('settings')
    .description('settings that are the same in all cells, in a file');
  settings
    .command('export')
    .description('print the settings of this installation as a file (YAML)')
    .action(async () => (await import('./settings.commands.js')).exportSettings(loadConfig()));
  settings
    .command('plan <file>')
    .description('say what a file of settings would change')
    .action(async (file) => (await import('./settings.commands.js')).planSettings(loadConfig(), file));
  settings
    .command('apply <file>')
    .description('make the settings those of a file, and say what was changed')
    .requiredOption('--reason <text>', 'what the audit log says why')
    .addHelpText('after', SETTINGS_HELP)
    .action(async (file, options) =>
      (await import('./settings.commands.js')).applySettings(loadConfig(), file, options),
    );
}

const SETTINGS_HELP = `
Key policies of tiers, what voices are screened for, alert rules of the installation and its tiers, second factors of roles, and
credentials of services, by the SHA-256 of their secrets. A part that is left out of the file is not managed. Of one that is there,
what the file does not have is removed; a service credential is disabled, for good. Each change is a transaction: after a failure,
run it again.

Examples:
  $ greenroom settings export > settings.yaml                   in one cell
  $ greenroom settings plan settings.yaml                       in each of the others
  $ greenroom settings apply settings.yaml --reason "Cell 01"
  $ greenroom doctor --settings settings.yaml                   what is different in this cell
`;

function addTopCommand(program: Command): void {
  program
    .command('top')
    .description('watch queues, workers and the api in the terminal, each second; q or Ctrl-C quits')
    .option('--once', 'print one snapshot and end')
    .option('--json', 'print JSON, one line a snapshot')
    .addHelpText('after', TOP_HELP)
    .action(async (options) => (await import('./top/top.command.js')).top(loadConfig(), options));
}

const TOP_HELP = `
Shown are jobs of each queue, how long the oldest has waited, reviews per minute, jobs that are in no queue yet, workers, and
requests and refusals (401, 402, 403, 429) per second of each process of the api. Where the output is not a terminal, snapshots are
printed one after the other.

Examples:
  $ greenroom top                                   until q
  $ greenroom top --once --json | jq .queues        for scripts
`;

function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('examine the installation: schema, clock, audit log …; nothing is changed')
    .option('--heads <file>', 'ends of days of the audit log that were stored elsewhere, to compare with')
    .option('--settings <file>', 'settings as they should be, see "greenroom settings"')
    .option('--json', 'print the findings as JSON')
    .action(async (options) => (await import('./doctor/doctor.js')).examine(loadConfig(), options));
}

function addStaffCommands(program: Command): void {
  const staff = program.command('staff').description('members of staff');
  staff
    .command('emergency')
    .description('show a password that signs a member in for an hour, also with PASSWORD_SIGN_IN=off')
    .requiredOption('--email <address>', 'who signs in; their sessions end')
    .requiredOption('--reason <text>', 'why, for the audit log')
    .action(async (options) =>
      (await import('./staff.command.js')).giveEmergencyPassword(loadConfig(), options),
    );
  staff
    .command('add')
    .description('add a member of staff and show a one-time password')
    .requiredOption('--email <address>', 'what they sign in with')
    .addOption(new Option('--role <role>', 'what they may do').choices(STAFF_ROLES).makeOptionMandatory())
    .option('--name <name>', 'how they are called (default: the beginning of the address)')
    .action(async (options) => (await import('./staff.command.js')).addStaff(loadConfig(), options));
}

function addManagementCommands(program: Command): void {
  program
    .command('management')
    .description('credentials of programs that use the staff API')
    .command('create')
    .description('issue a credential and show its secret')
    .requiredOption(
      '--creator <email>',
      'the member of staff whose role bounds it, and who approves nothing of it',
    )
    .requiredOption('--name <name>', 'what the audit log calls it')
    .requiredOption('--purpose <text>', 'what the program does')
    .requiredOption('--permission <name>', 'a staff permission; several with commas or repeated', gather)
    .addOption(
      new Option('--accounts <which>', 'the accounts that it may touch')
        .choices(ACCOUNT_BOUNDS)
        .makeOptionMandatory(),
    )
    .option('--account <id>', 'with --accounts listed; several with commas or repeated', gather)
    .option('--tag <tag>', 'with --accounts tagged')
    .option(
      '--allow-ip <address>',
      'an address or CIDR block that may use it; several with commas or repeated',
      gather,
    )
    .option('--confirm', 'let it be used from every address, without --allow-ip')
    .requiredOption('--expires <time>', 'when it ends, at most a year from now', isoDate)
    .option('--requests <number>', 'requests a minute', requestsPerMinute, DEFAULT_MANAGEMENT_REQUESTS)
    .action(async (options) =>
      (await import('./management-create.js')).createManagement(loadConfig(), options),
    );
}

function requestsPerMinute(text: string): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= 1 && value <= MAX_MANAGEMENT_REQUESTS) return value;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MAX_MANAGEMENT_REQUESTS}.`);
}

function addWorkersCommands(program: Command): void {
  const workers = program.command('workers').description('workers that run');
  workers
    .command('list')
    .description('list workers with their ids, and whether they take jobs')
    .option('--json', 'print them as JSON')
    .action(async (options) => (await import('./workers.command.js')).listWorkers(loadConfig(), options));
  const command = (name: string, description: string, quiet: boolean) =>
    workers
      .command(`${name} <worker>`)
      .description(description)
      .requiredOption('--reason <text>', 'what the audit log says why')
      .action(async (worker, { reason }) =>
        (await import('./workers.command.js')).setQuiet(loadConfig(), worker, { quiet, reason }),
      );
  command('quiet', 'let a worker (its id or name) finish what it has and take nothing new', true);
  command('resume', 'let a quiet worker take jobs again', false);
}

function addUsageCommands(program: Command): void {
  const usage = program
    .command('usage')
    .description('billing systems that the usage of the ledger is sent to (USAGE_SINKS)');
  usage
    .command('list')
    .description('how far each is: what it has, since when the next line waits, and why it fails')
    .option('--json', 'as JSON')
    .action(async (options) => (await import('./usage.command.js')).listUsageSinks(loadConfig(), options));
  usage
    .command('replay <name>')
    .description(
      'send the lines since a time again; one that is later than what was sent leaves out those between',
    )
    .requiredOption('--from <time>', `the time, ${ACCEPTED_TIME}`, isoDate)
    .requiredOption('--reason <text>', 'what the audit log says why')
    .option('--confirm', 'although the receiver may not recognise what it had')
    .action(async (name, { from, reason, confirm: confirmed = false }) =>
      (await import('./usage.command.js')).replayUsage(loadConfig(), { name, from, reason, confirmed }),
    );
}

function addVoiceCommands(program: Command): void {
  program
    .command('voices')
    .description('voices of accounts')
    .command('import')
    .description('take the voices that exist at the service of VOICE_ENGINE=elevenlabs into an account')
    .requiredOption('--account <id or name>', 'the account that they belong to', canonicalText)
    .requiredOption('--reason <text>', 'what the audit log says why')
    .option('--apply', 'import them; without it, only say what would be')
    .action(async (options) => (await import('./voices-import.js')).importVoices(loadConfig(), options));
}

function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('explain <key-id>')
    .description('say what would become of a request with a key, gate by gate; nothing is charged')
    .requiredOption('--address <address>', 'where the request comes from')
    .option('--method <method>', 'its method', 'GET')
    .requiredOption('--path <path>', 'its path, for example /v1/models')
    .option('--cost <number>', 'credits it would cost', wholeNumber, 0)
    .action(async (keyId, options) =>
      (await import('./keys-explain.js')).explainKey(loadConfig(), keyId, options),
    );
  keys
    .command('import <file>')
    .description('take over keys of another system, from a CSV file ("-" for stdin): every one, or none')
    .requiredOption('--account <id or name>', 'the account that the keys belong to', canonicalText)
    .requiredOption('--reason <text>', 'what the audit log says why')
    .option('--dry-run', 'name the lines that are not accepted, and import nothing')
    .addHelpText('after', IMPORT_HELP)
    .action(async (file, options) =>
      (await import('./keys-import.js')).importKeys(loadConfig(), file, options),
    );
  keys
    .command('create')
    .description('issue an API key and show its secret, once')
    .requiredOption('--account <id or name>', 'the account that the key belongs to', canonicalText)
    .option('--name <name>', 'what the key is for', canonicalText, 'Created on the command line')
    .option('--scopes <list>', 'permissions separated by commas, or "all"', 'all')
    .option(
      '--credits <number>',
      'credits per billing period (default: as many as the account has)',
      wholeNumber,
    )
    .option(
      '--allow-ip <address or CIDR>',
      'where the key works, if the account may have allow-lists; repeat for more (default: everywhere)',
      gather,
    )
    .option('--confirm', 'accept a list of addresses that is very wide')
    .addOption(new Option('--expires <date>', 'ISO 8601 date or time (default: never)').argParser(isoDate))
    .action(async (options) => (await import('./keys-create.js')).createKey(loadConfig(), options));
}

const IMPORT_HELP = `
The first line names the columns. "name" is needed, and either "secret", or "sha256" (hexadecimal or base64) with "last_four".
Optional: "prefix", "permissions" (with spaces between them; empty for all), "credit_limit", "external_id".
`;

function addKeyFileCommands(program: Command): void {
  // As Terraform does it: 2 says that there are changes, so wrong usage cannot.
  const wrongUsage = (error: CommanderError) => process.exit(error.exitCode === 0 ? 0 : 1);
  program
    .command('plan <file>')
    .description(
      'say what a file of keys (YAML) would change: dry runs of its allow-lists, and who has changed what since',
    )
    .option('--out <file>', 'save the plan, for apply')
    .option('--detailed-exitcode', 'exit with 0 for no changes, 2 for changes, 1 for an error')
    .option('--json', 'print the plan as JSON')
    .exitOverride(wrongUsage)
    .action(async (file, options) => (await import('./key-files.js')).plan(loadConfig(), file, options));
  program
    .command('apply <file>')
    .description('make the accounts, keys and webhooks of a file what it says, or apply a saved plan')
    .option(
      '--secrets-to <place>',
      'where new secrets go: file:PATH, k8s:PATH (a Secret manifest) or command:COMMAND (on its stdin)',
    )
    .option('--yes', 'confirm what the plan marks with "!"')
    .option('--reason <text>', 'what the audit log says why')
    .addHelpText('after', KEY_FILE_HELP)
    .action(async (file, options) => (await import('./key-files.js')).apply(loadConfig(), file, options));
  program
    .command('export [account...]')
    .description('print accounts (by id or name; all without one) as a file of keys')
    .option('--name <name>', 'the name of the file (default: of the one that manages them)', canonicalText)
    .option('--schema', 'print the JSON schema of the format instead')
    .action(async (accounts, options) =>
      (await import('./key-files.js')).exportFile(loadConfig, accounts, options),
    );
  program
    .command('release <name>')
    .description('release what a file of keys manages: it stays as it is, and staff may change it again')
    .option('--id <id>', 'only this key or webhook')
    .requiredOption('--reason <text>', 'what the audit log says why')
    .action(async (name, options) => (await import('./key-files.js')).release(loadConfig(), name, options));
}

const KEY_FILE_HELP = `
Each account is one transaction: all of its changes are applied, or none. A second apply waits for the first.
A file without the keys that it managed before deletes them; a setting that is left out is left as it is.
The exit code is 0 when everything is as the file says, else 1.

Examples:
  $ greenroom export Acme > keys.yaml               begin with what is there
  $ greenroom plan keys.yaml --out keys.plan        read what would change, and keep it
  $ greenroom apply keys.plan --secrets-to file:new-secrets.jsonl
`;

function addReviewCommand(program: Command): void {
  program
    .command('review [file...]')
    .description(
      'grade audio files, or every one in a folder, as the worker grades voices; needs no database',
    )
    .option('--json', 'a JSON array with every measurement instead of the table')
    .option('--explain', 'say in sentences what keeps each file from a better grade')
    .addOption(
      new Option(
        '--ruleset <id>',
        'rules to go by (default: REVIEW_RULESET; without it the first, or those of the P.808 model in DNSMOS_MODEL_PATH)',
      ).choices(RULESET_IDS),
    )
    .option(
      '--compare <set>',
      'instead of files: how near each ruleset comes to the ears of people, by a calibration set of the console',
    )
    .option('--media-type <type>', 'of files without a header, for example "audio/pcm;rate=16000"')
    .addHelpText('after', REVIEW_HELP)
    .action(async (files, options, command) => {
      if ((options.compare === undefined) === (files.length === 0))
        command.error('error: give either files, or a calibration set with --compare');
      if (options.compare !== undefined) {
        const { compareRulesets } = await import('./compare-rulesets.js');
        return compareRulesets(options.compare, options);
      }
      const { reviewFiles } = await import('./review-files.js');
      const { reviewRuleset, dnsmosModelPath, ffmpegPath } = loadConfig();
      const ruleset = options.ruleset ?? reviewRuleset;
      await reviewFiles(files, { ...options, ruleset, dnsmosModelPath, ffmpegPath });
    });
}

function addSpokenCommand(program: Command): void {
  program
    .command('spoken <file>')
    .description('say which voice has spoken a clip of two seconds or more, by the history of all accounts')
    .requiredOption('--reason <text>', 'what the audit log says why')
    .addHelpText('after', SPOKEN_HELP)
    .action(async (file, { reason }) =>
      (await import('./spoken-clip.js')).findSpoken(loadConfig(), file, reason),
    );
}

const SPOKEN_HELP = `
Accepted: the same files as of "greenroom review"; of longer ones the first 20 s count. It is found by its sound, also when it was cut
or encoded differently. The exit code is 1 when it was not spoken here, as far as the history goes (HISTORY_DAYS).

Example:
  $ greenroom spoken clip.mp3 --reason "Complaint 4711"
`;

const REVIEW_HELP = `
Accepted: WAV (PCM 8-32 bit, float, mu-law, A-law), MP3, FLAC, Ogg Vorbis, Opus in Ogg, WebM or MP4; with an ffmpeg (FFMPEG_PATH)
also AAC and ALAC in MP4, AMR, 3GP, AIFF and Windows Media; mono or stereo, 4-192 kHz, 10 minutes (above 48 kHz less: 5 at 96 kHz) and 100 MB at the most. The exit code is 1 when a file could not be graded; the others are graded all the same.

Rulesets:
${ALL_RULESETS.map(({ id, summary }) => `  ${id}\n      ${summary}`).join('\n')}

Examples:
  $ greenroom review interview.wav                  one file
  $ greenroom review --explain recordings/          a folder, with advice
  $ greenroom review --json *.mp3 > grades.json     every measurement
  $ greenroom review --compare calibration-set.json the rulesets against the ears of people
`;

function wholeNumber(text: string): number {
  const read = readTypedNumber(text);
  if ('problem' in read)
    throw new InvalidArgumentError(`It is not a whole number of credits. ${read.problem}`);
  const { value } = read;
  if (value !== null && Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError('It is not a whole number of credits.');
}

function yearMonth(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('Give a month such as 2026-01.');
}

function gather(text: string, earlier: string[] = []): string[] {
  return [...earlier, ...text.split(',')];
}

function isoDate(text: string): Date {
  const time = readTime(text);
  if (time) return time;
  throw new InvalidArgumentError(`Give ${ACCEPTED_TIME}.`);
}

/** One line for people; for developers (LOG_LEVEL=debug) where it comes from. */
function describeFailure(error: unknown): string {
  const { message, stack } = error as Error;
  if (error instanceof ConfigError)
    return error.problems.map((problem) => `greenroom: ${problem}`).join('\n');
  if (error instanceof KeyFileError) return message;
  const known = [LaunchError, DomainError, LateDatabaseError].some((kind) => error instanceof kind);
  const line = `greenroom: ${message ? message.split('\n')[0] : String(error)}`;
  return isDebugging() ? `${line}\n${stack}` : known ? line : `${line} (LOG_LEVEL=debug shows more)`;
}

function isDebugging(): boolean {
  try {
    return ['debug', 'verbose'].includes(loadConfig().logLevel);
  } catch {
    return false;
  }
}
