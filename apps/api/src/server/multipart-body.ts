import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireBodyKind } from '../http/content-type';
import { malformedForm, MAX_FORM_FIELDS, toFields } from '../http/form-fields';
import { ValidationProblem, type WireProblem } from '../http/wire-problem';

/** A form is read piece by piece, so that what follows its refusal is not read at all. */
const PIECE_BYTES = 16 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Accepts `multipart/form-data` on routes that declare it: the body becomes an object of the form's texts, a list where a
 * name is repeated, and is checked like any other. No larger than other bodies. Files are refused, by name.
 */
export function acceptMultipartBodies(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      requireBodyKind(request, 'multipart/form-data');
      const { fields, files } = await readParts(
        openParser(request.headers as BusboyHeaders, body.length),
        body,
      );
      if (files.length > 0) throw new ValidationProblem(files.map(refuseFile));
      refuseBadText(body);
      return toFields(fields);
    },
  );
}

interface Parts {
  fields: [name: string, value: string][];
  /** Names of the parts that are files. */
  files: string[];
}

/** @throws DomainError for the first thing that is not accepted; what follows it is not looked at */
async function readParts(parser: BusboyInstance, body: Buffer): Promise<Parts> {
  const parts: Parts = { fields: [], files: [] };
  return new Promise((resolve, reject) => {
    const tooMany = malformedForm(`it has more than ${MAX_FORM_FIELDS} parts`);
    const fail = (error: Error) => reject(error === tooMany ? error : malformedForm(error.message));
    parser.on('field', (name, value) => void parts.fields.push([name, value]));
    parser.on('file', (name, file) => {
      parts.files.push(name);
      // A file without an end fails by itself, beside the parser.
      file.on('error', fail).resume();
    });
    parser.on('partsLimit', () => parser.destroy(tooMany));
    parser.on('error', fail as (error: unknown) => void);
    parser.on('finish', () => resolve(parts));
    feed(parser, body);
  });
}

function feed(parser: BusboyInstance, body: Buffer): void {
  for (let at = 0; at < body.length && !parser.destroyed; at += PIECE_BYTES)
    parser.write(body.subarray(at, at + PIECE_BYTES));
  if (!parser.destroyed) parser.end();
}

function openParser(headers: BusboyHeaders, bytes: number): BusboyInstance {
  try {
    return new Busboy({ headers, limits: { parts: MAX_FORM_FIELDS, fieldSize: bytes } });
  } catch (error) {
    throw malformedForm((error as Error).message);
  }
}

/** The parser would replace what is not UTF-8. */
function refuseBadText(body: Buffer): void {
  try {
    utf8.decode(body);
  } catch {
    throw malformedForm('its bytes are not UTF-8');
  }
}

function refuseFile(name: string): WireProblem {
  const msg = 'Value error, recordings cannot be added to a designed voice: leave the files out';
  return { type: 'value_error', loc: ['body', name.toWellFormed()], msg, input: null };
}
