import type { ObjectStoreConfig } from '@app/config/app-config';
import type { S3 } from '@aws-sdk/client-s3';

/** Under the time of a request: a request that cannot be served gets 503. */
const CONNECT_MS = 2_000;
const REQUEST_MS = 5_000;
/** Without a byte: the time of a request ends with the header of its response, and bodies may stop coming. */
const STALL_MS = 5_000;

/** What a listing says of an object. */
export interface ListedObject {
  key: string;
  bytes: number;
  etag: string;
}

/**
 * A client of the configured object store, whose library only those with an object store load: 10 MB.
 *
 * @param patience how many times the usual limits, where no client waits
 */
export async function connectS3(
  { endpoint, region, credentials }: ObjectStoreConfig,
  { patience = 1 }: { patience?: number } = {},
): Promise<S3> {
  const { S3 } = await import('@aws-sdk/client-s3');
  return new S3({
    region,
    // Servers other than Amazon's rarely have a host name for each bucket, nor the newest checksums.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: CONNECT_MS * patience,
      requestTimeout: REQUEST_MS * patience,
      socketTimeout: STALL_MS * patience,
      throwOnRequestTimeout: true,
    },
  });
}

/** Whether an object store has refused a request because it has no such object. */
export function isNoSuchKey(error: unknown): boolean {
  return error instanceof Error && error.name === 'NoSuchKey';
}

/** The objects whose keys begin with `prefix`, in the order of their keys, as pages of up to 1,000. */
export async function* listObjects(
  s3: S3,
  bucket: string,
  prefix: string,
): AsyncGenerator<{ objects: ListedObject[]; last: boolean }> {
  let token: string | undefined;
  do {
    const page = await s3.listObjectsV2({ Bucket: bucket, Prefix: prefix, ContinuationToken: token });
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
    const objects = (page.Contents ?? []).map(({ Key = '', Size = 0, ETag = '' }) => ({
      key: Key,
      bytes: Size,
      etag: ETag.replaceAll('"', ''),
    }));
    yield { objects, last: token === undefined };
  } while (token !== undefined);
}

/** Why a request has failed, in a few words: a store names its refusal; what did not reach it has a code and a message. */
export function reasonOfStore(error: unknown): string {
  const { name, code, message } = error as Error & { code?: string };
  const text = message.trimEnd().replace(/\.$/, '') || code || name;
  return text.includes(name) || /^(Aggregate)?Error$/.test(name) ? text : `${name}: ${text}`;
}
