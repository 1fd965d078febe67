import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../libs/config/app-config';
import { connectS3 } from '../../libs/object-store/object-store';
import { findLost, writeInventory } from '../../src/backup/object-inventory';
import { S3Server } from '../support/s3-server';

/** More than a client has connections. */
const OBJECTS = 60;
/** More than a connection has room for when it is not read. */
const LENGTH = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'greenroom-inventory-'));
let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

it('counts all objects that have another length than in the inventory', async () => {
  const { bucket, ...store } = loadConfig(server.variables).s3!;
  const s3 = await connectS3(store);
  const putAll = async (bytes: number) => {
    for (let index = 0; index < OBJECTS; index++)
      await s3.putObject({
        Bucket: bucket,
        Key: `audio/${String(index).padStart(64, '0')}`,
        Body: Buffer.alloc(bytes),
      });
  };
  await putAll(LENGTH);
  await writeInventory({ bucket, ...store }, folder);
  await putAll(LENGTH + 1);
  const lost = await findLost({ bucket, ...store }, folder, null);
  expect(lost).toEqual({ count: OBJECTS, first: `audio/${'0'.repeat(64)} (changed)` });
  s3.destroy();
}, 60_000);
