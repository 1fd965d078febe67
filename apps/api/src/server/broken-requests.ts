import { DomainError } from '@app/domain/errors';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toErrorBody } from '../http/error-body';
import { newRequestId } from '../http/request-id';
import { STOPPING, TOO_SLOW } from './slow-bodies';

/** Node keeps the response that is being written to a connection here, and reads it in its own handler of such errors. */
interface HttpSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

/**
 * Refuses requests that are not HTTP, or whose headers are too large or too slow: they have no request object yet. Complete
 * requests before them on the connection have their responses first: the client would take the refusal for one of those.
 *
 * @param common headers of every response
 */
export function refuseBrokenRequests(
  common: Readonly<Record<string, string>>,
): (error: Error & { code?: string }, socket: HttpSocket) => void {
  const refused = new WeakSet<Socket>();
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (!refused.has(socket)) {
      // All that follows on the connection is an error again.
      refused.add(socket);
      afterResponses(socket, () => refuse(error, socket, common));
    }
  };
}

function afterResponses(socket: HttpSocket, done: () => void): void {
  const response = socket._httpMessage;
  if (response?.req.complete) response.once('close', () => afterResponses(socket, done));
  else done();
}

function refuse(
  error: Error & { code?: string },
  socket: Socket,
  common: Readonly<Record<string, string>>,
): void {
  if (!socket.writable) return void socket.destroy();
  const requestId = newRequestId();
  const { status, headers: own, body } = toErrorBody(brokenRequest(error), requestId);
  const text = JSON.stringify(body);
  const headers = Object.entries({ ...common, ...own }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `content-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\n${headers.join('')}` +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}

function brokenRequest({ code }: { code?: string }): DomainError {
  if (code === 'HPE_HEADER_OVERFLOW') return new DomainError('headers_too_large');
  if (code === TOO_SLOW) return new DomainError('request_timeout');
  if (code === STOPPING) return new DomainError('service_unavailable');
  return new DomainError('bad_request', { reason: 'The request is not valid HTTP/1.1.' });
}
