import { DomainError } from '@app/domain/errors';
import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { HeldBody } from './held-body';

/** The bytes of a body, counted as they arrive. One that may not hold more ends with the refusal. */
export function countBody(request: IncomingMessage, held: HeldBody): Transform {
  const counted = new Transform({
    transform(piece: Buffer, _encoding, done: TransformCallback) {
      try {
        held.add(piece.length);
        done(null, piece);
      } catch (error) {
        // A client that is still sending reads the response afterwards.
        request.unpipe(counted);
        request.resume();
        done(error as Error);
      }
    },
    flush(done) {
      held.settle();
      done();
    },
  });
  // The reader of a body stops listening once it has refused it.
  counted.on('error', () => undefined);
  request.on('error', (error) => counted.destroy(error));
  request.on('close', () => request.complete || counted.destroy(new DomainError('client_gone')));
  return request.pipe(counted);
}
