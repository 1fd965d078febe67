import { S3AudioStore } from '@app/audio-store/s3-audio-store';
import { loadConfig } from '@app/config/app-config';
import { createDataSource } from '@app/database/data-source';
import { AudioObjectRepository } from '@app/database/voices/audio-object.repository';
import { connectS3 } from '@app/object-store/object-store';
import type { S3 } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { databaseUrls, readSettings } from '../../src/launcher/postgres-settings';
import { eventually } from '../support/eventually';
import { queryAs } from '../support/query-as';
import { S3Server } from '../support/s3-server';
import { TemporaryFolder } from '../support/temporary-folder';
import { shiftedClock } from '../support/shifted-clock';
import { Launched } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

const DAY_MS = 24 * 3_600_000;
const isRoot = process.getuid?.() === 0;
const BUCKET = 'backups-of-tests';

/** Backups, proofs and restores take minutes on a machine that is busy with other suites. */
jest.setTimeout(900_000);

let folder: string;
let dataDir: string;
let launcher: Launched;
let server: S3Server;
let s3: S3;

beforeAll(async () => {
  folder = makeTemporaryFolder();
  dataDir = join(folder, 'data');
  server = await S3Server.start();
  s3 = await connectS3(loadConfig(server.variables).s3!);
  launcher = Launched.start(dataDir);
  await launcher.ready();
  expect(await greenroom(['seed'])).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await launcher.end('SIGTERM');
  s3.destroy();
  await server.stop();
  removeFolder(folder);
});

/** A command on the data folder with a bucket for backups, on a clock that is fast by days; audio is in PostgreSQL. */
function start(args: string[], { to = 'week', days = 0, variables = {} } = {}): Launched {
  const { env, execArgv } = shiftedClock({ ms: days * DAY_MS });
  return Launched.greenroom(args, {
    ...server.variables,
    AUDIO_STORE: 'postgres',
    DATA_DIR: dataDir,
    BACKUP_TO: `s3://${BUCKET}/${to}`,
    TMPDIR: folder,
    NODE_OPTIONS: execArgv.join(' '),
    ...env,
    ...variables,
  } as object);
}

async function greenroom(args: string[], options?: Parameters<typeof start>[1]) {
  const command = start(args, options);
  return { code: await command.ended(), output: command.output };
}

const keysIn = async (prefix: string) =>
  ((await s3.listObjectsV2({ Bucket: BUCKET, Prefix: prefix })).Contents ?? []).map(({ Key }) => Key!);
const day = (days: number) => new Date(Date.now() + days * DAY_MS).getUTCDate();
const leftovers = () => readdirSync(folder).filter((name) => name.startsWith('.greenroom'));

it('those stay that BACKUP_KEEP says, and one is listed, proved and restored from there', async () => {
  const variables = { BACKUP_KEEP: '1d,0w,0m', BACKUP_PROOF_DAYS: '2' };
  const proved: number[] = [];
  for (let days = 0; days < 3; days++) {
    const { code, output } = await greenroom(['backup', 'run'], { days, variables });
    expect([code, output]).toEqual([0, expect.stringContaining(` MB in s3://${BUCKET}/week/`)]);
    if (output.includes(': proved,')) proved.push(days);
  }
  expect(proved).toEqual([0, 2]);
  const names = (await keysIn('week/')).map((key) => key.slice('week/'.length));
  expect(names.map((name) => Number(name.slice(16, 18)))).toEqual([day(2)]);
  const listed = await greenroom(['backup', 'list']);
  expect(listed.output.match(/^greenroom-\S+ +[\d.]+ MB {2}(proved|not proved)/gm)).toHaveLength(1);
  expect(await greenroom(['backup', 'prove'])).toMatchObject({
    code: 0,
    output: expect.stringContaining(`${names[0]}: proved,`) as string,
  });
  const target = join(folder, 'restored');
  const restored = await greenroom(['backup', 'restore', names[0]!], { variables: { DATA_DIR: target } });
  expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('Restored to ')]);
  const doctor = await greenroom(['doctor'], { variables: { DATA_DIR: target } });
  expect(doctor.output).toMatch(/^ok +ledger /m);
  expect(leftovers()).toEqual([]);
});

