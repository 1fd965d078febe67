import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { OPENAPI_FILE } from '../../libs/config/openapi-file';

/** Writes the description of the API to the standard output; its reader may stop early. */
export async function printOpenapi(): Promise<void> {
  try {
    await pipeline(createReadStream(OPENAPI_FILE), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
