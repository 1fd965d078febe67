import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { DomainError } from '@app/domain/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireBodyKind } from './content-type';
import { ValidationProblem, type WireProblem } from './wire-problem';

/** More than any form has. */
const MAX_PARTS = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Accepts `multipart/form-data` on routes that ask for it: the body becomes an object of the form's texts, a list where a
 * name is repeated, and is checked like any other. No larger than other bodies. Files are refused, by name.
 */
export function acceptMultipartBodies(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      requireBodyKind(request, 'multipart/form-data');
      return readForm(request.headers as BusboyHeaders, body);
    },
  );
}

async function readForm(headers: BusboyHeaders, body: Buffer): Promise<Record<string, string | string[]>> {
  const fields = new Map<string, string[]>();
  const files: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const parser = openParser(headers, body.length);
    parser.on('field', (name, value, nameTruncated) => {
      if (nameTruncated) return reject(malformed('the name of a part is too long'));
      if (name !== '__proto__') fields.set(name, [...(fields.get(name) ?? []), value]);
    });
    parser.on('file', (name, stream) => {
      files.push(name);
      stream.resume();
    });
    parser.on('partsLimit', () => reject(malformed(`it has more than ${MAX_PARTS} parts`)));
    parser.on('error', (error: Error) => reject(malformed(error.message)));
    parser.on('finish', resolve);
    parser.end(body);
  });
  if (files.length > 0) throw new ValidationProblem(files.map(refuseFile));
  refuseBadText(body);
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  );
}

function openParser(headers: BusboyHeaders, bytes: number): BusboyInstance {
  try {
    return new Busboy({ headers, limits: { parts: MAX_PARTS, fieldSize: bytes, fieldNameSize: 200 } });
  } catch (error) {
    throw malformed((error as Error).message);
  }
}

/** The parser would replace what is not UTF-8. */
function refuseBadText(body: Buffer): void {
  try {
    utf8.decode(body);
  } catch {
    throw malformed('its bytes are not UTF-8');
  }
}

function refuseFile(name: string): WireProblem {
  const msg = 'Value error, recordings cannot be added to a designed voice: leave the files out';
  return { type: 'value_error', loc: ['body', name.toWellFormed()], msg, input: null };
}

function malformed(reason: string): DomainError {
  return new DomainError('bad_request', {
    reason: `The body is not a form that is accepted here: ${reason}.`,
  });
}
