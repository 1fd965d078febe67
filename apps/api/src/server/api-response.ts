import { ServerResponse, validateHeaderName, validateHeaderValue, type IncomingMessage } from 'node:http';

declare module 'node:http' {
  interface IncomingMessage {
    /** Set as soon as the request has been routed. */
    requestId?: string;
  }
  interface ServerResponse {
    /** Header lines whose names and values need no check, each with its line end; see `headerLines`. */
    checkedLines?: string;
  }
  interface OutgoingMessage {
    /** Writes the head of a message: Node's own, and the one place that every head passes. */
    _storeHeader(firstLine: string, headers: object | undefined): void;
    /** Node's own: what `content-length` says, once the head is written. */
    _contentLength: number | null;
  }
}

/**
 * Headers as they are sent, checked once: for constants, and for values of digits and letters put into them. Fastify and Node
 * copy and check each header of each response, which costs a fast route more than its own work.
 *
 * @throws TypeError for a name or a value that HTTP does not allow
 */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers).map(toLine).join('');
}

function toLine([name, value]: [string, string]): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}

/**
 * The class of this server's responses. They begin with the request id, `checkedLines`, and those of the common headers for
 * which the response has no separate value. A text that is as long in bytes as in characters is ASCII, and is sent without
 * being encoded as UTF-8.
 */
export function responsesWith(common: Readonly<Record<string, string>>): typeof ServerResponse {
  const names = Object.keys(common);
  const all = headerLines(common);

  return class ApiResponse<
    Request extends IncomingMessage = IncomingMessage,
  > extends ServerResponse<Request> {
    override checkedLines = '';

    override _storeHeader(firstLine: string, headers: object | undefined): void {
      const { requestId } = this.req;
      const id = requestId === undefined ? '' : `x-request-id: ${requestId}\r\n`;
      super._storeHeader(firstLine + id + commonLines(headers) + this.checkedLines, headers);
    }

    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      const isAscii = typeof chunk === 'string' && !encoding && this._contentLength === chunk.length;
      return super.end(chunk, (isAscii ? 'latin1' : encoding) as BufferEncoding, callback as () => void);
    }
  };

  /** Names of headers are always in small letters. */
  function commonLines(own: object | undefined): string {
    if (own === undefined || !hasOneOf(names, own)) return all;
    return headerLines(Object.fromEntries(Object.entries(common).filter(([name]) => !(name in own))));
  }
}

/** Each name is read as a property: `in`, with names that vary, costs a call into V8's runtime. */
function hasOneOf(names: readonly string[], headers: object): boolean {
  for (const name of names) if ((headers as Record<string, unknown>)[name] !== undefined) return true;
  return false;
}
