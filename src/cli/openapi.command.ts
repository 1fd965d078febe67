import { readFile } from 'node:fs/promises';
import { servedOpenapiFile } from '../../libs/config/openapi-file';

/** Writes the description of the API to the standard output. */
export async function printOpenapi(): Promise<void> {
  process.stdout.write(await readFile(servedOpenapiFile()));
}
