import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { sendFile, SECURITY_HEADERS, type PageResponse } from '../http/static-files';
import { ConsoleFiles } from './console-files';

/** Placeholder in the built page for the nonce of its response. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__';
/** Files whose names change with their content. */
const HASHED = /^assets(\/|$)/;

/** Serves the files of the console; every path that is not a file is a page, which the browser's side draws. */
@Injectable()
export class ConsoleService {
  constructor(private readonly files: ConsoleFiles) {}

  /**
   * @param path below `/console/`
   * @param encodings the Accept-Encoding header
   */
  pageResponse(path: string, encodings = ''): PageResponse {
    const file = this.files.find(path);
    if (file && path !== 'index.html')
      return sendFile(
        file,
        encodings,
        HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    if (HASHED.test(path)) throw new DomainError('not_found');
    return this.page();
  }

  private page(): PageResponse {
    const page = this.files.find('index.html');
    if (!page) throw new DomainError('console_not_built');
    const nonce = randomBytes(16).toString('base64url');
    return {
      headers: {
        ...SECURITY_HEADERS,
        'content-type': page.type,
        'content-security-policy': policy(nonce),
      },
      body: page.bytes.toString('utf8').replaceAll(NONCE_PLACEHOLDER, nonce),
    };
  }
}

/** Only our own files. Style elements, which the component library writes, carry the nonce of the page. */
function policy(nonce: string): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `media-src 'self' blob:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