it('one that is killed while it is sent is not listed, and the next leaves nothing of it here or there', async () => {
  const killed = start(['backup', 'run'], { to: 'killed' });
  server.insteadOfJoining = async () => void (await killed.end('SIGKILL'));
  expect([await killed.ended(), killed.output]).toEqual(['SIGKILL', expect.any(String)]);
  server.insteadOfJoining = null;
  expect(await keysIn('killed/')).toEqual([]);
  expect(await greenroom(['backup', 'list'], { to: 'killed' })).toMatchObject({
    code: 0,
    output: expect.stringContaining('has no backup yet') as string,
  });
  await eventually(async () => {
    const held = await queryAs(
      databaseUrls(readSettings(dataDir)!).owner,
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 7301976`,
    );
    expect(held).toEqual([]);
  });
  expect(server.unfinished(BUCKET)).toHaveLength(1);
  server.listsUploads = false;
  const withoutList = await greenroom(['backup', 'run'], { to: 'killed' });
  expect([withoutList.code, withoutList.output]).toEqual([
    0,
    expect.stringMatching(
      /^What backups that were ended have left of themselves in s3:\S+ cannot be removed: NotImplemented: .+\. Allow .+s3:ListBucketMultipartUploads.+, or give the bucket a lifecycle rule for unfinished uploads\.$/m,
    ),
  ]);
  expect(server.unfinished(BUCKET)).toHaveLength(1);
  server.listsUploads = true;
  expect(await greenroom(['backup', 'run'], { to: 'killed' })).toMatchObject({ code: 0 });
  // The one before it, of the same day, stays only where it was proved.
  expect(await keysIn('killed/')).not.toEqual([]);
  expect(server.unfinished(BUCKET)).toEqual([]);
  expect(leftovers()).toEqual([]);
});

(isRoot ? it : it.skip)(
  'a disk that fills while one is made, or proved, is named, and nothing is left of it',
  async () => {
    const disk = TemporaryFolder.make('greenroom-full-', 2);
    try {
      const made = await greenroom(['backup', 'run'], { to: 'full', variables: { TMPDIR: disk.path } });
      expect([made.code, made.output]).toEqual([
        1,
        expect.stringContaining(
          `greenroom: No backup was made: ${disk.path}: the disk is full. Backups are prepared there: free space, or set TMPDIR to another folder.`,
        ),
      ]);
      expect(readdirSync(disk.path)).toEqual([]);
      expect([await keysIn('full/'), server.unfinished(BUCKET)]).toEqual([[], []]);

      const proof = await greenroom(['backup', 'prove'], { to: 'week', variables: { TMPDIR: disk.path } });
      expect([proof.code, proof.output]).toEqual([
        1,
        expect.stringContaining(
          `, and was not proved: ${disk.path}: the disk is full. Backups are proved there: free space, or set TMPDIR to another folder. No older backup was deleted.`,
        ),
      ]);
      expect(readdirSync(disk.path)).toEqual([]);
      expect((await greenroom(['backup', 'list'], { to: 'week' })).output).not.toContain('proof failed');
    } finally {
      disk.remove();
    }
  },
);

describe('a bucket that refuses is a sentence', () => {
  const REFUSED =
    /^greenroom: No backup was made: BACKUP_TO s3:\S+ cannot be written: (.+)\. Create the bucket, allow/m;

  it.each([
    ['does not exist', { BACKUP_TO: 's3://no-such-bucket/x' }, /^NoSuchBucket: /],
    ['knows no such key', { S3_ACCESS_KEY_ID: 'OTHER' }, /^InvalidAccessKeyId: /],
    ['is not reached', { S3_ENDPOINT: 'http://127.0.0.1:9' }, /ECONNREFUSED/],
  ])('%s', async (_, variables, reason) => {
    const { code, output } = await greenroom(['backup', 'run'], { variables });
    expect([code, output]).toEqual([1, expect.stringMatching(REFUSED)]);
    expect(REFUSED.exec(output)![1]).toMatch(reason);
    const state = await greenroom(['doctor'], { variables: { ...variables, BACKUP_SCHEDULE: '* * * * *' } });
    expect(state.output).toMatch(/^\w+ +backup +.*(cannot be written|The last one is)/m);
    expect(leftovers()).toEqual([]);
  });

  it.each(['s3://', 's3://UPPER', 's3://a-bucket/with space', 's3'])('%s is no place', async (place) => {
    const { code, output } = await greenroom(['backup', 'run'], { variables: { BACKUP_TO: place } });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^greenroom: BACKUP_TO: ".+" is not accepted; give the absolute path/m),
    ]);
  });
});

describe('recordings in a bucket', () => {
  const variables = { AUDIO_STORE: 's3', BACKUP_PROOF_DAYS: '0' };
  let dataSource: DataSource;
  let digests: string[];

  beforeAll(async () => {
    const { s3: bucket } = loadConfig(server.variables);
    dataSource = await createDataSource(databaseUrls(readSettings(dataDir)!).owner, 'test').initialize();
    const store = new S3AudioStore(new AudioObjectRepository(dataSource), s3, bucket!.bucket);
    digests = [];
    for (let count = 0; count < 3; count++) {
      const { digest } = await store.stage(randomBytes(2_000), 'audio/mpeg');
      digests.push(digest);
    }
  });

  afterAll(() => dataSource.destroy());

  const at = (digest: string) => ({ Bucket: 'audio-of-tests', Key: `audio/${digest}` });
  const run = (args: string[], more = {}) =>
    greenroom(args, { to: 'audio', variables: { ...variables, ...more } });

  it('are compared with the list in the backup: lost and changed ones are named, deleted ones are no loss', async () => {
    expect(await run(['backup', 'run'])).toMatchObject({ code: 0 });
    expect(await run(['backup', 'prove'])).toMatchObject({ code: 0 });
    const [lost, deleted, changed] = digests as [string, string, string];

    await dataSource.query('DELETE FROM audio_object WHERE digest = $1', [deleted]);
    await s3.deleteObject(at(deleted));
    expect(await run(['backup', 'prove'])).toMatchObject({ code: 0 });

    const { Body } = await s3.getObject(at(lost));
    const bytes = await Body!.transformToByteArray();
    await s3.deleteObject(at(lost));
    const withoutOne = await run(['backup', 'prove']);
    expect([withoutOne.code, withoutOne.output]).toEqual([
      1,
      expect.stringContaining(
        `s3://audio-of-tests no longer has 1 of the objects that it counts on, first audio/${lost} (missing).`,
      ),
    ]);
    await s3.putObject({ ...at(lost), Body: bytes });
    await s3.putObject({ ...at(changed), Body: randomBytes(2_000) });
    const [, ...problem] = /first audio\/(\w+) \((\w+)\)/.exec((await run(['backup', 'prove'])).output) ?? [];
    expect(problem).toEqual([changed, 'changed']);
  });

  it('that are missing, a restore names', async () => {
    const [name] = (await keysIn('audio/')).map((key) => key.slice('audio/'.length));
    const restored = await run(['backup', 'restore', name!], { DATA_DIR: join(folder, 'with-audio') });
    expect([restored.code, restored.output]).toEqual([
      0,
      expect.stringMatching(/no longer has 2 of the objects that it counts on, first audio\/\w+/),
    ]);
    const unset = await run(['backup', 'restore', name!], {
      DATA_DIR: join(folder, 'without-store'),
      AUDIO_STORE: 'postgres',
    });
    expect(unset.output).toContain('are in s3://audio-of-tests, and not in the backup: set AUDIO_STORE=s3');
  });
});
