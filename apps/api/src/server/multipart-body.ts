import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { DomainError } from '@app/domain/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { requireBodyKind } from '../http/content-type';
import { malformedForm, MAX_FORM_FIELDS, toFields } from '../http/form-fields';
import { FILES, MAX_FILE_BYTES, type FormReader, type TakeFile } from '../http/upload';
import { ValidationProblem } from '../http/wire-problem';
import type { HeldBody } from './held-body';

/** All texts of a form together; as large as another body may be. */
const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_NAME_LENGTH = 255;
/** `files` as several clients write the name of a list, and as some do that send one. */
const FILE_FIELD = /^(files(\[\d{0,4}\])?|file)$/;
/** What the parser writes for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

/**
 * Accepts `multipart/form-data` on routes that declare it. Nothing is read here: the handler reads the form while it takes
 * its files, one at a time. The texts become an object, a list where a name is repeated, and are checked like any other body.
 *
 * @param afterBody called with the request when its form has been read
 */
export function acceptMultipartBodies(fastify: FastifyInstance, afterBody: AfterBody): void {
  fastify.addContentTypeParser(
    'multipart/form-data',
    async (request: FastifyRequest, payload: IncomingMessage): Promise<FormReader> => {
      requireBodyKind(request, 'multipart/form-data');
      const limits = limitsOf(request);
      const parser = openParser(request.headers as BusboyHeaders, limits);
      return {
        read: async (take) => {
          const reading = new FormReading(parser, payload, limits, take, request.heldBody);
          const fields = await reading.run().finally(() => request.heldBody?.endAll());
          await afterBody(request);
          return fields;
        },
      };
    },
  );
}

type AfterBody = (request: FastifyRequest) => Promise<void>;

interface FormLimits {
  /** Of all texts together. */
  textBytes: number;
  /** Of each file. */
  fileBytes: number;
}

/** A form that is read before a credential has been looked at is as small as another body of such a request. */
function limitsOf({ route, routeOptions }: FastifyRequest): FormLimits {
  const textBytes = Math.min(MAX_TEXT_BYTES, routeOptions.bodyLimit);
  return { textBytes, fileBytes: route.access === 'public' ? textBytes : MAX_FILE_BYTES };
}

/** Reads one form. The first part that is not accepted ends it; what follows is received and not looked at. */
class FormReading {
  private readonly stop = new AbortController();
  private readonly texts: [name: string, value: string][] = [];
  private textBytes = 0;
  private files = 0;
  /** Taking the files that have begun: each waits for the one before. */
  private taken: Promise<void> = Promise.resolve();

  constructor(
    private readonly parser: BusboyInstance,
    private readonly payload: IncomingMessage,
    private readonly limits: FormLimits,
    private readonly take: TakeFile,
    private readonly held: HeldBody | undefined,
  ) {}

  async run(): Promise<Record<string, string | string[]>> {
    const { parser, payload } = this;
    await new Promise<void>((resolve) => {
      const { signal } = this.stop;
      signal.addEventListener('abort', () => resolve(), { once: true });
      parser.on('field', (name, value, _, isCut) => this.addText(name, value, isCut));
      parser.on('file', (field, file, name: string | undefined) => this.addFile(field, file, name));
      parser.on('partsLimit', () => this.fail(malformedForm(`it has more than ${MAX_FORM_FIELDS} parts`)));
      parser.on('error', (error: unknown) => this.fail(malformedForm((error as Error).message)));
      parser.on('finish', () => resolve());
      payload.on('error', () => this.fail(new DomainError('client_gone')));
      payload.on('close', () => payload.complete || this.fail(new DomainError('client_gone')));
      if (payload.destroyed && !payload.complete) this.fail(new DomainError('client_gone'));
      else payload.pipe(parser);
    });
    await this.taken;
    this.stop.signal.throwIfAborted();
    return toFields(this.texts);
  }

  private addText(name: string, value: string, isCut: boolean): void {
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value);
    this.textBytes += bytes;
    this.count(bytes);
    const { textBytes: limitBytes } = this.limits;
    if (isCut || this.textBytes > limitBytes)
      return this.fail(new DomainError('request_too_large', { limitBytes }));
    if (name.includes(REPLACEMENT) || value.includes(REPLACEMENT))
      return this.fail(malformedForm('its bytes are not UTF-8'));
    this.texts.push([name, value]);
  }

  private addFile(field: string, file: BusboyFileStream, inputName: string | undefined): void {
    // A file without an end fails separately from the parser.
    file.on('error', (error: Error) => this.fail(malformedForm(error.message)));
    const name = inputName?.toWellFormed().replaceAll('\0', '').slice(0, MAX_NAME_LENGTH);
    const label = name || `recording ${this.files + 1}`;
    const index = this.files++;
    this.taken = this.taken.then(async () => {
      try {
        this.stop.signal.throwIfAborted();
        if (!FILE_FIELD.test(field))
          throw fileProblem([field.toWellFormed()], 'files are accepted as `files` only');
        const bytes = await this.collect(file);
        if (file.truncated)
          throw fileProblem(
            [FILES, index],
            `${JSON.stringify(label)} is larger than the ${this.limits.fileBytes} bytes that a file may have`,
          );
        await this.take({ name: label, bytes });
        this.held?.settle(bytes.length);
      } catch (error) {
        file.resume();
        this.fail(error as Error);
      }
    });
  }

  private async collect(file: BusboyFileStream): Promise<Buffer> {
    const { signal } = this.stop;
    const pieces: Buffer[] = [];
    await new Promise<void>((resolve, reject) => {
      const onStop = (): void => reject(signal.reason as Error);
      const onEnd = (): void => {
        signal.removeEventListener('abort', onStop);
        resolve();
      };
      signal.addEventListener('abort', onStop, { once: true });
      file.on('data', (piece: Buffer) => {
        pieces.push(piece);
        this.count(piece.length);
      });
      file.on('limit', onEnd);
      file.on('end', onEnd);
    });
    return file.truncated ? Buffer.alloc(0) : Buffer.concat(pieces);
  }

  private count(bytes: number): void {
    try {
      this.held?.add(bytes);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private fail(error: Error): void {
    if (this.stop.signal.aborted) return;
    this.payload.unpipe(this.parser);
    // A client that is still sending reads the response afterwards.
    this.payload.resume();
    this.stop.abort(error);
  }
}

function openParser(headers: BusboyHeaders, { textBytes, fileBytes }: FormLimits): BusboyInstance {
  try {
    const limits = { parts: MAX_FORM_FIELDS, fieldSize: textBytes, fileSize: fileBytes };
    return new Busboy({ headers, limits });
  } catch (error) {
    throw malformedForm((error as Error).message);
  }
}

function fileProblem(path: (string | number)[], what: string): ValidationProblem {
  return new ValidationProblem([
    { type: 'value_error', loc: ['body', ...path], msg: `Value error, ${what}`, input: null },
  ]);
}
